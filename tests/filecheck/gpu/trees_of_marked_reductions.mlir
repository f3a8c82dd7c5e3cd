// RUN: polyir-opt --poly-dependences=reassociate=true --isl-schedule=outer-coincidence --reassociate --map-to-gpu=sequential=device --emit=cuda --remarks %s 2>&1 | filecheck %s

// The largest element of a matrix: parts of it by blocks, each as a tree.
func.func private @fmax(f64, f64) -> f64 attributes {llvm.readnone}
func.func @largest(%n: index, %A: memref<?x?xf64>, %s: memref<f64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %old = affine.load %s[] : memref<f64>
      %new = func.call @fmax(%old, %a) : (f64, f64) -> f64
      affine.store %new, %s[] : memref<f64>
    }
  }
  return
}

// Sums of columns: neighbouring threads for neighbouring columns.
func.func @columns(%n: index, %A: memref<?x?xf64>, %y: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %old = affine.load %y[%j] : memref<?xf64>
      %new = arith.addf %old, %a : f64
      affine.store %new, %y[%j] : memref<?xf64>
    }
  }
  return
}

// CHECK: remark: [reassociate] S0: the maximum in s is computed in 256 parts of 256 lanes
// CHECK: remark: [reassociate] S0: each sum in y is computed in 8 lanes, 32 at a time
// CHECK: remark: [gpu-map] S0, S0_init, S0_tree2, S0_tree4, S0_result: blocks of 32 x 8 threads
// CHECK-LABEL: __launch_bounds__(256) largest_0(
// CHECK:         s_partial_shared[tx] = NAN;
// CHECK:         s_partial_shared[tx] = polyir_maxnum_f64(s_partial_shared[tx], A[i * A_1 + j]);
// CHECK:         __syncthreads();
// CHECK:         s_partial_shared[tx] = polyir_maxnum_f64(s_partial_shared[tx], s_partial_shared[tx + 128]);
// CHECK:         s_part[bx] = polyir_maxnum_f64(s_partial_shared[0], s_partial_shared[1]);
// CHECK-LABEL: __launch_bounds__(128) largest_1(
// CHECK:         *s = polyir_maxnum_f64(*s, polyir_maxnum_f64(s_part_shared[0], s_part_shared[1]));
// CHECK-LABEL: __launch_bounds__(256) columns_0(
// CHECK:         y_partial_shared[ty][tx] += A[i * A_1 + tx + 32 * bx];
// CHECK:         y_partial_shared[ty][tx] += y_partial_shared[ty + 4][tx];
