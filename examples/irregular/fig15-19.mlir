// Figure 15.19: a loop that writes A[p[i]] and reads A[q[i]] in another statement. To test whether
// any p[i] is some q[j] takes more time than the loop, unless the test has a table of elements.
func.func @scatter_gather(%n: index, %p: memref<?xindex>, %q: memref<?xindex>,
                          %b: memref<?xf64>, %c: memref<?xf64>, %A: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %pi = affine.load %p[%i] : memref<?xindex>
    %bi = affine.load %b[%i] : memref<?xf64>
    memref.store %bi, %A[%pi] : memref<?xf64>
    %qi = affine.load %q[%i] : memref<?xindex>
    %old = memref.load %A[%qi] : memref<?xf64>
    %ci = affine.load %c[%i] : memref<?xf64>
    %new = arith.addf %old, %ci : f64
    affine.store %new, %c[%i] : memref<?xf64>
  }
  return
}
