// RUN: polyir-opt --tile="loops=S0.0,S0.1 sizes=8" --promote="arrays=image,weights loop=S0.1" --promote="arrays=out loop=S0.3 space=register" --remarks --emit=c %s 2>&1 | filecheck %s
// RUN: polyir-opt --tile="loops=S0.0,S0.1 sizes=8" --promote="loop=S0.1" --remarks --emit=c %s 2>&1 | filecheck %s --check-prefix ALL

// Local arrays of two places: the tile of an image with its halo, and one register in it.

func.func @convolution(%n: index, %image: memref<?x?xf64>, %weights: memref<3x3xf64>, %out: memref<?x?xf64>) {
  affine.for %i = 1 to %n {
    affine.for %j = 1 to %n {
      affine.for %k = 0 to 3 {
        affine.for %l = 0 to 3 {
          %pixel = affine.load %image[%i + %k - 1, %j + %l - 1] : memref<?x?xf64>
          %weight = affine.load %weights[%k, %l] : memref<3x3xf64>
          %old = affine.load %out[%i, %j] : memref<?x?xf64>
          %product = arith.mulf %pixel, %weight : f64
          %new = arith.addf %old, %product : f64
          affine.store %new, %out[%i, %j] : memref<?x?xf64>
        }
      }
    }
  }
  return
}

// CHECK: remark: [promote] an iteration of S0.1 keeps 10 x 10 elements of image in image_local, copied in
// CHECK: remark: [promote] an iteration of S0.1 keeps 3 x 3 elements of weights in weights_local, copied in
// CHECK: remark: [promote] an iteration of S0.3 keeps one element of out in out_local, copied in and out
// CHECK: double out_local = out[i][j];
// CHECK-NEXT: for (int64_t k = 0; k < 3; k++) {
// CHECK-NEXT: for (int64_t l = 0; l < 3; l++) {
// CHECK-NEXT: out_local += image_local[i + k - ti][j + l - tj] * weights_local[k][l];
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: out[i][j] = out_local;

// ALL: remark: [promote] an iteration of S0.1 keeps 10 x 10 elements of image in image_local, copied in
// ALL: remark: [promote] an iteration of S0.1 keeps 3 x 3 elements of weights in weights_local, copied in
// ALL: remark: [promote] an iteration of S0.1 keeps 8 x 8 elements of out in out_local, copied in and out
