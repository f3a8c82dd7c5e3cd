// A scalar that an earlier iteration writes: the kernel was refused, as it reads it first in the text.
//
// pipeline: pluto-schedule{fuse=max input-dependences=true},map-to-gpu{tile=5,8 block=1,2,8 grid=3}
// run: [1] [1x1]
func.func @program(%A0: memref<1xf64>, %A2: memref<1x1xf64>) {
  %A1 = memref.alloc() : memref<1x5xf64>
  %v0 = arith.constant 1.5 : f64
  affine.for %v1 = 0 to 1 {
  affine.for %v2 = 0 to 5 {
  affine.store %v0, %A1[%v1, %v2] : memref<1x5xf64>
  }
  }
  %A3 = memref.alloc() : memref<6x27xf64>
  %v3 = arith.constant 1.5 : f64
  affine.for %v4 = 0 to 6 {
  affine.for %v5 = 0 to 27 {
  affine.store %v3, %A3[%v4, %v5] : memref<6x27xf64>
  }
  }
  affine.for %i0 = affine_map<()[] -> (2)>()[] to affine_map<()[] -> (6)>()[] step 2 {
  %v6 = affine.load %A1[5 * -1 + 5, %i0] : memref<1x5xf64>
  %v7 = arith.constant -2.5 : f64
  %v8 = affine.load %A3[5, 6 * 3 + %i0 * 2] : memref<6x27xf64>
  %v9 = arith.subf %v7, %v8 : f64
  %v10 = arith.constant -3.5 : f64
  %v11 = arith.subf %v9, %v10 : f64
  %v12 = arith.addf %v6, %v11 : f64
  affine.store %v12, %A1[5 * -1 + 5, %i0] : memref<1x5xf64>
  }
  return
}
