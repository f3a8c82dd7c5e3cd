// RUN: polyir-opt --split-input-file --optimize="machine=%S/Inputs/four_cores.json" %s | filecheck %s
// RUN: polyir-opt --split-input-file --optimize="machine=%S/Inputs/four_cores.json" --remarks --emit=none %s 2>&1 | filecheck %s --check-prefix=SAID
// RUN: polyir-opt --split-input-file --optimize="machine=%S/Inputs/four_cores.json" --emit=c %s | filecheck %s --check-prefix=EMIT
// RUN: polyir-opt --split-input-file --optimize="machine=%S/Inputs/four_cores.json" --emit=llvm %s | filecheck %s --check-prefix=LLVM

// The sizes are values that are computed at the entry; both versions use them, and both return.
// CHECK-LABEL: func.func @transpose
// CHECK-NEXT: %n = arith.index_cast %n32 : i32 to index
// CHECK: %m = memref.dim %A, %c1
// CHECK: %[[WORK:.+]] = arith.mulf
// CHECK: %[[IS_LARGE:.+]] = arith.cmpf oge, %[[WORK]], %{{.+}} : f64
// CHECK-NEXT: %[[ARE_LARGE:.+]] = arith.andi %{{.+}}, %[[IS_LARGE]] : i1
// CHECK-NEXT: %[[RESULT:.+]] = scf.if %[[ARE_LARGE]] -> (f64) {
// CHECK: affine.parallel (%{{.+}}) = (0) to (symbol(%n))
// CHECK: scf.yield
// CHECK: } else {
// CHECK-NOT: affine.parallel
// CHECK: affine.for %{{.+}} = 0 to %n {
// CHECK-NEXT: affine.for %{{.+}} = 0 to %m {
// CHECK: scf.yield
// CHECK: func.return %[[RESULT]] : f64

// SAID: remark: [optimize] with n * m below {{[0-9]+}} or n below {{[0-9]+}}, the original order runs

// EMIT-LABEL: double transpose(
// EMIT: if ((n >= {{[0-9]+}}) & ((double)n * (double)A_1 >= {{[0-9]+}}.0) && polyir_threads() > 1) {
// EMIT-NEXT: #pragma omp parallel for
// EMIT: } else {
// EMIT-NEXT: for (int64_t i = 0; i < n; i++) {
// EMIT-NEXT: for (int64_t j = 0; j < A_1; j++) {
// EMIT-NEXT: B[i][j] = exp(A[j][i] * 2.0);

// LLVM: fcmp oge double
func.func @transpose(%n32: i32, %A: memref<?x?xf64>, %B: memref<?x?xf64>) -> f64 {
  %n = arith.index_cast %n32 : i32 to index
  %c1 = arith.constant 1 : index
  %m = memref.dim %A, %c1 : memref<?x?xf64>
  %two = arith.constant 2.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%j, %i] : memref<?x?xf64>
      %b = arith.mulf %a, %two : f64
      %e = math.exp %b : f64
      affine.store %e, %B[%i, %j] : memref<?x?xf64>
    }
  }
  %c0 = arith.constant 0 : index
  %r = memref.load %B[%c0, %c0] : memref<?x?xf64>
  return %r : f64
}

// -----

// One size: it is compared as it is.
// CHECK-LABEL: func.func @square
// CHECK: arith.cmpi sge, %n, %{{.+}} : index
// SAID: remark: [optimize] with n below {{[0-9]+}}, the original order runs

// EMIT-LABEL: void square(
// EMIT: if (n >= {{[0-9]+}} && polyir_threads() > 1) {
// EMIT-NEXT: #pragma omp parallel for
func.func @square(%n: index, %A: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %e = math.exp %a : f64
      affine.store %e, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// -----

// The smaller product is part of the larger one; packed operands get memory if they are used.
// CHECK-LABEL: func.func @product
// SAID: remark: [optimize] with n * m * p below {{[0-9]+}}, the original order runs

// EMIT-LABEL: void product(
// EMIT: if ((double)n * (double)m * (double)p >= {{[0-9]+}}.0) {
// EMIT-NEXT: = aligned_alloc(
func.func @product(%n: index, %m: index, %p: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.store %zero, %C[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %p {
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %ab = arith.mulf %a, %b : f64
        %s = arith.addf %c, %ab : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// -----

// The number of rows is only known once the first loop has run: there is one version.
// CHECK-LABEL: func.func @counted
// CHECK-NOT: polyir.versions
// SAID: remark: [optimize] chosen:
// SAID-NOT: the original order runs
func.func @counted(%N: memref<index>, %A: memref<?x1000xf64>) {
  %n = memref.load %N[] : memref<index>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 1000 {
      %a = affine.load %A[%i, %j] : memref<?x1000xf64>
      %e = math.exp %a : f64
      affine.store %e, %A[%i, %j] : memref<?x1000xf64>
    }
  }
  return
}

// -----

// All sizes are known: only the number of threads is not.
// CHECK-LABEL: func.func @known
// CHECK: {polyir.versions, polyir.several_threads}
// SAID: remark: [optimize] chosen:
// SAID-NOT: the original order runs
func.func @known(%A: memref<1000x1000xf64>) {
  affine.for %i = 0 to 1000 {
    affine.for %j = 0 to 1000 {
      %a = affine.load %A[%i, %j] : memref<1000x1000xf64>
      %e = math.exp %a : f64
      affine.store %e, %A[%i, %j] : memref<1000x1000xf64>
    }
  }
  return
}
