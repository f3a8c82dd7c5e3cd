// tile-shape: loops of an inner band that are coincident are not so in a tile loop outside
// pipeline: isl-schedule{outer-coincidence=true},tile-shape{sizes=4 shape='1,1;0,1'},vectorize
// run: [1]
func.func @program(%A1: memref<1xf32>) {
  affine.for %i0 = affine_map<()[] -> (0)>()[] to affine_map<()[] -> (5)>()[] step 1 {
  affine.for %i1 = affine_map<()[] -> (0)>()[] to affine_map<()[] -> (4)>()[] step 1 {
  %v0 = arith.constant 1.5 : f32
  affine.store %v0, %A1[0] : memref<1xf32>
  }
  }
  return
}
