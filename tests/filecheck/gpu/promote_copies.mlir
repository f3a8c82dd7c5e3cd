// RUN: polyir-opt --pluto-schedule --map-to-gpu="tile=32,32,16 block=32,8" --emit=cuda %s | filecheck %s
// RUN: polyir-opt --pluto-schedule --map-to-gpu="tile=32,32,16 block=32,8" --lower-poly --check-gpu --emit=none %s

// Threads that are neighbours along x copy neighbours in a row, and each thread sums up four
// elements in registers. Rows of 16 elements are shorter than a block is wide: the elements of the
// tile are numbered, and distributed to all 256 threads.
func.func @gemm(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
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

// CHECK-LABEL: __launch_bounds__(256) gemm_0(
// CHECK: __shared__ double A_shared[32][16];
// CHECK: __shared__ double B_shared[16][32];
// CHECK: double C_private[4];
// CHECK: C_private[3] = C[(ty + 32 * by + 24) * C_1 + tx + 32 * bx];
// CHECK: for (int64_t tk = 0; tk < n; tk += 16) {
// CHECK: A_shared[2 * t1 + tx / 16][tx % 16] = A[(32 * by + 2 * t1 + tx / 16) * A_1 + tx % 16
// CHECK: for (int64_t t1 = ty; t1 < polyir_min(16, n - tk); t1 += 8) {
// CHECK-NEXT: B_shared[t1][tx] = B[(tk + t1) * B_1 + tx + 32 * bx];
// CHECK: __syncthreads();
// CHECK: const double b = B_shared[k - tk][tx];
// CHECK: C_private[3] += A_shared[ty + 24][k - tk] * b;
// CHECK: __syncthreads();
// CHECK: C[(ty + 32 * by + 24) * C_1 + tx + 32 * bx] = C_private[3];

// Columns are read: rows of the tile are padded, so that the elements of a column are in different banks.
func.func @transpose(%n: index, %S: memref<?x?xf64>, %T: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %0 = affine.load %S[%j, %i] : memref<?x?xf64>
      affine.store %0, %T[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// CHECK-LABEL: __launch_bounds__(256) transpose_0(
// CHECK: __shared__ double S_shared[32][33];
// CHECK: S_shared[t0][tx] = S[(32 * bx + t0) * S_1 + tx + 32 * by];
// CHECK: __syncthreads();
// CHECK: T[i * T_1 + tx + 32 * bx] = S_shared[tx][i - 32 * by];
