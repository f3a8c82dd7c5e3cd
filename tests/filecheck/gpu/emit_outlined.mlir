// RUN: polyir-opt --emit=cuda %s | filecheck %s --check-prefix=CUDA
// RUN: polyir-opt --emit=opencl %s | filecheck %s --check-prefix=CL

// Launches are outlined. The functions and constants that a kernel uses have names of their own:
// the host has its own copies.

// CUDA: static __device__ const double f_kernels_factors[3] = {1.0, 2.0, -0.5};
// CUDA: static __device__ double f_kernels_weight(double x, int64_t i) {
// CUDA-NEXT: return x * f_kernels_factors[i];
// CUDA-NEXT: }
// CUDA: static __device__ void f_kernels_both(
// CUDA-NEXT:   double x, double *__restrict__ result_0, double *__restrict__ result_1) {
// CUDA-NEXT:   *result_0 = x;
// CUDA: extern "C" __global__ void __launch_bounds__(32) f_0(
// CUDA-NEXT: int64_t n, double *__restrict__ D, int64_t D_0) {
// CUDA-NEXT:   __shared__ double tile[32];
// CUDA-NEXT:   const int64_t bx = blockIdx.x;
// CUDA-NEXT:   const int64_t tx = threadIdx.x;
// CUDA-NEXT:   if (32 * bx + tx < n) {
// CUDA-NEXT:     const double w = f_kernels_weight(D[32 * bx + tx], 1);
// CUDA-NEXT:     tile[tx] = w;
// CUDA-NEXT:     double u;
// CUDA-NEXT:     double v;
// CUDA-NEXT:     f_kernels_both(tile[tx], &u, &v);
// CUDA-NEXT:     D[32 * bx + tx] = cbrt(u + v);
// CUDA: static double factors[3] = {1.0, 2.0, -0.5};
// CUDA-NOT: cbrt
// CUDA: static double weight(double x, int64_t i) {
// CUDA-NEXT: return x * factors[i];
// CUDA: f_0<<<dim3(grid_x, 1, 1), dim3(32, 1, 1)>>>(n, D, n);
// CUDA: const double q = weight(0.5, 1);
// CUDA: return q + cbrt(0.5);

// CL: "__constant double f_kernels_factors[3] = {1.0, 2.0, -0.5};\n"
// CL: "static double f_kernels_weight(double x, long i) {\n"
// CL-NEXT: "  return x * f_kernels_factors[i];\n"
// CL: "static void f_kernels_both(double x, double *restrict result_0, double *restrict result_1) {\n"
// CL: "    f_kernels_both(tile[tx], &u, &v);\n"

memref.global "private" constant @factors : memref<3xf64> = dense<[1.0, 2.0, -0.5]>

func.func private @cbrt(f64) -> f64 attributes {llvm.readnone}

func.func private @weight(%x: f64, %i: index) -> f64 {
  %G = memref.get_global @factors : memref<3xf64>
  %g = memref.load %G[%i] : memref<3xf64>
  %r = arith.mulf %x, %g : f64
  return %r : f64
}

func.func private @both(%x: f64) -> (f64, f64) {
  %y = arith.negf %x : f64
  return %x, %y : f64, f64
}

func.func @f(%n: index, %A: memref<?xf64>) -> f64 {
  %zero = arith.constant 0.5 : f64
  %one = arith.constant 1 : index
  %size = arith.constant 32 : index
  %A_0 = memref.dim %A, %one : memref<?xf64>
  %blocks = affine.apply affine_map<()[s0] -> (s0 ceildiv 32)>()[%n]
  %D = gpu.alloc(%n) : memref<?xf64>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %one, %gz = %one)
             threads(%tx, %ty, %tz) in (%sx = %size, %sy = %one, %sz = %one) {
    %tile = memref.alloca() : memref<32xf64, #gpu.address_space<workgroup>>
    affine.if affine_set<(b, t)[n] : (n - b * 32 - t - 1 >= 0)>(%bx, %tx)[%n] {
      %x = affine.load %D[symbol(%bx) * 32 + symbol(%tx)] : memref<?xf64>
      %w = func.call @weight(%x, %one) : (f64, index) -> f64
      affine.store %w, %tile[symbol(%tx)] : memref<32xf64, #gpu.address_space<workgroup>>
      %t = affine.load %tile[symbol(%tx)] : memref<32xf64, #gpu.address_space<workgroup>>
      %u, %v = func.call @both(%t) : (f64) -> (f64, f64)
      %s = arith.addf %u, %v : f64
      %c = func.call @cbrt(%s) : (f64) -> f64
      affine.store %c, %D[symbol(%bx) * 32 + symbol(%tx)] : memref<?xf64>
    }
    gpu.terminator
  }
  gpu.dealloc %D : memref<?xf64>
  %q = func.call @weight(%zero, %one) : (f64, index) -> f64
  %c = func.call @cbrt(%zero) : (f64) -> f64
  %r = arith.addf %q, %c : f64
  return %r : f64
}
