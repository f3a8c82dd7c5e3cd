// What cannot be modelled stays as it is, and is named with the reason and the place.
// RUN: polyir-opt --poly-raise --emit=poly --remarks %s 2>&1 >%t.mlir | filecheck %s --check-prefix REMARK
// RUN: filecheck %s --input-file %t.mlir
// RUN: polyir-opt --poly-raise --emit=poly %s 2>&1 >/dev/null | filecheck %s --check-prefix MISSED

func.func private @trace(index)

// CHECK-LABEL: func.func @partly
// CHECK: affine.for [[I:%[a-z_0-9]+]] = 0 to
// CHECK-NEXT: func.call @trace([[I]])
// CHECK-NEXT: poly.scop ([[I]] as "i") {
// CHECK-NEXT: poly.stmt @S0 domain "[i] -> { S0[j] : 0 <= j < i }"
// REMARK: left.mlir:{{[0-9]+}}:3: remark: [poly-raise] left as it is: `func.call` to @trace may touch memory
// MISSED-NOT: partly
func.func @partly(%n: index, %x: f64, %A: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    func.call @trace(%i) : (index) -> ()
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      affine.store %x, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// CHECK-LABEL: func.func @chase
// CHECK: scf.for
// CHECK-NOT: poly.scop
// MISSED: left.mlir:{{[0-9]+}}:1: warning: [poly-raise] @chase has no scop: a bound of `scf.for` is not affine: %end is not an affine function of iterators and parameters
func.func @chase(%n: index, %ends: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %end = memref.load %ends[%i] : memref<?xindex>
    scf.for %j = %c0 to %end step %c1 {
      func.call @trace(%j) : (index) -> ()
    }
  }
  return
}
