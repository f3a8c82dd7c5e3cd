// RUN: polyir-opt --emit=cuda %s | filecheck %s --check-prefix=CUDA
// RUN: polyir-opt --emit=opencl %s | filecheck %s --check-prefix=CL

// One file with the kernels and the function that launches them; of the functions that check calls,
// those that are called.
// CUDA: #include <stdint.h>
// CUDA-NEXT: #include <stdio.h>
// CUDA: cudaError_t polyir_status;
// CUDA: extern "C" {{.*}}int polyir_cuda_error(void) {
// CUDA-NOT: polyir_copy_on_device
// CUDA: __host__ __device__ static inline int64_t polyir_min(int64_t a, int64_t b) {
// CUDA: __host__ __device__ static inline int64_t polyir_ceildiv(int64_t a, int64_t b) {

// CL: #define CL_TARGET_OPENCL_VERSION 120
// CL-NEXT: #include <CL/cl.h>
// CL: static const char polyir_kernels[] =
// CL-NEXT: "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
// CL-NEXT: "#pragma OPENCL FP_CONTRACT OFF\n"
// CL: "static inline long polyir_min(long a, long b) {\n"

module attributes {gpu.container_module} {
  gpu.module @gemm_kernels {
    // CUDA: // Array sizes (row-major): A[A_0][A_1], C[C_0][C_1]
    // CUDA-NEXT: extern "C" __global__ void __launch_bounds__(128) gemm_0(
    // Other threads may change C between barriers.
    // CUDA-NEXT: int64_t n, double alpha, const double *__restrict__ A, int64_t A_0, int64_t A_1, double *C,
    // CUDA-NEXT: int64_t C_0, int64_t C_1) {
    // CUDA-NEXT:   __shared__ double s[4][33];

    // CL: "__kernel void __attribute__((reqd_work_group_size(32, 4, 1))) gemm_0(\n"
    // CL-NEXT: "    long n, double alpha, const __global double *restrict A, long A_0, long A_1,\n"
    // CL-NEXT: "    __global double *C, long C_0, long C_1) {\n"
    // CL-NEXT: "  __local double s[4][33];\n"
    gpu.func @gemm_0(%n: index, %alpha: f64, %A: memref<?x?xf64>, %C: memref<?x?xf64>) workgroup(%s : memref<4x33xf64, #gpu.address_space<workgroup>>) private(%p : memref<2xf64, #gpu.address_space<private>>) kernel attributes {known_block_size = array<i32: 32, 4, 1>} {
      // A number that nothing needs is left out.
      // CUDA-NEXT:   double p[2];
      // CUDA-NEXT:   const int64_t by = blockIdx.y;
      // CUDA-NEXT:   const int64_t tx = threadIdx.x;
      // CUDA-NEXT:   const int64_t ty = threadIdx.y;
      // CL-NEXT: "  double p[2];\n"
      // CL-NEXT: "  const long by = get_group_id(1);\n"
      // CL-NEXT: "  const long tx = get_local_id(0);\n"
      // CL-NEXT: "  const long ty = get_local_id(1);\n"
      %bx = gpu.block_id x
      %by = gpu.block_id y
      %tx = gpu.thread_id x
      %ty = gpu.thread_id y
      // CUDA-NEXT:   for (int64_t k0 = 0; k0 < n; k0 += 32) {
      // CUDA-NEXT:     s[ty][tx] = A[(4 * by + ty) * A_1 + k0 + tx];
      // CUDA-NEXT:     __syncthreads();
      // CL-NEXT: "  for (long k0 = 0; k0 < n; k0 += 32) {\n"
      // CL-NEXT: "    s[ty][tx] = A[(4 * by + ty) * A_1 + k0 + tx];\n"
      // CL-NEXT: "    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
      affine.for %k0 = 0 to %n step 32 {
        %v = affine.load %A[symbol(%by) * 4 + symbol(%ty), %k0 + symbol(%tx)] : memref<?x?xf64>
        affine.store %v, %s[%ty, %tx] : memref<4x33xf64, #gpu.address_space<workgroup>>
        gpu.barrier
        // CUDA-NEXT:     #pragma unroll 4
        // CUDA-NEXT:     for (int64_t k = 0; k < polyir_min(32, n - k0); k++) {
        // CUDA-NEXT:       p[0] += alpha * s[ty][k];
        // CL-NEXT: "    #pragma unroll 4\n"
        // CL-NEXT: "    for (long k = 0; k < polyir_min(32, n - k0); k++) {\n"
        affine.for %k = 0 to min affine_map<(k0)[n] -> (32, n - k0)>(%k0)[%n] {
          %a = affine.load %s[%ty, %k] : memref<4x33xf64, #gpu.address_space<workgroup>>
          %x = arith.mulf %alpha, %a : f64
          %q = affine.load %p[0] : memref<2xf64, #gpu.address_space<private>>
          %r = arith.addf %q, %x : f64
          affine.store %r, %p[0] : memref<2xf64, #gpu.address_space<private>>
        } {poly.unroll = #poly.unroll<4>}
        // What is loaded before a barrier is not loaded after it.
        // CUDA:          const double old = C[tx * C_1 + 1];
        // CUDA-NEXT:     __syncthreads();
        // CUDA-NEXT:     C[ty * C_1] = old;
        // CL:      "    const double old = C[tx * C_1 + 1];\n"
        // CL-NEXT: "    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
        // CL-NEXT: "    C[ty * C_1] = old;\n"
        %old = affine.load %C[symbol(%tx), 1] : memref<?x?xf64>
        gpu.barrier
        affine.store %old, %C[symbol(%ty), 0] : memref<?x?xf64>
      }
      gpu.return
    }
  }

  // CUDA: extern "C" void gemm(
  // CUDA-NEXT: int64_t n, double alpha, double *__restrict__ A, int64_t A_0, int64_t A_1,
  // CUDA-NEXT: double *__restrict__ C, int64_t C_0, int64_t C_1) {
  // CL: void gemm(
  // CL-NEXT: int64_t n, double alpha, double *restrict A_data, int64_t A_0, int64_t A_1,
  // CL-NEXT: double *restrict C_data, int64_t C_0, int64_t C_1) {
  func.func @gemm(%n: index, %alpha: f64, %A: memref<?x?xf64>, %C: memref<?x?xf64>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    // CUDA: double *__restrict__ A_dev = (double *)polyir_allocate("A_dev", sizeof(double) * A_0 * A_1);
    // CUDA-NEXT: double *__restrict__ C_dev = (double *)polyir_allocate("C_dev", sizeof(double) * n * n);
    // CUDA-NEXT: polyir_copy_to_device(A_dev, A, sizeof(double) * A_0 * A_1);
    // CL: cl_mem A_dev = polyir_allocate("A_dev", sizeof(double) * A_0 * A_1);
    // CL-NEXT: cl_mem C_dev = polyir_allocate("C_dev", sizeof(double) * n * n);
    // CL-NEXT: polyir_copy_to_device(A_dev, A_data, sizeof(double) * A_0 * A_1);
    %A_0 = memref.dim %A, %c0 : memref<?x?xf64>
    %A_1 = memref.dim %A, %c1 : memref<?x?xf64>
    %A_dev = gpu.alloc(%A_0, %A_1) : memref<?x?xf64>
    %C_dev = gpu.alloc(%n, %n) : memref<?x?xf64>
    gpu.memcpy %A_dev, %A : memref<?x?xf64>, memref<?x?xf64>
    // CUDA-NEXT: for (int64_t t = 0; t < n; t++) {
    // CUDA-NEXT:   const int64_t grid_x = polyir_ceildiv(n - t, 32);
    // CUDA-NEXT:   if (polyir_may_launch(grid_x, 4, 1)) {
    // CUDA-NEXT:     gemm_0<<<dim3(grid_x, 4, 1), dim3(32, 4, 1)>>>(n, alpha, A_dev, A_0, A_1, C_dev, n, n);
    // CUDA-NEXT:     polyir_check(cudaGetLastError(), "gemm_0");
    // CUDA-NEXT:   }
    // CUDA-NEXT: }
    // CL-NEXT: for (int64_t t = 0; t < n; t++) {
    // CL-NEXT:   const int64_t grid_x = polyir_ceildiv(n - t, 32);
    // CL-NEXT:   {
    // CL-NEXT:     const polyir_argument arguments[] = {POLYIR_ARGUMENT(int64_t, n),
    // CL-NEXT:         POLYIR_ARGUMENT(double, alpha), POLYIR_ARGUMENT(cl_mem, A_dev),
    // CL-NEXT:         POLYIR_ARGUMENT(int64_t, A_0), POLYIR_ARGUMENT(int64_t, A_1),
    // CL-NEXT:         POLYIR_ARGUMENT(cl_mem, C_dev), POLYIR_ARGUMENT(int64_t, n), POLYIR_ARGUMENT(int64_t, n)};
    // CL-NEXT:     polyir_launch("gemm_0", grid_x, 4, 1, 32, 4, 1, 8, arguments);
    // CL-NEXT:   }
    // CL-NEXT: }
    affine.for %t = 0 to %n {
      %gx = affine.apply affine_map<(t)[n] -> ((n - t) ceildiv 32)>(%t)[%n]
      gpu.launch_func @gemm_kernels::@gemm_0 blocks in (%gx, %c4, %c1) threads in (%c32, %c4, %c1) args(%n : index, %alpha : f64, %A_dev : memref<?x?xf64>, %C_dev : memref<?x?xf64>)
    }
    // CUDA-NEXT: polyir_copy_to_host(C, C_dev, sizeof(double) * n * n);
    // CUDA-NEXT: polyir_free(C_dev);
    // CUDA-NEXT: polyir_free(A_dev);
    // CUDA-NEXT: polyir_finish("gemm");
    // CUDA-NEXT: }
    // CL-NEXT: polyir_copy_to_host(C_data, C_dev, sizeof(double) * n * n);
    // CL-NEXT: polyir_free(C_dev);
    // CL-NEXT: polyir_free(A_dev);
    // CL-NEXT: polyir_finish("gemm");
    // CL-NEXT: }
    gpu.memcpy %C, %C_dev : memref<?x?xf64>, memref<?x?xf64>
    gpu.dealloc %C_dev : memref<?x?xf64>
    gpu.dealloc %A_dev : memref<?x?xf64>
    return
  }
}
