// RUN: polyir-opt --split-input-file --emit=cuda %s | filecheck %s --check-prefix=CUDA
// RUN: polyir-opt --split-input-file --emit=opencl %s | filecheck %s --check-prefix=CL

// Arrays: rows of constant length are indexed as in C, others have one subscript. `const` is what a
// kernel does not write to.

module attributes {gpu.container_module} {
  gpu.module @m {
    // CUDA: // Array sizes (row-major): P[P_0][4], D[D_0][D_1][D_2]
    // CUDA-NEXT: extern "C" __global__ void arrays(
    // CUDA-NEXT: const double (*__restrict__ A)[20][30], double (*__restrict__ P)[4], int64_t P_0,
    // CUDA-NEXT: float *__restrict__ D, int64_t D_0, int64_t D_1, int64_t D_2, bool *__restrict__ F,
    // CUDA-NEXT: int64_t *__restrict__ X, bool flag) {
    // CL: "__kernel void arrays(\n"
    // CL-NEXT: "    const __global double (*restrict A)[20][30], __global double (*restrict P)[4], long P_0,\n"
    // CL-NEXT: "    __global float *restrict D, long D_0, long D_1, long D_2, __global uchar *restrict F,\n"
    // CL-NEXT: "    __global long *restrict X, uchar flag) {\n"
    gpu.func @arrays(%A: memref<10x20x30xf64>, %P: memref<?x4xf64>, %D: memref<?x?x?xf32>, %F: memref<8xi1>, %X: memref<index>, %flag: i1) workgroup(%s : memref<8xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) private(%t : memref<f32, #gpu.address_space<private>>) kernel {
      // CUDA-NEXT:   __shared__ float s[8] __attribute__((__aligned__(16)));
      // CUDA-NEXT:   float t = 0.0f;
      // CL-NEXT: "  __local float s[8] __attribute__((__aligned__(16)));\n"
      // CL-NEXT: "  float t = 0.0f;\n"
      %i = gpu.global_id x
      %size = gpu.block_dim y
      %count = gpu.grid_dim z
      // CUDA-NEXT:   const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
      // CUDA-NEXT:   const int64_t size = blockDim.y;
      // CUDA-NEXT:   const int64_t count = gridDim.z;
      // CL-NEXT: "  const long i = get_global_id(0);\n"
      // CL-NEXT: "  const long size = get_local_size(1);\n"
      // CL-NEXT: "  const long count = get_num_groups(2);\n"
      // CUDA-NEXT:   P[i][3] = A[size][count][5];
      // CL-NEXT: "  P[i][3] = A[size][count][5];\n"
      %a = affine.load %A[symbol(%size), symbol(%count), 5] : memref<10x20x30xf64>
      affine.store %a, %P[symbol(%i), 3] : memref<?x4xf64>
      // CUDA-NEXT:   const float d = D[((i + 1) * D_1 + 2 * size) * D_2 + i - 1];
      // CUDA-NEXT:   D[2 * D_2] = expf(d) + copysignf(d, 1.5f);
      // CL-NEXT: "  const float d = D[((i + 1) * D_1 + 2 * size) * D_2 + i - 1];\n"
      // CL-NEXT: "  D[2 * D_2] = exp(d) + copysign(d, 1.5f);\n"
      %d = affine.load %D[symbol(%i) + 1, symbol(%size) * 2, symbol(%i) - 1] : memref<?x?x?xf32>
      %c = arith.constant 1.5 : f32
      %e = math.exp %d : f32
      %f = math.copysign %d, %c : f32
      %g = arith.addf %e, %f : f32
      affine.store %g, %D[0, 2, 0] : memref<?x?x?xf32>
      // CUDA-NEXT:   s[i % 8] = d;
      // CUDA-NEXT:   t = s[polyir_mod(i - size, 8)];
      // CL-NEXT: "  s[i % 8] = d;\n"
      // CL-NEXT: "  t = s[polyir_mod(i - size, 8)];\n"
      affine.store %d, %s[symbol(%i) mod 8] : memref<8xf32, #gpu.address_space<workgroup>>
      %q = affine.load %s[(symbol(%i) - symbol(%size)) mod 8] : memref<8xf32, #gpu.address_space<workgroup>>
      affine.store %q, %t[] : memref<f32, #gpu.address_space<private>>
      // CUDA-NEXT:   D[0] = t;
      // CL-NEXT: "  D[0] = t;\n"
      %t_value = affine.load %t[] : memref<f32, #gpu.address_space<private>>
      affine.store %t_value, %D[0, 0, 0] : memref<?x?x?xf32>
      // CUDA-NEXT:   F[i] = (bool)polyir_isunordered(d, 1.5f);
      // CUDA-NEXT:   if (flag) {
      // CUDA-NEXT:     *X = -9223372036854775807L - 1;
      // CL-NEXT: "  F[i] = (bool)isunordered(d, 1.5f);\n"
      // CL-NEXT: "  if (flag) {\n"
      // CL-NEXT: "    *X = -9223372036854775807L - 1;\n"
      %u = arith.cmpf uno, %d, %c : f32
      affine.store %u, %F[symbol(%i)] : memref<8xi1>
      scf.if %flag {
        %least = arith.constant -9223372036854775808 : index
        affine.store %least, %X[] : memref<index>
      }
      gpu.return
    }
  }

  // Arrays of the host have the same forms. The result is computed after all.
  // CUDA: extern "C" double host(
  // CUDA-NEXT: double (*__restrict__ A)[20][30], double *__restrict__ T, int64_t T_0, int64_t T_1) {
  // CUDA-NEXT: (void)T_0;
  // CUDA-NEXT: double (*__restrict__ A_dev)[20][30] = (double (*)[20][30])polyir_allocate("A_dev",
  // CUDA-NEXT:     sizeof(double) * 10 * 20 * 30);
  // CL: double host(double A[restrict 10][20][30], double *restrict T_data, int64_t T_0, int64_t T_1) {
  // CL-NEXT: (void)T_0;
  // CL-NEXT: double (*restrict T)[T_1] = (double (*)[T_1])T_data;
  // CL-NEXT: cl_mem A_dev = polyir_allocate("A_dev", sizeof(double) * 10 * 20 * 30);
  func.func @host(%A: memref<10x20x30xf64>, %T: memref<?x?xf64>) -> f64 {
    %c2 = arith.constant 2 : index
    %true = arith.constant true
    %A_dev = gpu.alloc() : memref<10x20x30xf64>
    %P = gpu.alloc(%c2) : memref<?x4xf64>
    %D = gpu.alloc(%c2, %c2, %c2) : memref<?x?x?xf32>
    %E = gpu.alloc(%c2, %c2, %c2) : memref<?x?x?xf32>
    %F = gpu.alloc() : memref<8xi1>
    %X = gpu.alloc() : memref<index>
    %x = memref.alloca() : memref<index>
    // CUDA: polyir_copy_to_device(A_dev, A, sizeof(double) * 10 * 20 * 30);
    // CUDA-NEXT: polyir_copy_to_device(X, &x, sizeof(int64_t));
    // CUDA-NEXT: polyir_copy_on_device(E, D, sizeof(float) * 2 * 2 * 2);
    // CL: polyir_copy_to_device(A_dev, A, sizeof(double) * 10 * 20 * 30);
    // CL-NEXT: polyir_copy_to_device(X, &x, sizeof(int64_t));
    // CL-NEXT: polyir_copy_on_device(E, D, sizeof(float) * 2 * 2 * 2);
    gpu.memcpy %A_dev, %A : memref<10x20x30xf64>, memref<10x20x30xf64>
    gpu.memcpy %X, %x : memref<index>, memref<index>
    gpu.memcpy %E, %D : memref<?x?x?xf32>, memref<?x?x?xf32>
    // CUDA: arrays<<<dim3(2, 2, 2), dim3(2, 2, 2)>>>(A_dev, P, 2, E, 2, 2, 2, F, X, true);
    // CL: const polyir_argument arguments[] = {POLYIR_ARGUMENT(cl_mem, A_dev),
    gpu.launch_func @m::@arrays blocks in (%c2, %c2, %c2) threads in (%c2, %c2, %c2) args(%A_dev : memref<10x20x30xf64>, %P : memref<?x4xf64>, %E : memref<?x?x?xf32>, %F : memref<8xi1>, %X : memref<index>, %true : i1)
    gpu.dealloc %A_dev : memref<10x20x30xf64>
    gpu.dealloc %P : memref<?x4xf64>
    gpu.dealloc %D : memref<?x?x?xf32>
    gpu.dealloc %E : memref<?x?x?xf32>
    gpu.dealloc %F : memref<8xi1>
    gpu.dealloc %X : memref<index>
    // CUDA: polyir_finish("host");
    // CUDA-NEXT: return T[T_1 + 2];
    // CL: polyir_finish("host");
    // CL-NEXT: return T[1][2];
    %r = affine.load %T[1, 2] : memref<?x?xf64>
    return %r : f64
  }
}

// -----

// Without kernels, the file is as that of `--emit=c`, without OpenMP.
// CUDA-NOT: polyir
// CUDA: extern "C" void scale(double *__restrict__ A, int64_t A_0) {
// CUDA: double (*__restrict__ t)[4] = (double (*)[4])malloc(sizeof(double) * 3 * 4);
// CL-NOT: CL/cl.h
// CL: void scale(double *restrict A, int64_t A_0) {
func.func @scale(%A: memref<?xf64>) {
  %t = memref.alloc() : memref<3x4xf64>
  affine.parallel (%i) = (0) to (3) {
    %v = affine.load %A[%i] : memref<?xf64>
    affine.store %v, %t[%i, 1] : memref<3x4xf64>
    %w = affine.load %t[%i, 1] : memref<3x4xf64>
    affine.store %w, %A[%i + 1] : memref<?xf64>
  }
  memref.dealloc %t : memref<3x4xf64>
  return
}

// -----

// An array that has another form in the function that is called.
// CUDA: extern "C" void rows(double (*__restrict__ arg0)[20]);
// CUDA: flat(&A[0][0], 10, 20);
// CUDA-NEXT: rows((double (*)[20])D);
// CUDA-NEXT: flat(D, D_0, D_1);
// CUDA-NEXT: rows(A);
// CUDA-NEXT: double *__restrict__ t = (double *)malloc(sizeof(double) * D_0 * D_1);
// CUDA-NEXT: t[D_1 + 2] = D[D_1 + 2];
// CL: flat(&A[0][0], 10, 20);
// CL-NEXT: rows(D);
// CL-NEXT: flat(D_data, D_0, D_1);
// CL-NEXT: rows(A);
// CL-NEXT: double (*restrict t)[D_1] = malloc(sizeof(double) * D_0 * D_1);
// CL-NEXT: t[1][2] = D[1][2];
func.func private @flat(%B: memref<?x?xf64>)
func.func private @rows(%B: memref<10x20xf64>)
func.func @caller(%A: memref<10x20xf64>, %D: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %A_flat = memref.cast %A : memref<10x20xf64> to memref<?x?xf64>
  %D_rows = memref.cast %D : memref<?x?xf64> to memref<10x20xf64>
  func.call @flat(%A_flat) : (memref<?x?xf64>) -> ()
  func.call @rows(%D_rows) : (memref<10x20xf64>) -> ()
  func.call @flat(%D) : (memref<?x?xf64>) -> ()
  func.call @rows(%A) : (memref<10x20xf64>) -> ()
  %m = memref.dim %D, %c0 : memref<?x?xf64>
  %n = memref.dim %D, %c1 : memref<?x?xf64>
  %t = memref.alloc(%m, %n) : memref<?x?xf64>
  %v = affine.load %D[1, 2] : memref<?x?xf64>
  affine.store %v, %t[1, 2] : memref<?x?xf64>
  memref.dealloc %t : memref<?x?xf64>
  return
}
