// An array that each iteration of i fills, and then reads through an index array with values in
// the part that was filled: the iterations can run in parallel with an array of their own.
func.func @fill_and_gather(%n: index, %l: index, %m: index, %pos: memref<?xindex> {poly.index_array = #poly.index_array<range = "[arg1, arg2] -> { [x] : arg1 <= x <= arg2 }">}, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  %size = affine.apply affine_map<(d0) -> (d0 + 1)>(%m)
  %x = memref.alloc(%size) : memref<?xf64>
  affine.for %i = 0 to %n {
    affine.for %j = %l to affine_map<(d0) -> (d0 + 1)>(%m) {
      %b = affine.load %B[%i, %j] : memref<?x?xf64>
      affine.store %b, %x[%j] : memref<?xf64>
    }
    affine.for %k = 0 to %n {
      %p = affine.load %pos[%k] : memref<?xindex>
      %v = memref.load %x[%p] : memref<?xf64>
      affine.store %v, %C[%i, %k] : memref<?x?xf64>
    }
  }
  memref.dealloc %x : memref<?xf64>
  return
}
