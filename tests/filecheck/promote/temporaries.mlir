// RUN: polyir-opt --privatize --promote --mark-parallel --remarks %s 2>&1 | filecheck %s
// RUN: polyir-opt --privatize --strip-mine="loop=S0.0 size=8" --distribute=loops=S1.1 --promote --remarks --emit=c %s 2>&1 | filecheck %s --check-prefix STRIPS
// RUN: polyir-opt --privatize --distribute=S1 --promote=sum %s 2>&1 | filecheck %s --check-prefix APART
// RUN: polyir-opt --privatize=loops=all --tile-symbolic="min-width=1" --promote --remarks --emit=c %s 2>&1 | filecheck %s --check-prefix TILES
// RUN: polyir-opt --privatize --promote --emit=poly %s | polyir-opt --mark-parallel | filecheck %s --check-prefix TEXT

// A temporary is local to the loop that needs the fewest elements of it at a time, without copies.

func.func @row_sums(%m: index, %n: index, %A: memref<?x?xf64>, %out: memref<?xf64>) {
  %zero = arith.constant 0.0 : f64
  %sum = memref.alloca() : memref<f64>
  affine.for %i = 0 to %m {
    affine.store %zero, %sum[] : memref<f64>
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %old = affine.load %sum[] : memref<f64>
      %new = arith.addf %old, %a : f64
      affine.store %new, %sum[] : memref<f64>
    }
    %total = affine.load %sum[] : memref<f64>
    affine.store %total, %out[%i] : memref<?xf64>
  }
  return
}

// CHECK: remark: [promote] an iteration of loop 1 keeps one element of sum in sum_local, without copies
// CHECK-NOT: memref.alloc(
// CHECK: affine.parallel (%{{.*}}) = (0) to
// CHECK-NEXT:   %[[SUM:.*]] = memref.alloca() : memref<f64>
// CHECK-NEXT:   affine.store %zero, %[[SUM]][] : memref<f64>

// Eight iterations share a strip: as many elements are in use there at once.
// STRIPS: remark: [promote] an iteration of loop 1 keeps 8 elements of sum in sum_local, without copies
// STRIPS: for (int64_t ti = 0; ti < m; ti += 8) {
// STRIPS-NEXT: double sum_local[8];
// STRIPS: sum_local[i - ti] = 0.0;

// In nests of their own the statements share no iteration.
// APART: warning: [promote] sum was not promoted: no loop uses each of its values in a single iteration, and at most 8192 values per iteration
// APART: memref.alloc(%{{.*}}) : memref<?xf64>

// A tile has whole iterations of the loop that it cuts.
// TILES: for (int64_t i = ti; i < polyir_min(m, T0_used + ti); i++) {
// TILES-NEXT: double sum_local = 0.0;

// TEXT: affine.parallel
// TEXT-NEXT: memref.alloca() : memref<f64>
