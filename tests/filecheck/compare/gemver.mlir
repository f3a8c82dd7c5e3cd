// RUN: polyir-opt --compare-schedules %S/../../../benchmarks/polybench/gemver.mlir | filecheck %s
// RUN: polyir-opt --compare-schedules %s 2>&1 | filecheck %s --check-prefix NOTHING

// CHECK: // schedules of @kernel_gemver:
// CHECK-NEXT: // scheduler    bands          outer  distance  apart  legal
// CHECK-NEXT: // original     1 1 1 1 1 1 1  4      6         6      yes
// CHECK-NEXT: // pluto        2 1 2          4      6         5      yes
// CHECK-NEXT: // feautrier    1 2 1 1 1      0      9 + 3*    0      yes
// CHECK-NEXT: // isl          2 2 2          5      9         3      yes
// CHECK-NEXT: // isl-builtin  2 2 2          5      9         3      yes
// CHECK-NEXT: // spatial      2 2 2          5      9         3      yes
// CHECK-NEXT: builtin.module {

// NOTHING: warning: [compare-schedules] nothing to compare: the module has no static control part

func.func @empty() {
  return
}
