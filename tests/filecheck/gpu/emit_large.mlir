// RUN: polyir-opt --emit=cuda %s | filecheck %s --check-prefix=CUDA
// RUN: polyir-opt --emit=opencl %s | filecheck %s --check-prefix=CL

// A CUDA kernel cannot declare more than 48 KiB of shared memory; a launch can ask for more.
module attributes {gpu.container_module} {
  gpu.module @m {
    // CUDA: extern "C" __global__ void large(double *__restrict__ A) {
    // CUDA-NEXT:   extern __shared__ double2 polyir_shared[];
    // CUDA-NEXT:   float *r = (float *)polyir_shared;
    // CUDA-NEXT:   double (*s)[65] = (double (*)[65])((char *)polyir_shared + 16);
    // CUDA-NEXT:   int64_t *n = (int64_t *)((char *)polyir_shared + 66688);
    // CUDA-NEXT:   const int64_t tx = threadIdx.x;
    // CUDA-NEXT:   s[tx][1] = A[tx];
    // CUDA-NEXT:   *n = 5;
    // CUDA-NEXT:   r[2] = 0.0f;
    // CUDA-NEXT:   A[*n] = s[1][tx] + (double)r[2];
    // CL: "  __local float r[3];\n"
    // CL-NEXT: "  __local double s[128][65];\n"
    // CL-NEXT: "  __local long n __attribute__((__aligned__(128)));\n"
    // CL: "  n = 5;\n"
    gpu.func @large(%A: memref<100xf64>) workgroup(%r : memref<3xf32, #gpu.address_space<workgroup>>, %s : memref<128x65xf64, #gpu.address_space<workgroup>>, %n : memref<index, #gpu.address_space<workgroup>> {llvm.align = 128 : i64}, %u : memref<8x8xf64, #gpu.address_space<workgroup>> {llvm.align = 64 : i64}) kernel {
      %tx = gpu.thread_id x
      %c5 = arith.constant 5 : index
      %zero = arith.constant 0.0 : f32
      %v = affine.load %A[symbol(%tx)] : memref<100xf64>
      affine.store %v, %s[symbol(%tx), 1] : memref<128x65xf64, #gpu.address_space<workgroup>>
      affine.store %c5, %n[] : memref<index, #gpu.address_space<workgroup>>
      affine.store %zero, %r[2] : memref<3xf32, #gpu.address_space<workgroup>>
      %i = affine.load %n[] : memref<index, #gpu.address_space<workgroup>>
      %w = affine.load %s[1, symbol(%tx)] : memref<128x65xf64, #gpu.address_space<workgroup>>
      %q = affine.load %r[2] : memref<3xf32, #gpu.address_space<workgroup>>
      %e = arith.extf %q : f32 to f64
      %x = arith.addf %w, %e : f64
      memref.store %x, %A[%i] : memref<100xf64>
      gpu.return
    }
  }

  // CUDA: if (polyir_may_launch(5, 5, 5)) {
  // CUDA-NEXT:   const cudaFuncAttribute size = cudaFuncAttributeMaxDynamicSharedMemorySize;
  // CUDA-NEXT:   polyir_check(cudaFuncSetAttribute(large, size, 67264), "large");
  // CUDA-NEXT:   large<<<dim3(5, 5, 5), dim3(5, 5, 5), 67264>>>(D);
  // CUDA-NEXT:   polyir_check(cudaGetLastError(), "large");
  // CUDA-NEXT: }
  // CL: polyir_launch("large", 5, 5, 5, 5, 5, 5, 1, arguments);
  func.func @host() {
    %c5 = arith.constant 5 : index
    %D = gpu.alloc() : memref<100xf64>
    gpu.launch_func @m::@large blocks in (%c5, %c5, %c5) threads in (%c5, %c5, %c5) args(%D : memref<100xf64>)
    gpu.dealloc %D : memref<100xf64>
    return
  }
}
