// Atomic updates in C, in LLVM IR, and as mlir-opt lowers them.
// RUN: polyir-opt --irregular-reductions=method=atomics --emit=c %s | filecheck %s --check-prefix=C
// RUN: polyir-opt --irregular-reductions=method=atomics --emit=c %s | gcc -std=c99 -fopenmp -Wall -Wextra -Wpedantic -Werror -x c -c - -o %t.o
// RUN: polyir-opt --irregular-reductions=method=atomics --emit=c %s | clang-19 -std=c99 -fopenmp -Wall -Wextra -Werror -x c -c - -o %t.o
// RUN: polyir-opt --irregular-reductions=method=atomics --emit=llvmir %s | filecheck %s --check-prefix=LLVM
// RUN: polyir-opt --irregular-reductions=method=atomics --lower-to-llvm %s | mlir-opt-19 --verify-each | filecheck %s --check-prefix=DIALECT
// RUN: polyir-opt --irregular-reductions=method=atomics %s | mlir-opt-19 --lower-affine --finalize-memref-to-llvm | filecheck %s --check-prefix=MLIR

// C:      #pragma omp parallel for
// C:        #pragma omp atomic
// C-NEXT:   *(uint64_t *)&sum[{{.*}}] += (uint64_t)
// C:        #pragma omp atomic compare
// C-NEXT:   greatest[{{.*}}] = [[V:.*]] > greatest[{{.*}}] ? [[V]] : greatest
// C:        #pragma omp atomic compare
// C-NEXT:   least[{{.*}}] = [[V]] < least[{{.*}}] ? [[V]] : least
// C:        #pragma omp atomic
// C-NEXT:   bits[{{.*}}] |=
// C:        #pragma omp atomic
// C-NEXT:   common[{{.*}}] &=

// LLVM: atomicrmw add ptr %{{.*}}, i64 %{{.*}} monotonic
// LLVM: atomicrmw max ptr %{{.*}}, i64 %{{.*}} monotonic
// LLVM: atomicrmw min ptr %{{.*}}, i64 %{{.*}} monotonic
// LLVM: atomicrmw or ptr %{{.*}}, i32 %{{.*}} monotonic
// LLVM: atomicrmw and ptr %{{.*}}, i32 %{{.*}} monotonic
// LLVM-NOT: polyir.atomicrmw

// DIALECT: llvm.atomicrmw add %{{.*}}, %{{.*}} monotonic : !llvm.ptr, i64
// DIALECT: llvm.atomicrmw max %{{.*}}, %{{.*}} monotonic : !llvm.ptr, i64
// DIALECT: llvm.atomicrmw min %{{.*}}, %{{.*}} monotonic : !llvm.ptr, i64
// DIALECT: llvm.atomicrmw _or %{{.*}}, %{{.*}} monotonic : !llvm.ptr, i32
// DIALECT: llvm.atomicrmw _and %{{.*}}, %{{.*}} monotonic : !llvm.ptr, i32

// MLIR: llvm.atomicrmw add
// MLIR: llvm.atomicrmw max
// MLIR: llvm.atomicrmw min
// MLIR: llvm.atomicrmw _or
// MLIR: llvm.atomicrmw _and
func.func @integers(%n: index, %p: memref<?xindex>, %e: memref<?xi64>, %m: memref<?xi32>, %sum: memref<?xi64>, %greatest: memref<?xi64>, %least: memref<?xi64>, %bits: memref<?xi32>, %common: memref<?xi32>) {
  affine.for %i = 0 to %n {
    %j = affine.load %p[%i] : memref<?xindex>
    %v = affine.load %e[%i] : memref<?xi64>
    %w = affine.load %m[%i] : memref<?xi32>
    %s = memref.load %sum[%j] : memref<?xi64>
    %s_new = arith.addi %s, %v : i64
    memref.store %s_new, %sum[%j] : memref<?xi64>
    %g = memref.load %greatest[%j] : memref<?xi64>
    %g_new = arith.maxsi %g, %v : i64
    memref.store %g_new, %greatest[%j] : memref<?xi64>
    %l = memref.load %least[%j] : memref<?xi64>
    %l_new = arith.minsi %l, %v : i64
    memref.store %l_new, %least[%j] : memref<?xi64>
    %b = memref.load %bits[%j] : memref<?xi32>
    %b_new = arith.ori %b, %w : i32
    memref.store %b_new, %bits[%j] : memref<?xi32>
    %c = memref.load %common[%j] : memref<?xi32>
    %c_new = arith.andi %c, %w : i32
    memref.store %c_new, %common[%j] : memref<?xi32>
  }
  return
}
