// RUN: polyir-opt --print-dependences --emit=none %s 2>&1 | filecheck %s
// RUN: polyir-opt --isl-schedule=live-range-reordering --emit=none %s 2>&1 | filecheck %s --check-prefix LIVE

// LIVE: warning: [isl-schedule] the schedule is left as it was: the analysis of value-based dependences takes isl more than {{[0-9]+}} operations

// Value-based dependences of such subscripts are hard; memory-based ones are found at once.
// CHECK:      warning: [poly-dependences] the analysis of value-based dependences takes isl more than {{[0-9]+}} operations: memory-based ones are used
// CHECK-NOT:  warning
// CHECK:      // memory-based dependences in @rings:
// CHECK-NEXT: // flow    R  S0 -> S0
// CHECK-NEXT: // anti    R  S0 -> S0
// CHECK-NEXT: // output  R  S0 -> S0
func.func @rings(%R: memref<40xf64>, %n: index) {
  affine.for %a = 2 to %n step 5 {
    affine.for %b = affine_map<(d0) -> (d0 mod 3)>(%a) to min affine_map<(d0)[s0] -> (3 * d0, s0)>(%a)[%n] step 2 {
      %x = affine.load %R[(%a + %b) mod 11] : memref<40xf64>
      affine.store %x, %R[(2 * %a + 3 * %b) mod 13 + 2] : memref<40xf64>
    }
  }
  return
}
