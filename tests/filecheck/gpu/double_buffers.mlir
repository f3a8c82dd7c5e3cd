// RUN: polyir-opt --isl-schedule --map-to-gpu="buffers=2" --remarks --emit=poly %s 2>&1 | filecheck %s
// RUN: polyir-opt --isl-schedule --map-to-gpu="buffers=2" --lower-poly %s | filecheck %s --check-prefix CODE
// RUN: polyir-opt --isl-schedule --map-to-gpu="buffers=2" --emit=cuda %s | filecheck %s --check-prefix CUDA
// RUN: polyir-opt --isl-schedule --map-to-gpu="buffers=2" --lower-poly --gpu-outline --convert-affine-to-scf %s | mlir-opt-19 --verify-each

// While a block computes with a tile of A and of B, it copies the next ones to the other halves.
func.func @product(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %0 = arith.mulf %a, %b : f64
        %1 = arith.addf %c, %0 : f64
        affine.store %1, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// CHECK:      remark: [gpu-promote] S0: of A, a block keeps 2 x 32 x 32 elements in shared memory, 16384 bytes (A_shared), copied in, one iteration ahead
// CHECK-NEXT: remark: [gpu-promote] S0: of B, a block keeps 2 x 32 x 32 elements in shared memory, 16384 bytes (B_shared), copied in, one iteration ahead
// CHECK-NEXT: remark: [gpu-promote] S0: of C, a thread keeps 4 elements in registers (C_private), copied in and out
// CHECK-NEXT: remark: [gpu-synchronise] a barrier before S0, A_next, B_next
// CHECK-NEXT: remark: [gpu-synchronise] a barrier after each iteration of loop 3 around S0, A_next, B_next
// CHECK:      poly.local_array @A_shared workgroup : memref<2x32x32xf64>
// CHECK:      poly.stmt @A_next domain "[n] -> { A_next[t0, t1, t2, a0, a1] : {{.*}}0 < t2 < n
// CHECK:        affine.store {{.*}}, %A_shared{{\[}}[[TILE:%.*]] floordiv 32 - [[TILE]] floordiv 64 * 2, 
// CHECK:      poly.mark #poly.local<@C_private
// CHECK:        poly.mark #poly.local<@A_shared {{.*}}A_shared[(floor((k)/32) - 2*floor((k)/64)),
// CHECK-NEXT:     poly.mark #poly.local<@B_shared
// CHECK:            poly.filter {{.*}}{ A_in[
// CHECK:            poly.filter {{.*}}{ B_in[
// CHECK:            poly.filter {{.*}}{ barrier
// CHECK-NEXT:       poly.filter {{.*}}S0[i, j, k]
// CHECK-NEXT:         poly.band {{.*}}A_next[t0, t1, t2, a0, a1] -> [(-32 + t2)]{{.*}}" permutable {
// CHECK:                poly.filter {{.*}}{ A_next[
// CHECK:                poly.filter {{.*}}{ B_next[
// CHECK:                poly.filter {{.*}}{ S0[
// CHECK:                poly.filter {{.*}}{ barrier

// CODE:       affine.store {{.*}}, %A_shared[0, {{.*}}, %tx]
// CODE:       affine.store {{.*}}, %B_shared[0, {{.*}}, %tx]
// CODE:       gpu.barrier
// CODE-NEXT:  affine.for %tk = 0 to %n step 32 {
// CODE:         affine.load %A_dev[%by * 32 + {{.*}}, %tx + %tk + 32]
// CODE-NEXT:    affine.store {{.*}}, %A_shared[(%tk floordiv 32 + 1) mod 2, {{.*}}, %tx]
// CODE-NOT:     gpu.barrier
// CODE:         affine.for %k
// CODE:           affine.load %A_shared[%tk floordiv 32 mod 2, %ty, %k - %tk]
// CODE:           affine.load %B_shared[%tk floordiv 32 mod 2, %k - %tk, %tx]
// CODE:         gpu.barrier
// CODE-NEXT:  }
// CODE-NOT:   gpu.barrier

// CUDA: __shared__ double A_shared[2][32][32];
// CUDA: A_shared[(tk / 32 + 1) % 2][
