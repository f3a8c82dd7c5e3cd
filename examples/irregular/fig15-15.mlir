// Figure 15.15: one array with two index arrays. Which iterations depend on each other is known
// once p and q are.
func.func @update(%n: index, %p: memref<?xindex>, %q: memref<?xindex>, %b: memref<?xf64>,
                  %A: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %pi = affine.load %p[%i] : memref<?xindex>
    %qi = affine.load %q[%i] : memref<?xindex>
    %old = memref.load %A[%qi] : memref<?xf64>
    %bi = affine.load %b[%i] : memref<?xf64>
    %new = arith.addf %old, %bi : f64
    memref.store %new, %A[%pi] : memref<?xf64>
  }
  return
}
