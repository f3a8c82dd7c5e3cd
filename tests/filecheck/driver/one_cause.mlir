// RUN: polyir-opt --pluto-schedule --tile=8 --mark-parallel --check-schedule --print-dependences --remarks --emit=none %s 2>&1 | filecheck %s
// RUN: polyir-opt --pluto-schedule --tile=8 --mark-parallel --emit=none %s 2>&1 | filecheck %s --check-prefix QUIET

// What cannot be raised is said once, however many passes need it.

// CHECK:      one_cause.mlir:{{[0-9]+}}:1: warning: [poly-raise] @calls has no scop: `func.call` to @trace may touch memory
// CHECK-NEXT: one_cause.mlir:{{[0-9]+}}:1: warning: [poly-raise] @vectors has no scop: `scf.for` carries a value of type tensor<8xf64>
// CHECK-NOT:  remark
// CHECK-NOT:  warning
// QUIET-COUNT-2: warning: [poly-raise]
// QUIET-NOT: warning
func.func private @trace(f64)
func.func @calls(%A: memref<?xf64>, %n: index) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    func.call @trace(%a) : (f64) -> ()
    func.call @trace(%a) : (f64) -> ()
    affine.store %a, %A[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    func.call @trace(%a) : (f64) -> ()
    affine.store %a, %A[%i] : memref<?xf64>
  }
  return
}
func.func @vectors(%A: tensor<8xf64>, %n: index) -> tensor<8xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %A) -> (tensor<8xf64>) {
    %a = tensor.extract %x[%i] : tensor<8xf64>
    %y = tensor.insert %a into %x[%c0] : tensor<8xf64>
    %z = tensor.insert %a into %y[%c1] : tensor<8xf64>
    scf.yield %z : tensor<8xf64>
  }
  return %r : tensor<8xf64>
}
