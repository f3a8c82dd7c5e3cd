// RUN: polyir-opt --pluto-schedule --tile=8,16,4 --promote="arrays=A,B loop=S1.2 alignment=64" --remarks --emit=poly %s 2>&1 | filecheck %s
// RUN: polyir-opt --pluto-schedule --tile=8,16,4 --promote="arrays=A,B loop=S1.2 alignment=64" --mark-parallel --emit=c %s | filecheck %s --check-prefix EMITTED
// RUN: polyir-opt --pluto-schedule --tile=8 --promote="arrays=A loop=S1.2 alignment=128 space=heap" --emit=c %s | filecheck %s --check-prefix HEAP
// RUN: polyir-opt --pluto-schedule --tile=8 --promote="arrays=A loop=S1.2 alignment=128 space=heap" --emit=llvm %s | filecheck %s --check-prefix LLVM

// Both operands of a product are packed for each tile.

func.func @gemm(%m: index, %n: index, %p: index, %beta: f64, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %c = affine.load %C[%i, %j] : memref<?x?xf64>
      %scaled = arith.mulf %c, %beta : f64
      affine.store %scaled, %C[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %p {
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %old = affine.load %C[%i, %j] : memref<?x?xf64>
        %product = arith.mulf %a, %b : f64
        %new = arith.addf %old, %product : f64
        affine.store %new, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// CHECK: remark: [promote] an iteration of S1.2 keeps 8 x 4 elements of A in A_local, copied in
// CHECK: remark: [promote] an iteration of S1.2 keeps 4 x 16 elements of B in B_local, copied in
// CHECK: %A_local = poly.local_array @A_local stack alignment 64 : memref<8x4xf64>
// CHECK-NEXT: %B_local = poly.local_array @B_local stack alignment 64 : memref<4x16xf64>

// EMITTED: double A_local[8][4] __attribute__((__aligned__(64)));
// EMITTED-NEXT: double B_local[4][16] __attribute__((__aligned__(64)));
// EMITTED-NEXT: for (int64_t a0 = ti; a0 < polyir_min(m, ti + 8); a0++) {
// EMITTED-NEXT: for (int64_t a1 = tk; a1 < polyir_min(p, tk + 4); a1++) {
// EMITTED-NEXT: A_local[a0 - ti][a1 - tk] = A[a0][a1];
// EMITTED-NEXT: }
// EMITTED-NEXT: }
// EMITTED-NEXT: for (int64_t b0 = tk; b0 < polyir_min(p, tk + 4); b0++) {
// EMITTED-NEXT: for (int64_t b1 = tj; b1 < polyir_min(n, tj + 16); b1++) {
// EMITTED-NEXT: B_local[b0 - tk][b1 - tj] = B[b0][b1];
// EMITTED-NEXT: }
// EMITTED-NEXT: }
// EMITTED-NEXT: for (int64_t i = ti; i < polyir_min(m, ti + 8); i++) {
// EMITTED-NEXT: for (int64_t j = tj; j < polyir_min(n, tj + 16); j++) {
// EMITTED-NEXT: for (int64_t k = tk; k < polyir_min(p, tk + 4); k++) {
// EMITTED-NEXT: C[i][j] += A_local[i - ti][k - tk] * B_local[k - tk][j - tj];

// HEAP: void *aligned_alloc(size_t alignment, size_t size);
// HEAP: double (*restrict A_local)[8] = aligned_alloc(128, (sizeof(double) * 8 * 8 + 127) / 128 * 128);
// HEAP-NEXT: if (A_local) {
// HEAP: for (int64_t tk
// HEAP: A_local[a0 - ti][a1 - tk] = A[a0][a1];
// HEAP: } else {
// HEAP: free(A_local);
// HEAP-NEXT: }

// LLVM: call ccc ptr @"aligned_alloc"(i64 128, i64 %
