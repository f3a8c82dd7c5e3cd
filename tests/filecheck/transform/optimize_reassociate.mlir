// RUN: polyir-opt --optimize="machine=%S/Inputs/four_cores.json reassociate=true" --remarks --emit=mlir %s 2>&1 | filecheck %s
// RUN: polyir-opt --optimize=reassociate --emit=mlir %s 2>&1 | filecheck %s --check-prefix FLAG
// RUN: polyir-opt --optimize="machine=%S/Inputs/four_cores.json" --emit=mlir %s 2>&1 | filecheck %s --check-prefix ORDER

// FLAG: vector<{{.*}}xf64>
// ORDER-NOT: vector<

// Threads share the sum, each in vectors.
func.func @dot(%A: memref<4000000xf64>, %B: memref<4000000xf64>, %s: memref<f64>) {
  affine.for %i = 0 to 4000000 {
    %a = affine.load %A[%i] : memref<4000000xf64>
    %b = affine.load %B[%i] : memref<4000000xf64>
    %x = affine.load %s[] : memref<f64>
    %p = arith.mulf %a, %b : f64
    %y = arith.addf %x, %p : f64
    affine.store %y, %s[] : memref<f64>
  }
  return
}

// CHECK: remark: [optimize] reductions: {{.*}} ms
// CHECK: remark: [mark-parallel] loop 1 around S0 has partial results of 4096 iterations
// CHECK: affine.parallel (%{{.+}}) = (0) to (977)
// CHECK: iter_args({{.*}}) -> (vector<8xf64>, vector<8xf64>, vector<8xf64>, vector<8xf64>)

// A short sum in each iteration of a loop around: no threads, but vectors.
func.func @recurrence(%x: memref<500xf64>, %y: memref<500xf64>) {
  affine.for %k = 1 to 500 {
    affine.for %i = 0 to affine_map<(d0) -> (d0)>(%k) {
      %a = affine.load %x[%k - %i - 1] : memref<500xf64>
      %b = affine.load %y[%k] : memref<500xf64>
      %p = arith.addf %b, %a : f64
      affine.store %p, %y[%k] : memref<500xf64>
    }
    %c = affine.load %y[%k] : memref<500xf64>
    %d = affine.load %x[%k - 1] : memref<500xf64>
    %e = arith.divf %c, %d : f64
    affine.store %e, %x[%k] : memref<500xf64>
  }
  return
}

// CHECK-LABEL: func.func @recurrence
// CHECK-NOT: affine.parallel
// CHECK: affine.vector_load %x
