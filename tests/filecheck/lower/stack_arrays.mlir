// An array on the stack is before the sequential loops around it, where mlir-opt gives its memory
// back; but inside of parallel loops, where each thread has one.
// RUN: polyir-opt %s | filecheck %s
// RUN: polyir-opt --convert-parallel-to-omp %s | filecheck %s --check-prefix TEAM
// RUN: polyir-opt --convert-parallel-to-omp %s | polyir-opt --emit=llvm - | filecheck %s --check-prefix LLVM
// RUN: polyir-opt --promote="arrays=A loop=S0.1 space=stack" %s | filecheck %s --check-prefix PROMOTED
// RUN: polyir-opt --promote="arrays=A loop=S0.1 space=stack" --emit=c %s | filecheck %s --check-prefix C

// CHECK-LABEL: func.func @rows
// CHECK-NEXT: %[[S:s]] = memref.alloca() : memref<2xf64>
// CHECK-NEXT: affine.for
// CHECK-NEXT: affine.parallel
// CHECK-NEXT: %[[T:t]] = memref.alloca() : memref<4xf64>
// CHECK-NEXT: affine.for
// CHECK-NEXT: affine.if
// CHECK-NEXT: %[[D:d]] = memref.alloca(%{{.*}}) : memref<?xf64>
// CHECK-NOT: alloca

// TEAM-LABEL: func.func @rows
// TEAM-NEXT: %[[S:s]] = memref.alloca() : memref<2xf64>
// TEAM-NEXT: affine.for
// TEAM: omp.parallel
// TEAM-NEXT: %[[T:t]] = memref.alloca() : memref<4xf64>
// TEAM-NEXT: omp.wsloop

// LLVM: define internal void @"rows_part_0"
// LLVM: alloca [4 x double]
// LLVM-NOT: alloca

func.func @rows(%A: memref<?x?xf64>, %n: index) {
  affine.for %k = 0 to %n {
    affine.parallel (%i) = (0) to (%n) {
      affine.for %j = 0 to %n {
        affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%j) {
          %t = memref.alloca() : memref<4xf64>
          %d = memref.alloca(%j) : memref<?xf64>
          %a = affine.load %A[%i, %j] : memref<?x?xf64>
          affine.store %a, %t[1] : memref<4xf64>
          affine.store %a, %d[0] : memref<?xf64>
          %b = affine.load %t[1] : memref<4xf64>
          affine.store %b, %A[%i, %j - 1] : memref<?x?xf64>
        }
      }
    }
    %s = memref.alloca() : memref<2xf64>
    %c = affine.load %A[%k, 0] : memref<?x?xf64>
    affine.store %c, %s[0] : memref<2xf64>
  }
  return
}

// What is not in a loop stays where it is, and so does what may be used in a later iteration.
// CHECK-LABEL: func.func @stays
// CHECK: scf.if
// CHECK-NEXT: memref.alloca() : memref<4xf64>
// CHECK: scf.while
// CHECK: memref.alloca() : memref<8xf64>
func.func @stays(%x: memref<f64>, %p: i1) {
  scf.if %p {
    %t = memref.alloca() : memref<4xf64>
    %a = memref.load %x[] : memref<f64>
    affine.store %a, %t[0] : memref<4xf64>
  }
  scf.while : () -> () {
    scf.condition(%p)
  } do {
    %t = memref.alloca() : memref<8xf64>
    %a = memref.load %x[] : memref<f64>
    affine.store %a, %t[0] : memref<8xf64>
    scf.yield
  }
  return
}

// C declares the array where it is used.
// PROMOTED-LABEL: func.func @sums
// PROMOTED-NEXT: %A_local = memref.alloca() : memref<8xf64>
// PROMOTED-NEXT: affine.for
// C-LABEL: void sums
// C: for (int64_t i = 0; i < n; i++) {
// C-NEXT: for (int64_t j = 0; j < n; j++) {
// C-NEXT: double A_local[8];
func.func @sums(%n: index, %A: memref<?x8xf64>, %x: memref<f64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to 8 {
        %a = affine.load %A[%i, %k] : memref<?x8xf64>
        %b = affine.load %x[] : memref<f64>
        %c = arith.addf %a, %b : f64
        affine.store %c, %x[] : memref<f64>
      }
    }
  }
  return
}
