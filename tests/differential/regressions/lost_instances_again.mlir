// isl's AST builder lost instances of the strided statement, whatever the context was
// pipeline: poly-dependences{value-based=false},feautrier-schedule{serialize=false}
// run: []
func.func @program(%A0: memref<f64>) {
  affine.for %i1 = affine_map<()[] -> (0)>()[] to affine_map<()[] -> (4)>()[] step 1 {
  %v0 = arith.constant 1.5 : f64
  affine.store %v0, %A0[] : memref<f64>
  %v1 = arith.constant 1.5 : f64
  affine.store %v1, %A0[] : memref<f64>
  affine.for %i3 = affine_map<()[] -> (0)>()[] to affine_map<()[] -> (4)>()[] step 1 {
  affine.for %i4 = affine_map<()[] -> (1)>()[] to affine_map<(d0)[] -> (d0 + 2)>(%i3)[] step 2 {
  %v2 = arith.constant 1.5 : f64
  affine.store %v2, %A0[] : memref<f64>
  }
  }
  }
  return
}
