// scf, generic forms, blocks, locations and comments.
#loc = loc("kernel.c":3:4)
func.func @loops(%n: index, %i32: i32, %A: memref<?xf64>) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %A[%i] : memref<?xf64>
    memref.store %x, %A[%i] : memref<?xf64>
  } {polyir.note}
  scf.for %i = %i32 to %i32 step %i32 : i32 {
  }
  %sum, %last = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero, %l = %zero) -> (f64, f64) {
    %x = memref.load %A[%i] : memref<?xf64>
    %s1 = arith.addf %s, %x : f64
    scf.yield %s1, %x : f64, f64
  }
  %p = arith.cmpf ogt, %sum, %zero : f64
  scf.if %p {
    memref.store %sum, %A[%c0] : memref<?xf64>
  }
  %q = scf.if %p -> f64 {
    scf.yield %sum : f64
  } else {
    scf.yield %last : f64
  }
  scf.if %p {
  } else {
    memref.store %q, %A[%c0] : memref<?xf64>
  }
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
    memref.store %q, %A[%i] : memref<?xf64>
    scf.reduce
  }
  %r:2 = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%zero, %zero) -> (f64, f64) {
    %x = memref.load %A[%i] : memref<?xf64>
    scf.reduce(%x, %x : f64, f64) {
    ^bb0(%a: f64, %b: f64):
      %s = arith.addf %a, %b : f64
      scf.reduce.return %s : f64
    }, {
    ^bb0(%a: f64, %b: f64):
      %s = arith.maximumf %a, %b : f64
      scf.reduce.return %s : f64
    }
  }
  return %r#0 : f64 loc("kernel.c":7:1)
}
func.func @generic(%n: index, %A: memref<?xf64>) {
  %0 = "arith.constant"() <{value = 4 : index}> : () -> index
  %1 = "arith.addi"(%n, %0) <{overflowFlags = #arith.overflow<nsw>}> {polyir.note = dense<[1, 2]> : tensor<2xi64>} : (index, index) -> index
  "affine.for"(%1) <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 1, 0>, step = 1 : index, upperBoundMap = affine_map<()[s0] -> (s0)>}> ({
  ^bb0(%i: index):
    %x = "affine.load"(%A, %i) <{map = affine_map<(d0) -> (d0)>}> : (memref<?xf64>, index) -> f64
    "affine.store"(%x, %A, %i) <{map = affine_map<(d0) -> (d0)>}> : (f64, memref<?xf64>, index) -> ()
    "affine.if"(%i) ({
      "affine.yield"() : () -> ()
    }, {
    }) {condition = affine_set<(d0) : (d0 >= 0)>} : (index) -> ()
    "affine.yield"() : () -> ()
  }) : (index) -> ()
  %2 = "arith.constant"() <{value = 1.0 : f64}> : () -> f64
  "memref.store"(%2, %A, %n) : (f64, memref<?xf64>, index) -> ()
  "func.return"() : () -> ()
}
func.func @located(%n: index loc(#loc)) -> index {
  %x = arith.addi %n, %n : index loc(fused["kernel.c":4:2, "other.c":1:1])
  %y = arith.addi %x, %n : index loc(callsite("inner"("kernel.c":1:2) at unknown))
  %z = arith.addi %y, %n : index loc(#loc) // a comment
  return %z : index loc(unknown)
} loc("f")
