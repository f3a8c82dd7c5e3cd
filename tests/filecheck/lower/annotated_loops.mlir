// The attribute that a pass gives a member of a band is on the loop, and in the emitted code.
// DEFINE: %{passes} = --tile=32 --mark-parallel --annotate-loop="loop=S0.3 attribute='#poly.vector<8>'" --annotate-loop="loop=S0.2 attribute='#poly.unroll<4>'"
// RUN: polyir-opt %{passes} --emit=poly %s | filecheck %s --check-prefix TREE
// RUN: polyir-opt %{passes} %s | filecheck %s
// RUN: polyir-opt %{passes} --convert-affine-to-scf %s | filecheck %s --check-prefix SCF
// RUN: polyir-opt %{passes} --emit=c %s | filecheck %s --check-prefix C
// RUN: polyir-opt %{passes} --emit=c %s | gcc -O2 -Wall -Wextra -Werror -fopenmp -x c -c -o /dev/null -
// RUN: polyir-opt %{passes} --emit=llvm %s | filecheck %s --check-prefix LLVM

// TREE: loop_attributes {{\[\[#poly.parallel\], \[\]\]}}
// TREE: loop_attributes {{\[\[#poly.unroll<4>\], \[#poly.vector<8>\]\]}}

// CHECK:       affine.parallel
// CHECK-NEXT:    affine.for
// CHECK-NEXT:      affine.for
// CHECK-NEXT:        affine.for
// CHECK:             } {poly.vector = #poly.vector<8>}
// CHECK-NEXT:      } {poly.unroll = #poly.unroll<4>}
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// SCF: } {poly.vector = #poly.vector<8>}
// SCF: } {poly.unroll = #poly.unroll<4>}

// C:      #pragma omp parallel for
// C-NEXT: for (
// C-NEXT:   for (
// C-NEXT:     #pragma GCC unroll 4
// C-NEXT:     for (
// C-NEXT:       #pragma omp simd simdlen(8)
// C-NEXT:       for (

// LLVM-DAG: !"llvm.loop.vectorize.width", i32 8
// LLVM-DAG: !"llvm.loop.unroll.count", i32 4
func.func @scale(%n: index, %A: memref<?x?xf64>) {
  %two = arith.constant 2.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = arith.mulf %a, %two : f64
      affine.store %b, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
