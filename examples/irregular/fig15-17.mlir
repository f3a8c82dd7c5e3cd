// Figure 15.17: a loop that writes A[p[i]] and reads A[i]. It is parallel if it reads no element
// that it writes, and writes none twice; a test of p at run time can find out.
func.func @scatter(%n: index, %p: memref<?xindex>, %b: memref<?xf64>, %A: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %pi = affine.load %p[%i] : memref<?xindex>
    %old = affine.load %A[%i] : memref<?xf64>
    %bi = affine.load %b[%i] : memref<?xf64>
    %new = arith.addf %old, %bi : f64
    memref.store %new, %A[%pi] : memref<?xf64>
  }
  return
}
