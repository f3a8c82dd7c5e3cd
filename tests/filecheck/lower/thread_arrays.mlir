// What each iteration of a parallel loop allocates and frees, each thread allocates once. Iterations
// allocate what has another size in each of them, and what they free on some paths only.
// RUN: polyir-opt --emit=c %s | filecheck %s --check-prefix C
// RUN: polyir-opt --emit="c{openmp=false}" %s | filecheck %s --check-prefix SEQUENTIAL
// RUN: polyir-opt --convert-parallel-to-omp %s | filecheck %s
// RUN: polyir-opt --convert-parallel-to-omp --emit=c %s | filecheck %s --check-prefix TEAM
// RUN: polyir-opt --emit=llvm %s | filecheck %s --check-prefix LLVM
// RUN: polyir-opt --convert-parallel-to-omp --emit=llvm %s | filecheck %s --check-prefix LLVM

// C-LABEL: void rows
// C: #pragma omp parallel
// C-NEXT: {
// C-NEXT: double (*restrict t)[2] = aligned_alloc(64, {{.*}} m {{.*}});
// C-NEXT: #pragma omp for nowait schedule(dynamic)
// C-NEXT: for (int64_t i = 0; i < n; i++) {
// C-NEXT: double *restrict s = malloc(sizeof(double) * i);
// C-NOT: free(t)
// C: free(s);
// C-NEXT: }
// C-NEXT: free(t);
// C-NEXT: }
// C-NEXT: }

// SEQUENTIAL-LABEL: void rows
// SEQUENTIAL-NOT: pragma
// SEQUENTIAL: for (int64_t i = 0; i < n; i++) {
// SEQUENTIAL-NEXT: double (*restrict t)[2] = aligned_alloc

// CHECK-LABEL: func.func @rows
// CHECK: omp.parallel {
// CHECK-NEXT: %[[T:t]] = memref.alloc(%m) {alignment = 64 : i64} : memref<?x2xf64>
// CHECK-NEXT: omp.wsloop {
// CHECK-NEXT: omp.loop_nest (%[[I:i]]) : index
// CHECK-NEXT: %[[S:s]] = memref.alloc(%[[I]]) : memref<?xf64>
// CHECK: memref.dealloc %[[S]]
// CHECK-NEXT: omp.yield
// CHECK: memref.dealloc %[[T]]
// CHECK-NEXT: "omp.terminator"

// TEAM-LABEL: void rows
// TEAM: #pragma omp parallel
// TEAM-NEXT: {
// TEAM-NEXT: double (*restrict t)[2] = aligned_alloc
// TEAM-NEXT: #pragma omp for schedule(dynamic)
// TEAM: free(s);
// TEAM-NEXT: }
// TEAM-NEXT: free(t);

// LLVM-LABEL: define internal void @"rows_part_0"
// LLVM: call {{.*}} @"aligned_alloc"
// LLVM: %"i" = phi
// LLVM: call {{.*}} @"malloc"
// LLVM: call {{.*}} @"free"
// LLVM: br
// LLVM: call {{.*}} @"free"
// LLVM-NEXT: ret void
func.func @rows(%A: memref<?x?xf64>, %n: index, %m: index) {
  affine.parallel (%i) = (0) to (%n) {
    %t = memref.alloc(%m) {alignment = 64} : memref<?x2xf64>
    %s = memref.alloc(%i) : memref<?xf64>
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.store %a, %t[%m - %j - 1, 1] : memref<?x2xf64>
      affine.store %a, %s[0] : memref<?xf64>
    }
    affine.for %j = 0 to %m {
      %a = affine.load %t[%j, 1] : memref<?x2xf64>
      affine.store %a, %A[%i, %j] : memref<?x?xf64>
    }
    memref.dealloc %t : memref<?x2xf64>
    memref.dealloc %s : memref<?xf64>
  } {poly.dynamic = #poly.dynamic}
  return
}

// Without threads of its own, a nested loop is as it was. So is one in which not every path frees.
// C-LABEL: void nested
// C: #pragma omp parallel for
// C-NEXT: for (int64_t i = 0; i < n; i++) {
// C-NEXT: for (int64_t j = 0; j < n; j++) {
// C-NEXT: double *restrict t = malloc(sizeof(double) * 8);
// C-LABEL: void leaves
// C: #pragma omp parallel for
// C-NEXT: for (int64_t i = 0; i < n; i++) {
// C-NEXT: double *restrict t = malloc(sizeof(double) * 8);
func.func @nested(%A: memref<?x?xf64>, %n: index) {
  affine.parallel (%i) = (0) to (%n) {
    affine.parallel (%j) = (0) to (%n) {
      %t = memref.alloc() : memref<8xf64>
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.store %a, %t[3] : memref<8xf64>
      %b = affine.load %t[3] : memref<8xf64>
      affine.store %b, %A[%i, %j] : memref<?x?xf64>
      memref.dealloc %t : memref<8xf64>
    }
  }
  return
}
func.func @leaves(%A: memref<?xf64>, %n: index) {
  affine.parallel (%i) = (0) to (%n) {
    %t = memref.alloc() : memref<8xf64>
    %a = affine.load %A[%i] : memref<?xf64>
    affine.store %a, %t[3] : memref<8xf64>
    %b = affine.load %t[3] : memref<8xf64>
    affine.store %b, %A[%i] : memref<?xf64>
    affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%i) {
      memref.dealloc %t : memref<8xf64>
    }
  }
  return
}
