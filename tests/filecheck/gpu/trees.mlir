// RUN: polyir-opt --reassociate=16 --map-to-gpu --emit=cuda --remarks %s 2>&1 | filecheck %s
// RUN: polyir-opt --reassociate=16 --map-to-gpu="shared=none registers=none" --emit=opencl %s | filecheck %s --check-prefix GLOBAL
// RUN: polyir-opt --map-to-gpu=reassociate=true --emit=none --remarks %s 2>&1 | filecheck %s --check-prefix OPTION
// RUN: polyir-opt --reassociate=16 --gpu-kernels --emit=poly %s | polyir-opt --gpu-tile --gpu-map --gpu-synchronise --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix STEPS
// RUN: not polyir-opt --reassociate=16 --gpu-kernels --gpu-tile --gpu-map --check-gpu --emit=none %s 2>&1 | filecheck %s --check-prefix UNSYNCHRONISED

// Blocks compute parts of a sum, each as a tree; one more block computes the sum of these.
func.func @dot(%n: index, %A: memref<?xf64>, %B: memref<?xf64>, %s: memref<f64>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %A[%i] : memref<?xf64>
    %1 = affine.load %B[%i] : memref<?xf64>
    %2 = arith.mulf %0, %1 : f64
    %3 = affine.load %s[] : memref<f64>
    %4 = arith.addf %2, %3 : f64
    affine.store %4, %s[] : memref<f64>
  }
  return
}

// OPTION: remark: [reassociate] S0: the sum in s is computed in 256 parts of 256 lanes
// OPTION: remark: [reassociate] S1: the sum in x is computed in 256 lanes
// OPTION: remark: [reassociate] S0: each sum in X is computed in 32 lanes, 8 at a time
// OPTION: remark: [reassociate] S1: each sum in Y is computed in 32 lanes
// OPTION: remark: [gpu-kernels] S0, S1, S2, {{.*}}: a kernel of one block, inside 1 loop of the host

// CHECK: remark: [reassociate] S0: the sum in s is computed in 256 parts of 16 lanes
// CHECK: remark: [gpu-kernels] S0, {{.*}}: a kernel with 1 parallel loop, launched once
// CHECK: remark: [gpu-kernels] S0_result, {{.*}}: a kernel of one block, launched once
// CHECK: remark: [gpu-map] S0, {{.*}}: blocks of 16 threads
// CHECK: remark: [gpu-map] S0_result, {{.*}}: blocks of 128 threads
// CHECK: remark: [gpu-promote] S0, {{.*}}: of s_partial, a block keeps 16 elements in shared memory, 128 bytes (s_partial_shared), without copies
// CHECK: remark: [gpu-synchronise] a barrier before S0_tree8
// STEPS: [check-gpu] all 2 kernels are right
// UNSYNCHRONISED: S0[8] writes s_partial[8], which S0_tree8[0, 0] reads in another thread of the block, without a barrier between them

// CHECK-LABEL: __launch_bounds__(16) dot_0(
// CHECK:         __shared__ double s_partial_shared[16];
// CHECK:         const int64_t bx = blockIdx.x;
// CHECK:         s_partial_shared[tx] = -0.0;
// CHECK-NEXT:    for (int64_t i = tx + 16 * bx; i < n; i += 4096) {
// CHECK-NEXT:      s_partial_shared[tx] = A[i] * B[i] + s_partial_shared[tx];
// CHECK-NEXT:    }
// CHECK-NEXT:    __syncthreads();
// CHECK-NEXT:    if (tx <= 7) {
// CHECK-NEXT:      s_partial_shared[tx] += s_partial_shared[tx + 8];
// CHECK-NEXT:    }
// CHECK-NEXT:    __syncthreads();
// CHECK-NEXT:    if (tx <= 3) {
// CHECK:         if (tx == 0) {
// CHECK-NEXT:      s_part[bx] = s_partial_shared[0] + s_partial_shared[1];
// CHECK-LABEL: __launch_bounds__(128) dot_1(
// CHECK:         s_part{{.*}}[tx] += s_part{{.*}}[tx + 128];
// CHECK:         __syncthreads();
// CHECK:         *s += s_part{{.*}}[0] + s_part{{.*}}[1];

// GLOBAL-NOT: __local
// GLOBAL:     barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
// GLOBAL-NOT: __local

// What the loop of the host has beside a sum runs in the same launch.
func.func @forward(%n: index, %L: memref<?x?xf64>, %b: memref<?xf64>, %x: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %b[%i] : memref<?xf64>
    affine.store %0, %x[%i] : memref<?xf64>
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %1 = affine.load %x[%i] : memref<?xf64>
      %2 = affine.load %L[%i, %j] : memref<?x?xf64>
      %3 = affine.load %x[%j] : memref<?xf64>
      %4 = arith.mulf %2, %3 : f64
      %5 = arith.subf %1, %4 : f64
      affine.store %5, %x[%i] : memref<?xf64>
    }
    %6 = affine.load %x[%i] : memref<?xf64>
    %7 = affine.load %L[%i, %i] : memref<?x?xf64>
    %8 = arith.divf %6, %7 : f64
    affine.store %8, %x[%i] : memref<?xf64>
  }
  return
}

// STEPS: [check-gpu] the only kernel is right
// CHECK-LABEL: forward_0(
// CHECK:         if (tx == 0) {
// CHECK-NEXT:      x[t0] = b[t0];
// CHECK:         for (int64_t j = tx; j < t0; j += 16) {
// CHECK:         __syncthreads();
// CHECK:           x[t0] += x_partial_shared[0] + x_partial_shared[1];
// CHECK:           x[t0] /= L[t0 * L_1 + t0];

// Two sums over the same rows are computed by the same block.
func.func @two_sums(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %X: memref<?xf64>, %Y: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %0 = affine.load %A[%i, %j] : memref<?x?xf64>
      %1 = affine.load %X[%i] : memref<?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %X[%i] : memref<?xf64>
      %3 = affine.load %B[%i, %j] : memref<?x?xf64>
      %4 = affine.load %Y[%i] : memref<?xf64>
      %5 = arith.addf %3, %4 : f64
      affine.store %5, %Y[%i] : memref<?xf64>
    }
  }
  return
}

// CHECK-LABEL: __launch_bounds__(256) two_sums_0(
// CHECK:         __shared__ double X_partial_shared[16][17];
// CHECK:         __shared__ double Y_partial_shared[16][17];

// The host launches as few kernels as possible.
// CHECK:       dot_0<<<dim3(256, 1, 1), dim3(16, 1, 1)>>>(
// CHECK:       dot_1<<<dim3(1, 1, 1), dim3(128, 1, 1)>>>(
// CHECK-NOT:   dot_2
// CHECK:       for (int64_t t0 = 0; t0 < n; t0++) {
// CHECK:         forward_0<<<dim3(1, 1, 1), dim3(16, 1, 1)>>>(
// CHECK-NOT:   forward_1
// CHECK:       two_sums_0<<<dim3({{.*}}, 1, 1), dim3(16, 16, 1)>>>(
// CHECK-NOT:   two_sums_1
