// Several blocks; with the dialects cf and vector, which the grammar does not know.
func.func @blocks(%p: i1, %n: index) -> index {
  "cf.cond_br"(%p, %n, %n)[^left, ^right] <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (i1, index, index) -> ()
^left(%a: index):
  %x = arith.addi %a, %a : index
  "cf.br"(%x)[^end] : (index) -> ()
^right(%b: index loc("kernel.c":9:9)):
  "cf.br"(%b)[^end] : (index) -> ()
^end(%c: index):
  return %c : index
}
func.func @spelt(%p: i1, %n: index, %A: memref<64xf32>) -> index {
  %c0 = arith.constant 0 : index
  %v = affine.vector_load %A[0] : memref<64xf32>, vector<8xf32>
  %w = vector.fma %v, %v, %v : vector<8xf32>
  cf.cond_br %p, ^bb1(%n : index), ^bb2
^bb1(%a: index):
  cf.br ^bb3(%a : index)
^bb2:
  affine.for %i = 0 to 4 {
    %x = affine.vector_load %A[%i * 8] : memref<64xf32>, vector<8xf32>
  }
  cf.br ^bb3(%c0 : index)
^bb3(%c: index):
  %r = scf.while (%k = %c) : (index) -> index {
    %q = arith.cmpi slt, %k, %n : index
    scf.condition(%q) %k : index
  } do {
  ^bb0(%k: index):
    %k2 = arith.addi %k, %k : index
    scf.yield %k2 : index
  }
  return %r : index
}
