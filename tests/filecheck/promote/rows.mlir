// RUN: polyir-opt --promote="arrays=p loop=S0.1 space=heap" --remarks --emit=c %s 2>&1 | filecheck %s
// RUN: polyir-opt --promote="arrays=p loop=S0.1 space=heap" --emit=poly %s | filecheck %s --check-prefix POLY
// RUN: not polyir-opt --promote="arrays=p loop=S0.1 space=heap padding=1" %s 2>&1 | filecheck %s --check-prefix PADDING
// RUN: not polyir-opt --promote="arrays=p loop=S0.1 space=heap reverse=1" %s 2>&1 | filecheck %s --check-prefix REVERSE
// RUN: polyir-opt --promote="arrays=p loop=S0.1 space=heap" --emit=poly %s | sed 's/(d0 - 1, 1)/(d0 - 2, 1)/' | not polyir-opt --check-schedule - 2>&1 | filecheck %s --check-prefix SMALL
// RUN: polyir-opt --promote="arrays=p loop=S0.1 space=heap" --emit=poly %s | sed 's/affine.max .*/arith.muli %n, %n : index/' | not polyir-opt --check-schedule - 2>&1 | filecheck %s --check-prefix UNKNOWN
// RUN: polyir-opt --promote="arrays=p loop=S0.1 space=heap" --emit=poly %s | sed 's/heap(.*) :/heap :/' | not polyir-opt --check-schedule - 2>&1 | filecheck %s --check-prefix OPERANDS
// RUN: polyir-opt --promote="arrays=p loop=S0.1 space=heap" --emit=poly %s | sed 's/heap(/stack(/' | not polyir-opt --check-schedule - 2>&1 | filecheck %s --check-prefix STACK
// RUN: polyir-opt --promote="arrays=p loop=S0.1 space=heap" --mark-parallel --emit=c %s | filecheck %s --check-prefix THREADS
// RUN: not polyir-opt --promote="arrays=p loop=S0.1" %s 2>&1 | filecheck %s --check-prefix CONSTANT

// On the heap, a local array may have sizes that depend on parameters. What a later iteration of %t
// overwrites before anything reads it is not copied out.

func.func @sweeps(%steps: index, %n: index, %u: memref<?x?xf64>, %p: memref<?x?xf64>) {
  affine.for %t = 0 to %steps {
    affine.for %i = 0 to %n {
      affine.for %j = 1 to %n {
        %0 = affine.load %u[%i, %j - 1] : memref<?x?xf64>
        affine.store %0, %p[%i, %j] : memref<?x?xf64>
      }
      affine.for %j = 1 to %n {
        %0 = affine.load %p[%i, %n - %j] : memref<?x?xf64>
        affine.store %0, %u[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// CHECK: remark: [promote] an iteration of S0.1 keeps ? elements of p in p_local, copied out
// CHECK: const int64_t [[SIZE:.*]] = polyir_max(n - 1, 1);
// CHECK: double *restrict p_local = malloc(sizeof(double) * [[SIZE]]);
// CHECK-NEXT: if (p_local) {
// CHECK-NEXT: for (int64_t {{.*}} = 0; {{.*}} < steps
// CHECK-NEXT: for (int64_t i = 0; i < n; i++) {
// CHECK-NEXT: for (int64_t j = 1; j < n; j++) {
// CHECK-NEXT: p_local[j - 1] = u[i][j - 1];
// CHECK-NEXT: }
// CHECK-NEXT: for (int64_t j = 1; j < n; j++) {
// CHECK-NEXT: u[i][j] = p_local[n - j - 1];
// CHECK-NEXT: }
// CHECK-NEXT: if (steps - {{.*}} == 1) {
// CHECK-NEXT: for (int64_t p1 = 1; p1 < n; p1++) {
// CHECK-NEXT: p[i][p1] = p_local[p1 - 1];
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: } else {
// CHECK: free(p_local);

// A parallel loop has one array in each thread, all others use the same one in all iterations.
// THREADS: double (*restrict p_local_by_thread)[{{.*}}] = malloc
// THREADS: for (int64_t {{.*}} < steps
// THREADS-NEXT: #pragma omp parallel for
// THREADS-NEXT: for (int64_t i = 0; i < n; i++) {
// THREADS-NEXT: double *restrict p_local = p_local_by_thread[polyir_thread()];
// THREADS: free(p_local_by_thread);

// POLY: [[SIZE:%.*]] = affine.max {{.*}}
// POLY: poly.local_array @p_local heap([[SIZE]]) : memref<?xf64>

// PADDING: error: p cannot be promoted: the size of a row depends on parameters: no padding

// REVERSE: error: p cannot be promoted: a size depends on parameters, so that dimension cannot run backwards

// CONSTANT: error: p cannot be promoted: the elements that an iteration of S0.1 touches fit in no rectangle of constant size; tile the loops first, or use the heap

// SMALL: error: @S0 accesses the local array @p_local outside of its extents

// UNKNOWN: error: a size of the local array @p_local:

// OPERANDS: needs one operand for each dynamic size

// STACK: has dynamic sizes, so it must be on the heap
