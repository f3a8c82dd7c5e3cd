// RUN: polyir-opt --poly-raise --gpu-outline --emit=mlir %s | filecheck %s

// What is still a scop becomes loops first: a scop may have kernels.
// CHECK-NOT: poly.
// CHECK: gpu.func @f_0([[A:%.*]]: memref<?xf64>) kernel {
// CHECK: func.func @f([[N:%.*]]: index, [[A:%.*]]: memref<?xf64>) {
// CHECK-NEXT: affine.for [[I:%.*]] = 1 to [[N]] {
// CHECK-NEXT: [[V:%.*]] = affine.load [[A]][[[I]] - 1] : memref<?xf64>
// CHECK-NEXT: affine.store [[V]], [[A]][[[I]]] : memref<?xf64>
// CHECK-NEXT: }
// CHECK-NEXT: gpu.launch_func @f_kernels::@f_0
func.func @f(%n: index, %A: memref<?xf64>) {
  affine.for %i = 1 to %n {
    %v = affine.load %A[%i - 1] : memref<?xf64>
    affine.store %v, %A[%i] : memref<?xf64>
  }
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    %v = affine.load %A[symbol(%tx)] : memref<?xf64>
    affine.store %v, %A[symbol(%bx)] : memref<?xf64>
    gpu.terminator
  }
  return
}
