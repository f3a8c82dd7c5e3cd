// An `affine.parallel` without counters runs once, in every target.
// RUN: polyir-opt --emit=c %s | filecheck %s
// RUN: polyir-opt --emit=llvm %s | filecheck %s --check-prefix LLVM
// RUN: polyir-opt --convert-affine-to-scf %s | filecheck %s --check-prefix SCF
// RUN: polyir-opt --convert-parallel-to-omp --convert-affine-to-scf %s | filecheck %s --check-prefix OMP
// RUN: polyir-opt %s | mlir-opt-19 -o /dev/null

// CHECK-LABEL: void store(double A[restrict 4], double x) {
// CHECK-NEXT:   A[0] = x;
// CHECK-NEXT:   #pragma omp parallel for
// CHECK-NEXT:   for (int64_t i = 0; i < 4; i++) {
// LLVM-LABEL: @"store"
// LLVM: store double
// SCF-LABEL: @store
// SCF: scf.if %{{.*}} {
// SCF-NEXT: arith.constant 0 : index
// SCF-NEXT: memref.store %x
// SCF: scf.parallel (%i)
// OMP-LABEL: @store
// OMP: scf.if
// OMP: omp.parallel
func.func @store(%A: memref<4xf64>, %x: f64) {
  affine.parallel () = () to () {
    affine.store %x, %A[0] : memref<4xf64>
    affine.parallel (%i) = (0) to (4) {
      affine.store %x, %A[%i] : memref<4xf64>
    }
  }
  return
}

// CHECK-LABEL: void nothing(void) {
// CHECK-NEXT: }
func.func @nothing() {
  affine.parallel () = () to () {
  }
  return
}

// CHECK-LABEL: double sum(double x) {
// CHECK: += x
// LLVM-LABEL: @"sum"
// SCF-LABEL: @sum
// SCF: %[[NEUTRAL:.*]] = arith.constant 0.0
// SCF: scf.if %{{.*}} -> (f64) {
// SCF-NEXT: arith.addf %[[NEUTRAL]], %x
func.func @sum(%x: f64) -> f64 {
  %s = affine.parallel () = () to () reduce ("addf") -> f64 {
    affine.yield %x : f64
  }
  return %s : f64
}
