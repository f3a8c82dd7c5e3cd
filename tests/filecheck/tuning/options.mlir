// RUN: not polyir-tune %s.missing 2>&1 | filecheck %s --check-prefix FILE
// RUN: not polyir-tune %S/../equations/systems.alpha 2>&1 | filecheck %s --check-prefix EQUATIONS
// RUN: not polyir-tune --seconds=none %s 2>&1 | filecheck %s --check-prefix SECONDS
// RUN: not polyir-tune --trials=0 %s 2>&1 | filecheck %s --check-prefix TRIALS
// RUN: not polyir-tune %s 2>&1 | filecheck %s --check-prefix FUNCTION
// RUN: not polyir-tune --function=scal %s 2>&1 | filecheck %s --check-prefix NAME
// RUN: not polyir-tune --function=scale --size=m=3 %s 2>&1 | filecheck %s --check-prefix SIZE
// RUN: not polyir-tune --function=nothing --trials=1 %s 2>&1 | filecheck %s --check-prefix LOOP

// FILE: error: cannot read '{{.*}}options.mlir.missing': No such file or directory
// EQUATIONS: error: the module defines no function; polyir-opt makes functions of equations
// SECONDS: error: argument --seconds: expected a number of seconds, not 'none'
// TRIALS: error: argument --trials: expected a positive integer, not '0'
// FUNCTION: error: select a function with --function: scale, nothing
// NAME: error: no function named 'scal'; did you mean 'scale'?
// SIZE: error: no size argument named 'm'; known sizes: n
// LOOP: error: @nothing has no static control part that can be tuned

func.func @scale(%n: index, %A: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    %b = arith.addf %a, %a : f64
    affine.store %b, %A[%i] : memref<?xf64>
  }
  return
}

func.func @nothing() {
  return
}
