// Division and remainder round as in MLIR's affine dialect, whatever the signs.
// RUN: polyir-opt --convert-affine-to-scf %s | filecheck %s

// CHECK-LABEL: func.func @divisions
// CHECK: scf.for %[[I:i]] =
// CHECK: %[[THREE:.*]] = arith.constant 3 : index
// CHECK: %[[QUOTIENT:.*]] = arith.floordivsi %[[I]], %[[THREE]] : index
// CHECK-NEXT: %[[MULTIPLE:.*]] = arith.muli %[[QUOTIENT]], %[[THREE]] : index
// CHECK-NEXT: %[[REMAINDER:.*]] = arith.subi %[[I]], %[[MULTIPLE]] : index
// CHECK: %[[CEILING:.*]] = arith.ceildivsi %[[I]], %{{.*}} : index
// CHECK-NEXT: memref.load %[[A:A]][%[[REMAINDER]], %[[CEILING]]] : memref<?x?xf64>
// CHECK-NOT: affine
func.func @divisions(%A: memref<?x?xf64>, %B: memref<?xf64>, %n: index) {
  affine.for %i = max affine_map<(d0)[s0] -> (d0 - s0, -7)>(%n)[%n] to min affine_map<()[s0] -> (s0, s0 * 2)>()[%n] step 2 {
    %a = affine.load %A[%i mod 3, %i ceildiv 4] : memref<?x?xf64>
    affine.if affine_set<(d0)[s0] : (d0 floordiv 2 - s0 >= 0, d0 mod 5 == 0)>(%i)[%n] {
      affine.store %a, %B[symbol(%n) - %i] : memref<?xf64>
    }
  }
  return
}

// CHECK-LABEL: func.func @values
// CHECK: %[[RESULT:.*]] = scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[SUM:.*]] = %{{.*}}) -> (f64) {
// CHECK: %[[CHOSEN:.*]] = scf.if %{{.*}} -> (f64) {
// CHECK: scf.yield %[[SUM]] : f64
// CHECK: } else {
// CHECK: scf.yield %[[CHOSEN]] : f64
// CHECK: func.return %[[RESULT]] : f64
func.func @values(%A: memref<?xf64>, %n: index) -> f64 {
  %zero = arith.constant 0.0 : f64
  %result = affine.for %i = 0 to %n iter_args(%sum = %zero) -> (f64) {
    %chosen = affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%i) -> (f64) {
      affine.yield %sum : f64
    } else {
      %low = affine.min affine_map<(d0)[s0] -> (d0, s0 - 1)>(%i)[%n]
      %a = memref.load %A[%low] : memref<?xf64>
      %next = arith.addf %sum, %a : f64
      affine.yield %next : f64
    }
    affine.yield %chosen : f64
  }
  return %result : f64
}
