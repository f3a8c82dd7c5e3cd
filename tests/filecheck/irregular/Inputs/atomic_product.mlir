// An integer product, which C has as an atomic update, and LLVM has not.
func.func @product(%n: index, %p: memref<?xindex>, %e: memref<?xi64>, %x: memref<?xi64>) {
  affine.for %i = 0 to %n {
    %j = affine.load %p[%i] : memref<?xindex>
    %v = affine.load %e[%i] : memref<?xi64>
    %old = memref.load %x[%j] : memref<?xi64>
    %new = arith.muli %old, %v : i64
    memref.store %new, %x[%j] : memref<?xi64>
  }
  return
}
