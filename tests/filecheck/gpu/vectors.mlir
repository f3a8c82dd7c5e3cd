// RUN: polyir-opt --isl-schedule --map-to-gpu=limit=20000 --remarks --emit=poly %s -o %t.mlir 2>%t.remarks
// RUN: cat %t.remarks %t.mlir | filecheck %s
// RUN: polyir-opt --lower-poly %t.mlir | filecheck %s --check-prefix CODE
// RUN: polyir-opt --emit=cuda %t.mlir | filecheck %s --check-prefix CUDA
// RUN: polyir-opt --emit=opencl %t.mlir | filecheck %s --check-prefix OPENCL
// RUN: polyir-opt --isl-schedule --map-to-gpu="limit=20000 vectors=none" --lower-poly %s | filecheck %s --check-prefix NONE
// RUN: polyir-opt --isl-schedule --map-to-gpu="limit=20000 assume-on-device=true" --lower-poly %s | filecheck %s --check-prefix NONE
// RUN: polyir-opt --isl-schedule --map-to-gpu="limit=20000 padding=1" --lower-poly %s | filecheck %s --check-prefix NONE
// RUN: polyir-opt --isl-schedule --map-to-gpu="limit=20000 padding=2" --lower-poly %s | filecheck %s --check-prefix PADDED
// RUN: polyir-opt --lower-poly=assume-on-device=true %t.mlir | filecheck %s --check-prefix SPLIT
// RUN: polyir-opt --lower-poly --gpu-outline --convert-affine-to-scf --check-gpu %t.mlir | mlir-opt-19 --verify-each | filecheck %s --check-prefix MLIR

// A thread copies two neighbours at once: rows of 80 and of 96 elements begin at even addresses.
func.func @product(%A: memref<64x80xf64>, %B: memref<80x96xf64>, %C: memref<64x96xf64>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 96 {
      affine.for %k = 0 to 80 {
        %a = affine.load %A[%i, %k] : memref<64x80xf64>
        %b = affine.load %B[%k, %j] : memref<80x96xf64>
        %c = affine.load %C[%i, %j] : memref<64x96xf64>
        %0 = arith.mulf %a, %b : f64
        %1 = arith.addf %c, %0 : f64
        affine.store %1, %C[%i, %j] : memref<64x96xf64>
      }
    }
  }
  return
}

// CHECK:      remark: [gpu-promote] S0: of A, a block keeps 32 x 32 elements in shared memory, 8192 bytes (A_shared), copied in (vectors of 2)
// CHECK-NEXT: remark: [gpu-promote] S0: of B, a block keeps 32 x 32 elements in shared memory, 8192 bytes (B_shared), copied in (vectors of 2)
// CHECK-NEXT: remark: [gpu-promote] S0: of C, a thread keeps 4 elements in registers (C_private), copied in and out
// CHECK:      poly.local_array @A_shared workgroup alignment 16 : memref<32x32xf64>
// CHECK:      poly.stmt @A_in domain "{ A_in[t0, t1, t2, a0, a1] : {{.*}}(a1) mod 2 = 0
// CHECK-NEXT:   [[VECTOR:%.*]] = affine.vector_load %A[%a0, %a1] : memref<64x80xf64>, vector<2xf64>
// CHECK-NEXT:   affine.vector_store [[VECTOR]], %A_shared[%a0 - %t0, %a1 - %t2] : memref<32x32xf64>, vector<2xf64>

// CODE:      memref.alloca() {alignment = 16 : i64} : memref<32x32xf64, #gpu.address_space<workgroup>>
// CODE:      affine.for [[ROW:%.*]] = %ty to 16 step 8 {
// CODE-NEXT:   affine.vector_load %A_dev[%by * 32 + [[ROW]] * 2 + %tx floordiv 16, %tx mod 16 * 2 + %tk] : memref<64x80xf64>, vector<2xf64>
// CODE-NEXT:   affine.vector_store {{.*}}, %A_shared{{\[}}[[ROW]] * 2 + %tx floordiv 16, %tx mod 16 * 2] : memref<32x32xf64, #gpu.address_space<workgroup>>, vector<2xf64>

// CUDA: __shared__ double A_shared[32][32] __attribute__((__aligned__(16)));
// CUDA: *(double2 *)&A_shared{{.*}} = *(const double2 *)&A[

// OPENCL: __local double A_shared[32][32] __attribute__((__aligned__(16)));
// OPENCL: vstore2(vload2(0, &A[

// NONE-NOT: vector

// PADDED: affine.vector_store {{.*}} : memref<32x34xf64, #gpu.address_space<workgroup>>, vector<2xf64>

// SPLIT-NOT:  vector
// SPLIT:      [[FIRST:%.*]] = affine.load %A[{{.*}}, %tx mod 16 * 2 + %tk] : memref<64x80xf64>
// SPLIT-NEXT: [[SECOND:%.*]] = affine.load %A[{{.*}}, %tx mod 16 * 2 + %tk + 1] : memref<64x80xf64>
// SPLIT-NEXT: affine.store [[FIRST]], %A_shared[{{.*}}, %tx mod 16 * 2]
// SPLIT-NEXT: affine.store [[SECOND]], %A_shared[{{.*}}, %tx mod 16 * 2 + 1]
// SPLIT-NOT:  vector

// MLIR: vector.load {{.*}} : memref<64x80xf64>, vector<2xf64>
// MLIR: vector.store
