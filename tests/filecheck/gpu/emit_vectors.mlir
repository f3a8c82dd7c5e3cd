// RUN: polyir-opt --emit=cuda %s | filecheck %s
// RUN: polyir-opt --emit=opencl %s | filecheck %s --check-prefix OPENCL
// RUN: polyir-opt --convert-affine-to-scf --emit=cuda %s | filecheck %s
// RUN: polyir-opt --convert-affine-to-scf %s | mlir-opt-19 --verify-each | polyir-opt --emit=cuda - | filecheck %s --check-prefix MLIR

// A vector that is loaded and stored right after is copied at once: 16 bytes of numbers.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @of_doubles(%A: memref<64x64xf64>, %B: memref<?x8xf64>)
        workgroup(%s: memref<4x64xf64, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
        kernel attributes {known_block_size = array<i32: 32, 4, 1>} {
      %tx = gpu.thread_id x
      %ty = gpu.thread_id y
      %c0 = arith.constant 0 : index
      %twice = affine.apply affine_map<(d0) -> (d0 * 2)>(%tx)
      %v = affine.vector_load %A[%ty, %twice] : memref<64x64xf64>, vector<2xf64>
      affine.vector_store %v, %s[%ty, %twice] : memref<4x64xf64, #gpu.address_space<workgroup>>, vector<2xf64>
      gpu.barrier
      %w = affine.vector_load %s[%c0, %twice] : memref<4x64xf64, #gpu.address_space<workgroup>>, vector<2xf64>
      affine.vector_store %w, %B[%ty, 2] : memref<?x8xf64>, vector<2xf64>
      gpu.return
    }
    gpu.func @of_others(%A: memref<?xf32>, %B: memref<?xf32>, %C: memref<?xi64>, %D: memref<?xi64>, %E: memref<?xi32>, %F: memref<?xi32>) kernel {
      %a = affine.vector_load %A[4] : memref<?xf32>, vector<4xf32>
      affine.vector_store %a, %B[0] : memref<?xf32>, vector<4xf32>
      %c = affine.vector_load %C[4] : memref<?xi64>, vector<2xi64>
      affine.vector_store %c, %D[0] : memref<?xi64>, vector<2xi64>
      %e = affine.vector_load %E[4] : memref<?xi32>, vector<4xi32>
      affine.vector_store %e, %F[0] : memref<?xi32>, vector<4xi32>
      gpu.return
    }
  }
  func.func @run() {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %A = gpu.alloc() : memref<64x64xf64>
    %B = gpu.alloc(%c4) : memref<?x8xf64>
    %C = gpu.alloc(%c32) : memref<?xf32>
    %D = gpu.alloc(%c32) : memref<?xi64>
    %E = gpu.alloc(%c32) : memref<?xi32>
    %F = gpu.alloc(%c32) : memref<?xf32>
    %G = gpu.alloc(%c32) : memref<?xi64>
    %H = gpu.alloc(%c32) : memref<?xi32>
    gpu.launch_func @kernels::@of_doubles blocks in (%c1, %c1, %c1) threads in (%c32, %c4, %c1)
        args(%A : memref<64x64xf64>, %B : memref<?x8xf64>)
    gpu.launch_func @kernels::@of_others blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%C : memref<?xf32>, %F : memref<?xf32>, %D : memref<?xi64>, %G : memref<?xi64>, %E : memref<?xi32>, %H : memref<?xi32>)
    return
  }
}

// What is written is not constant.
// CHECK:      const double (*__restrict__ A)[64], double (*B)[8]
// CHECK:      __shared__ double s[4][64] __attribute__((__aligned__(16)));
// CHECK:      *(double2 *)&s[ty][twice] = *(const double2 *)&A[ty][twice];
// CHECK-NEXT: __syncthreads();
// CHECK-NEXT: *(double2 *)&B[ty][2] = *(const double2 *)&s[0][twice];
// CHECK:      *(float4 *)&B[0] = *(const float4 *)&A[4];
// CHECK-NEXT: *(longlong2 *)&D[0] = *(const longlong2 *)&C[4];
// CHECK-NEXT: *(int4 *)&F[0] = *(const int4 *)&E[4];

// OPENCL:      vstore2(vload2(0, &A[ty][twice]), 0, &s[ty][twice]);
// OPENCL:      vstore2(vload2(0, &s[0][twice]), 0, &B[ty][2]);
// OPENCL:      vstore4(vload4(0, &A[4]), 0, &B[0]);
// OPENCL-NEXT: "  vstore2(vload2(0, &C[4]), 0, &D[0]);
// OPENCL-NEXT: "  vstore4(vload4(0, &E[4]), 0, &F[0]);

// MLIR: *(double2 *)&{{.*}} = *(const double2 *)&
// MLIR: *(float4 *)&{{.*}}[0] = *(const float4 *)&{{.*}}[4];
