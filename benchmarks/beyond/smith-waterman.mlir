// The local alignment of two sequences by Smith and Waterman with a linear gap penalty: H[i, j] is
// the largest score of an alignment that ends at the bases a[i] and b[j].
func.func @kernel_smith_waterman(%n: index, %m: index, %a: memref<?xi8>, %b: memref<?xi8>,
                                 %H: memref<?x?xi32>) {
  %zero = arith.constant 0 : i32
  %gap = arith.constant 2 : i32
  %match = arith.constant 3 : i32
  %mismatch = arith.constant -3 : i32
  affine.for %i = 1 to %n {
    affine.for %j = 1 to %m {
      %base_a = affine.load %a[%i] : memref<?xi8>
      %base_b = affine.load %b[%j] : memref<?xi8>
      %is_match = arith.cmpi eq, %base_a, %base_b : i8
      %score = arith.select %is_match, %match, %mismatch : i32
      %before = affine.load %H[%i - 1, %j - 1] : memref<?x?xi32>
      %aligned = arith.addi %before, %score : i32
      %above = affine.load %H[%i - 1, %j] : memref<?x?xi32>
      %deleted = arith.subi %above, %gap : i32
      %left = affine.load %H[%i, %j - 1] : memref<?x?xi32>
      %inserted = arith.subi %left, %gap : i32
      %best_gap = arith.maxsi %deleted, %inserted : i32
      %best_end = arith.maxsi %aligned, %zero : i32
      %best = arith.maxsi %best_end, %best_gap : i32
      affine.store %best, %H[%i, %j] : memref<?x?xi32>
    }
  }
  return
}
