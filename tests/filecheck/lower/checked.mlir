// RUN: not polyir-opt %s 2>&1 | filecheck %s --check-prefix ORDER
// RUN: not polyir-opt --emit=c %s 2>&1 | filecheck %s --check-prefix ORDER
// RUN: not polyir-opt --emit=llvm %s 2>&1 | filecheck %s --check-prefix ORDER
// RUN: not polyir-opt --poly-dependences %s 2>&1 | filecheck %s --check-prefix ORDER
// RUN: not polyir-opt --promote="loop=S0.0 arrays=A" %s 2>&1 | filecheck %s --check-prefix ORDER
// RUN: polyir-opt --no-check %s | filecheck %s --check-prefix UNCHECKED
// RUN: polyir-opt --lower-poly=check=false %s | filecheck %s --check-prefix UNCHECKED
// RUN: sed 's/(-i)/(i)/' %s > %t.legal
// RUN: polyir-opt %t.legal | filecheck %s --check-prefix LEGAL
// RUN: polyir-opt --check-schedule --emit=none %t.legal 2>&1 | filecheck %s --check-prefix HOLDS

// What passes change is proved. A schedule that is read from text is not: it is checked before loops
// are made of it, in each way that leads there.

func.func @sweep(%A: memref<?xf64>, %n: index) {
  poly.scop (%n as "n") context "[n] -> {  :  }" dependences <value, [flow "A" "[n] -> { S0[i] -> S0[i' = 1 + i] : 0 < i <= -2 + n }"]> {
    poly.stmt @S0 domain "[n] -> { S0[i] : 0 < i < n }" (%i) {
      %0 = affine.load %A[%i - 1] : memref<?xf64>
      affine.store %0, %A[%i] : memref<?xf64>
    }
    poly.domain "[n] -> { S0[i] : 0 < i < n }" {
      poly.band "[n] -> [{ S0[i] -> [(-i)] }]" coincident [false]
    }
  }
  return
}

// ORDER: checked.mlir:{{[0-9]+}}:3: error: the schedule violates the flow dependence through A: S0[1] must run before S0[2] (n = 3)
// ORDER-NOT: {{.}}sweep

// UNCHECKED: affine.for %t0 = affine_map<()[s0] -> (-s0 + 1)>()[%n] to 0

// LEGAL: affine.for %i = 1 to %n

// HOLDS: remark: [check-schedule] the only dependence holds
