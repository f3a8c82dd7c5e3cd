// floyd-warshall of PolyBench/C 4.2.1: the lengths of the shortest paths between all pairs of
// nodes.
func.func @kernel_floyd_warshall(%n: index, %path: memref<?x?xi32>) {
  affine.for %k = 0 to %n {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        %direct = affine.load %path[%i, %j] : memref<?x?xi32>
        %to_k = affine.load %path[%i, %k] : memref<?x?xi32>
        %from_k = affine.load %path[%k, %j] : memref<?x?xi32>
        %detour = arith.addi %to_k, %from_k : i32
        %is_shorter = arith.cmpi slt, %direct, %detour : i32
        %shortest = arith.select %is_shorter, %direct, %detour : i32
        affine.store %shortest, %path[%i, %j] : memref<?x?xi32>
      }
    }
  }
  return
}
