// RUN: polyir-opt --split-input-file --mark-parallel=schedule=balanced --remarks --emit=poly %s 2>&1 | filecheck %s
// RUN: polyir-opt --split-input-file --tile=32 --mark-parallel=schedule=balanced --remarks --emit=poly %s 2>&1 | filecheck %s
// RUN: polyir-opt --split-input-file --mark-parallel=schedule=balanced --emit=c %s 2>&1 | filecheck %s --check-prefix C
// RUN: polyir-opt --split-input-file --mark-parallel="loops=S0.0 schedule=balanced" --convert-parallel-to-omp --emit=c %s 2>&1 | filecheck %s --check-prefix C
// RUN: not polyir-opt --mark-parallel=schedule=guided %s 2>&1 | filecheck %s --check-prefix KIND

// In a triangle, later iterations do more.
func.func @triangle(%n: index, %A: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %d = arith.addf %a, %a : f64
      affine.store %d, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// CHECK: remark: [mark-parallel] loop 1 around S0 is parallel
// CHECK: remark: [mark-parallel] the iterations of loop 1 around S0 do unequal work
// CHECK: loop_attributes {{\[\[}}#poly.parallel, #poly.dynamic]
// C-LABEL: void triangle
// C: #pragma omp parallel for schedule(dynamic)

// -----

// Of a rectangle, only what is left at a border is smaller.
func.func @rectangle(%n: index, %m: index, %A: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %d = arith.addf %a, %a : f64
      affine.store %d, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// CHECK-LABEL: func.func @rectangle
// CHECK: loop_attributes {{\[\[}}#poly.parallel]
// C-LABEL: void rectangle
// C: #pragma omp parallel for{{$}}

// -----

// The same with constant sizes.
func.func @constant_triangle(%A: memref<100x100xf64>) {
  affine.for %i = 0 to 100 {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %a = affine.load %A[%i, %j] : memref<100x100xf64>
      %d = arith.addf %a, %a : f64
      affine.store %d, %A[%i, %j] : memref<100x100xf64>
    }
  }
  return
}

// CHECK-LABEL: func.func @constant_triangle
// CHECK: loop_attributes {{\[\[}}#poly.parallel, #poly.dynamic]
// C-LABEL: void constant_triangle
// C: #pragma omp parallel for schedule(dynamic)

// -----

func.func @constant_rectangle(%A: memref<100x100xf64>) {
  affine.for %i = 0 to 100 {
    affine.for %j = 0 to 100 {
      %a = affine.load %A[%i, %j] : memref<100x100xf64>
      %d = arith.addf %a, %a : f64
      affine.store %d, %A[%i, %j] : memref<100x100xf64>
    }
  }
  return
}

// CHECK-LABEL: func.func @constant_rectangle
// CHECK: loop_attributes {{\[\[}}#poly.parallel]
// C-LABEL: void constant_rectangle
// C: #pragma omp parallel for{{$}}

// KIND: error: {{.*}}schedule
