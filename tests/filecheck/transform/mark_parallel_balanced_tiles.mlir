// RUN: polyir-opt --split-input-file --tile=64 --mark-parallel=schedule=balanced --remarks --emit=c %s 2>&1 | filecheck %s
// RUN: polyir-opt --split-input-file --tile=48 --mark-parallel=schedule=balanced --remarks --emit=c %s 2>&1 | filecheck %s --check-prefix SMALL

// The last of the large tiles may be a small part of one.
func.func @unknown(%n: index, %A: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %d = arith.addf %a, %a : f64
      affine.store %d, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// CHECK: remark: [mark-parallel] the iterations of loop 1 around S0 do unequal work
// CHECK-LABEL: void unknown
// CHECK: #pragma omp parallel for schedule(dynamic)

// SMALL-NOT: schedule(dynamic)

// -----

func.func @all_equal(%A: memref<640x300xf64>) {
  affine.for %i = 0 to 640 {
    affine.for %j = 0 to 300 {
      %a = affine.load %A[%i, %j] : memref<640x300xf64>
      %d = arith.addf %a, %a : f64
      affine.store %d, %A[%i, %j] : memref<640x300xf64>
    }
  }
  return
}

// CHECK-LABEL: void all_equal
// CHECK-NOT: schedule(dynamic)

// -----

func.func @part_left(%A: memref<650x300xf64>) {
  affine.for %i = 0 to 650 {
    affine.for %j = 0 to 300 {
      %a = affine.load %A[%i, %j] : memref<650x300xf64>
      %d = arith.addf %a, %a : f64
      affine.store %d, %A[%i, %j] : memref<650x300xf64>
    }
  }
  return
}

// CHECK-LABEL: void part_left
// CHECK: #pragma omp parallel for schedule(dynamic)
