// nussinov of PolyBench/C 4.2.1, RNA folding by dynamic programming: table[i][j] is the largest
// number of base pairs in the sequence from base i to base j. Rows are computed from the last to
// the first.
#reverse = affine_map<(d0)[s0] -> (s0 - 1 - d0)>
#has_left = affine_set<(d0) : (d0 - 1 >= 0)>
#has_below = affine_set<(d0)[s0] : (s0 - 2 - d0 >= 0)>
#has_both = affine_set<(d0, d1)[s0] : (d1 - 1 >= 0, s0 - 2 - d0 >= 0)>
#is_apart = affine_set<(d0, d1) : (d1 - d0 - 2 >= 0)>

func.func @kernel_nussinov(%n: index, %seq: memref<?xi8>, %table: memref<?x?xi32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  affine.for %row = 0 to %n {
    %i = affine.apply #reverse(%row)[%n]
    affine.for %j = affine_map<(d0) -> (d0 + 1)>(%i) to %n {
      affine.if #has_left(%j) {
        %here = affine.load %table[%i, %j] : memref<?x?xi32>
        %left = affine.load %table[%i, %j - 1] : memref<?x?xi32>
        %best = arith.maxsi %here, %left : i32
        affine.store %best, %table[%i, %j] : memref<?x?xi32>
      }
      affine.if #has_below(%i)[%n] {
        %here = affine.load %table[%i, %j] : memref<?x?xi32>
        %below = affine.load %table[%i + 1, %j] : memref<?x?xi32>
        %best = arith.maxsi %here, %below : i32
        affine.store %best, %table[%i, %j] : memref<?x?xi32>
      }
      affine.if #has_both(%i, %j)[%n] {
        // Neighbours do not bond.
        affine.if #is_apart(%i, %j) {
          %here = affine.load %table[%i, %j] : memref<?x?xi32>
          %inner = affine.load %table[%i + 1, %j - 1] : memref<?x?xi32>
          %base_i = affine.load %seq[%i] : memref<?xi8>
          %base_j = affine.load %seq[%j] : memref<?xi8>
          %wide_i = arith.extsi %base_i : i8 to i32
          %wide_j = arith.extsi %base_j : i8 to i32
          %pair = arith.addi %wide_i, %wide_j : i32
          %do_match = arith.cmpi eq, %pair, %three : i32
          %match = arith.select %do_match, %one, %zero : i32
          %bonded = arith.addi %inner, %match : i32
          %best = arith.maxsi %here, %bonded : i32
          affine.store %best, %table[%i, %j] : memref<?x?xi32>
        } else {
          %here = affine.load %table[%i, %j] : memref<?x?xi32>
          %inner = affine.load %table[%i + 1, %j - 1] : memref<?x?xi32>
          %best = arith.maxsi %here, %inner : i32
          affine.store %best, %table[%i, %j] : memref<?x?xi32>
        }
      }
      affine.for %k = affine_map<(d0) -> (d0 + 1)>(%i) to affine_map<(d0) -> (d0)>(%j) {
        %here = affine.load %table[%i, %j] : memref<?x?xi32>
        %head = affine.load %table[%i, %k] : memref<?x?xi32>
        %tail = affine.load %table[%k + 1, %j] : memref<?x?xi32>
        %split = arith.addi %head, %tail : i32
        %best = arith.maxsi %here, %split : i32
        affine.store %best, %table[%i, %j] : memref<?x?xi32>
      }
    }
  }
  return
}
