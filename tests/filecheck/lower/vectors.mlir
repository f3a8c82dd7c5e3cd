// Vectors in C: types of GCC and Clang, operators, and functions where there is no operator.
// RUN: polyir-opt --emit=c %s | filecheck %s
// RUN: polyir-opt %s | mlir-opt-19 --verify-each | filecheck %s --check-prefix=MLIR

// CHECK: typedef double polyir_f64x8 __attribute__((__vector_size__(64)));
// CHECK: typedef double polyir_f64x8_in_memory __attribute__((__vector_size__(64), __aligned__(8), __may_alias__));
// CHECK: typedef int64_t polyir_i64x8 __attribute__((__vector_size__(64)));
// CHECK: #pragma GCC diagnostic ignored "-Wpsabi"

// A comparison is a mask of its width, and a select takes it as it is.
// CHECK-LABEL: void relax(
// CHECK: const polyir_f64x8 [[X:xv]] = polyir_broadcast_f64x8(x);
// CHECK: for (int64_t i = 0; i < 64; i += 8) {
// CHECK-NEXT: const polyir_f64x8 a = *(polyir_f64x8_in_memory *)&A[i];
// CHECK-NEXT: const polyir_f64x8 s = *(polyir_f64x8_in_memory *)&B[i + 3] * [[X]] + a;
// CHECK-NEXT: *(polyir_f64x8_in_memory *)&B[i] = polyir_select_f64x8((polyir_i64x8[]){s < a}, &s, &a);
// MLIR-LABEL: func.func @relax
// MLIR: arith.cmpf olt, %{{.*}}, %{{.*}} : vector<8xf64>
// MLIR: arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<8xi1>, vector<8xf64>
func.func @relax(%A: memref<64xf64>, %B: memref<72xf64>, %x: f64) {
  %xv = vector.broadcast %x : f64 to vector<8xf64>
  affine.for %i = 0 to 64 step 8 {
    %a = affine.vector_load %A[%i] : memref<64xf64>, vector<8xf64>
    %b = affine.vector_load %B[%i + 3] : memref<72xf64>, vector<8xf64>
    %p = arith.mulf %b, %xv : vector<8xf64>
    %s = arith.addf %p, %a : vector<8xf64>
    %m = arith.cmpf olt, %s, %a : vector<8xf64>
    %c = arith.select %m, %s, %a : vector<8xi1>, vector<8xf64>
    affine.vector_store %c, %B[%i] : memref<72xf64>, vector<8xf64>
  }
  return
}

// The width of a mask is that of what it selects; a sum is carried in a vector.
// CHECK-LABEL: void masked(
// CHECK: const polyir_f32x4 z = polyir_broadcast_f32x4(0.0f);
// CHECK: const polyir_i32x4 m = polyir_create_mask_i32x4(n);
// CHECK: polyir_f32x4 [[SUM:.*]] = z;
// CHECK: [[SUM]] += polyir_masked_load_f32x4(&A[i], m, z);
// CHECK: polyir_masked_store_f32x4(&A[0], m, __builtin_shufflevector([[SUM]], [[SUM]], 3, 2, 1, 0));
// MLIR-LABEL: func.func @masked
// MLIR: vector.maskedload
// MLIR: vector.shuffle %{{.*}}, %{{.*}} [3, 2, 1, 0] : vector<4xf32>, vector<4xf32>
func.func @masked(%A: memref<64xf32>, %n: index) {
  %z = arith.constant dense<0.0> : vector<4xf32>
  %zero = arith.constant 0 : index
  %m = vector.create_mask %n : vector<4xi1>
  %sum = affine.for %i = 0 to 60 step 4 iter_args(%s = %z) -> (vector<4xf32>) {
    %a = vector.maskedload %A[%i], %m, %z : memref<64xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    %t = arith.addf %s, %a : vector<4xf32>
    affine.yield %t : vector<4xf32>
  }
  %r = vector.shuffle %sum, %sum [3, 2, 1, 0] : vector<4xf32>, vector<4xf32>
  vector.maskedstore %A[%zero], %m, %r : memref<64xf32>, vector<4xi1>, vector<4xf32>
  return
}

// gcc converts lane by lane where one width is more than twice the other: there are steps between.
// CHECK-LABEL: void convert(
// CHECK: __builtin_convertvector(__builtin_convertvector((polyir_u8x16)a, polyir_i16x16), polyir_i32x16)
// CHECK: __builtin_convertvector(__builtin_convertvector(__builtin_convertvector((polyir_u8x16)a, polyir_i16x16), polyir_i32x16), polyir_f32x16)
// CHECK: __builtin_convertvector(__builtin_convertvector({{[^,]+}}, polyir_i16x16), polyir_i8x16)
func.func @convert(%A: memref<16xi8>, %B: memref<16xi32>, %C: memref<16xf32>) {
  %zero = arith.constant 0 : index
  %a = vector.load %A[%zero] : memref<16xi8>, vector<16xi8>
  %b = arith.extui %a : vector<16xi8> to vector<16xi32>
  vector.store %b, %B[%zero] : memref<16xi32>, vector<16xi32>
  %c = arith.uitofp %a : vector<16xi8> to vector<16xf32>
  vector.store %c, %C[%zero] : memref<16xf32>, vector<16xf32>
  %d = vector.load %B[%zero] : memref<16xi32>, vector<16xi32>
  %e = arith.addi %d, %d : vector<16xi32>
  %f = arith.trunci %e : vector<16xi32> to vector<16xi8>
  vector.store %f, %A[%zero] : memref<16xi8>, vector<16xi8>
  return
}
