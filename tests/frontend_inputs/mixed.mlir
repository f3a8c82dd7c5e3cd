#map = affine_map<(d0)[s0] -> (d0 + s0, 5)>
#set = affine_set<(d0)[s0] : (d0 - s0 >= 0, d0 == 0)>
memref.global "private" constant @g : memref<2x2xf32> = dense<[[0.0, 1.0],[2.0,3.0]]>
memref.global @u : memref<2xf32> = uninitialized
func.func @f(%A: memref<?x?xf64> {llvm.noalias}, %n: index) -> (f64 {my.attr = 1 : i32}, index) attributes {foo.bar} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %d = memref.dim %A, %c0 : memref<?x?xf64>
  %z = arith.constant 0.0 : f64
  %r = affine.for %i = 0 to min #map(%n)[%n] step 2 iter_args(%acc = %z) -> f64 {
    %v = affine.load %A[%i + symbol(%n) * 2, %i floordiv 2] {foo = "x"} : memref<?x?xf64>
    %w = arith.addf %acc, %v fastmath<fast> : f64
    %q = affine.if #set(%i)[%n] -> f64 { affine.yield %w : f64 } else { affine.yield %v : f64 }
    affine.yield %q : f64
  } {polyir.mark = "x"}
  %p = affine.parallel (%i, %j) = (0, max(0, %n)) to (min(%n, 10), symbol(%d) - 1) step (1, 2) reduce ("addf") -> f64 {
    %v = affine.load %A[%i, %j] : memref<?x?xf64>
    affine.prefetch %A[%i, %j + 5], read, locality<3>, data : memref<?x?xf64>
    affine.yield %v : f64
  }
  %vec = affine.vector_load %A[0, 0] : memref<?x?xf64>, vector<4xf64>
  affine.vector_store %vec, %A[0, 0] : memref<?x?xf64>, vector<4xf64>
  %dl:2 = affine.delinearize_index %n into (%c4, %c4) : index, index
  %m = affine.max affine_map<(d0)[s0] -> (d0, s0)>(%n)[%n]
  %sp = scf.parallel (%a) = (%c0) to (%n) step (%c4) init (%z) -> f64 {
    scf.reduce(%z : f64) {
    ^bb0(%l: f64, %rr: f64):
      %s = arith.addf %l, %rr : f64
      scf.reduce.return %s : f64
    }
  }
  %alloc = memref.alloc(%n)[%n] {alignment = 64 : i64} : memref<?x4xf32, affine_map<(d0,d1)[s0] -> (d0 * 4 + d1 + s0)>, 1>
  %i1 = index.casts %n : index to i64
  %co = arith.constant false
  %uu = arith.select %co, %z, %z : f64
  %ad = arith.addi %c0, %c4 overflow<nsw, nuw> : index
  %hf = arith.constant 0x7FF0000000000000 : f64
  return %r, %n : f64, index
}
