// RUN: polyir-opt --optimize="machine=%S/Inputs/four_cores.json" %s | filecheck %s
// RUN: polyir-opt --optimize="machine=%S/Inputs/four_cores.json" --emit=c %s | filecheck %s --check-prefix=EMIT
// RUN: polyir-opt --optimize="machine=%S/Inputs/four_cores.json" --emit=llvm %s | filecheck %s --check-prefix=LLVM
// RUN: polyir-opt --optimize="machine=%S/Inputs/four_cores.json threads=1" %s | filecheck %s --check-prefix=ALONE

// All sizes are known, and parallel loops are all that is gained.
// CHECK-LABEL: func.func @products
// CHECK: %[[ALWAYS:.+]] = arith.constant true
// CHECK-NEXT: scf.if %[[ALWAYS]] {
// CHECK: affine.parallel
// CHECK: } else {
// CHECK-NOT: affine.parallel
// CHECK: {polyir.versions, polyir.several_threads}
// EMIT: void products(
// EMIT-NEXT: if (polyir_threads() > 1) {
// EMIT-NEXT: #pragma omp parallel for
// LLVM: define void @"products"
// LLVM: load i64, i64* @"polyir_thread_count"
// ALONE-NOT: polyir.versions
func.func @products(%A: memref<90000xf32>, %B: memref<90000xf32>, %C: memref<90000xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 10000 {
    affine.for %j = 0 to 3 {
      affine.for %k = 0 to 3 {
        affine.store %zero, %C[%i * 9 + %j * 3 + %k] : memref<90000xf32>
        affine.for %l = 0 to 3 {
          %0 = affine.load %A[%i * 9 + %j * 3 + %l] : memref<90000xf32>
          %1 = affine.load %B[%i * 9 + %l * 3 + %k] : memref<90000xf32>
          %2 = arith.mulf %0, %1 : f32
          %3 = affine.load %C[%i * 9 + %j * 3 + %k] : memref<90000xf32>
          %4 = arith.addf %3, %2 : f32
          affine.store %4, %C[%i * 9 + %j * 3 + %k] : memref<90000xf32>
        }
      }
    }
  }
  return
}
