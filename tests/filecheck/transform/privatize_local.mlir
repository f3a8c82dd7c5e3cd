// RUN: polyir-opt --privatize=storage=local --mark-parallel --remarks %s 2>&1 | filecheck %s
// RUN: polyir-opt --privatize=storage=local --strip-mine="loop=S0.0 size=8" --distribute=loops=S1.1 --remarks --emit=c %s 2>&1 | filecheck %s --check-prefix STRIPS
// RUN: polyir-opt --privatize=storage=local --distribute=S1 %s 2>&1 | filecheck %s --check-prefix APART
// RUN: polyir-opt --privatize="storage=local loops=all" --tile="symbolic min-width=1" --emit=c %s 2>&1 | filecheck %s --check-prefix TILES
// RUN: not polyir-opt --privatize=storage=stack %s 2>&1 | filecheck %s --check-prefix OPTION

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

// A variable of the iteration, instead of a cell for each.
// CHECK: remark: [lower-poly] sum has a copy in each iteration of loop 1: memref<f64>
// CHECK: affine.parallel (%{{.*}}) = (0) to
// CHECK-NEXT:   %[[SUM:.*]] = memref.alloca() : memref<f64>
// CHECK-NEXT:   affine.store %zero, %[[SUM]][] : memref<f64>

// Eight iterations share a strip: as many elements are in use there at once.
// STRIPS: remark: [lower-poly] sum has a copy in each iteration of loop 1: memref<8xf64>
// STRIPS: for (int64_t ti = 0; ti < m; ti += 8) {
// STRIPS-NEXT: double sum[8];
// STRIPS: sum[i % 8] = 0.0;

// In nests of their own the statements share no iteration.
// APART: warning: [lower-poly] sum stays as it is: no loop keeps its values to one iteration, in 8192 elements or fewer
// APART: memref.alloc(%{{.*}}) : memref<?xf64>

// A tile has whole iterations of the loop that it cuts.
// TILES: for (int64_t i = ti; i < polyir_min(m, T0_used + ti); i++) {
// TILES-NEXT: double sum = 0.0;

// OPTION: error: option 'storage' of pass 'privatize' cannot be 'stack' (one of: expanded, local)
