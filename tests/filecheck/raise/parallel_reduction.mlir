// What parallel loops reduce becomes memory, as what sequential loops carry does.
// RUN: polyir-opt --poly-raise --emit=poly %s | filecheck %s

// CHECK-LABEL: func.func @sum
// CHECK: %[[CELL:.*]] = memref.alloca() : memref<f64>
// CHECK: poly.stmt @S0
// CHECK: affine.store %{{.*}}, %[[CELL]][] : memref<f64>
// CHECK: poly.stmt @S1 domain "[n] -> { S1[i] : 0 <= i < n }" (%[[I:.*]]) {
// CHECK: %[[OLD:.*]] = affine.load %[[CELL]][] : memref<f64>
// CHECK: %[[NEW:.*]] = arith.addf %[[OLD]], %{{.*}} : f64
// CHECK: affine.store %[[NEW]], %[[CELL]][] : memref<f64>
// CHECK: %[[RESULT:.*]] = affine.load %[[CELL]][] : memref<f64>
// CHECK: func.return %[[RESULT]] : f64
func.func @sum(%A: memref<?xf64>, %n: index) -> f64 {
  %r = affine.parallel (%i) = (0) to (symbol(%n)) reduce ("addf") -> f64 {
    %a = affine.load %A[%i] : memref<?xf64>
    affine.yield %a : f64
  }
  return %r : f64
}

// CHECK-LABEL: func.func @half
// CHECK: affine.store %{{.*}}, %[[TOTAL:.*]][] : memref<f64>
// CHECK: poly.stmt @S1 domain "[n] -> { S1[i] : 0 <= i < n }"
// CHECK: %[[LEFT:.*]] = affine.load %[[TOTAL]][] : memref<f64>
// CHECK: %[[HALF:.*]] = arith.mulf %[[LEFT]], %{{.*}} : f64
// CHECK: %[[SUM:.*]] = arith.addf %[[HALF]], %{{.*}} : f64
// CHECK: affine.store %[[SUM]], %[[TOTAL]][] : memref<f64>
func.func @half(%A: memref<?xf64>, %n: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.constant 0.5 : f64
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%half) -> f64 {
    %a = memref.load %A[%i] : memref<?xf64>
    scf.reduce(%a : f64) {
    ^bb0(%x: f64, %y: f64):
      %h = arith.mulf %x, %half : f64
      %t = arith.addf %h, %y : f64
      scf.reduce.return %t : f64
    }
  }
  return %r : f64
}
