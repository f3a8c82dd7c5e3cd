// RUN: polyir-opt --register-tile="rows=2 vectors=1 width=4 masked=true tiles=4,8,6 shared-tiles=4,2048,6" --mark-parallel=schedule=balanced --vectorize --pack=ahead=true --remarks --split-input-file %s 2>&1 | filecheck %s
// RUN: polyir-opt --register-tile="rows=2 vectors=1 width=4 masked=true tiles=4,8,6 shared-tiles=4,2048,6" --mark-parallel --vectorize --pack --emit=c --split-input-file %s | filecheck %s --check-prefix TEXT
// RUN: not polyir-opt --register-tile="rows=2 vectors=1 width=4 tiles=4,8,6 shared-tiles=3,8,6" %s 2>&1 | filecheck %s --check-prefix WHOLE
// RUN: not polyir-opt --register-tile="shared-tiles=8,24,6" %s 2>&1 | filecheck %s --check-prefix ALONE

// WHOLE: error: shared-tiles must hold whole blocks of 2 x 4: shared-tiles=3,8,6
// ALONE: error: shared-tiles needs tiles, for where rows are not parallel

// Tiles of rows are parallel: threads fill the columns of B together, and each packs rows of A.
func.func @product(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %p = arith.mulf %a, %b : f64
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// CHECK:       remark: [register-tile] tiles of 2048 x 6 x 4 along loops 2, 3, 1 around the blocks
// The loop over tiles of 2048 columns has few iterations, though they are parallel.
// CHECK:       remark: [mark-parallel] loop 3 around S0 is parallel
// CHECK-NOT:   unequal
// CHECK:       remark: [pack] packs 4 elements in each iteration of %tj2, %k in %B_packed
// CHECK:       remark: [pack] packs 2 elements in each iteration of %ti2, %k in %A_packed{{$}}
// CHECK-LABEL: func.func @product
// CHECK:         %B_packed = memref.alloc() {alignment = 64 : i64} : memref<12288xf64>
// CHECK-NEXT:    affine.for %tj = 0 to %n step 2048
// CHECK-NEXT:      affine.for %tk = 0 to %n step 6
// CHECK:             affine.parallel (%tj2) = (%tj) to (min(%tj + 2048, symbol(%n))) step (4)
// CHECK:               affine.vector_store {{.*}}, %B_packed[
// CHECK:             affine.parallel (%ti) = (0) to (symbol(%n)) step (4)
// CHECK-NEXT:          %A_packed = memref.alloc() {alignment = 64 : i64} : memref<24xf64>
// CHECK:               memref.dealloc %A_packed
// CHECK:         memref.dealloc %B_packed

// TEXT-LABEL: void product(
// TEXT:       double *restrict B_packed = aligned_alloc(64,
// TEXT:       double (*restrict A_packed_by_thread)[24] = aligned_alloc(64,
// TEXT:       if (B_packed && A_packed_by_thread) {
// TEXT-NEXT:  for (int64_t tj = 0; tj < n; tj += 2048) {
// TEXT-NEXT:    for (int64_t tk = 0; tk < n; tk += 6) {
// TEXT:           #pragma omp parallel for
// TEXT-NEXT:      for (int64_t tj2 = tj;
// TEXT:           #pragma omp parallel for
// TEXT-NEXT:      for (int64_t ti = 0; ti < n; ti += 4) {
// TEXT-NEXT:        double *restrict A_packed = A_packed_by_thread[polyir_thread()];
// Where there is not enough memory, the original code runs.
// TEXT:       } else {
// TEXT:         for (int64_t i = 0; i < n; i++) {
// TEXT:         C[i][j]
// TEXT:       free(A_packed_by_thread);
// TEXT-NEXT:  free(B_packed);

// -----

// In a triangle, rows do unequal work. The bounds of the columns that are packed have divisions.
func.func @triangle(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to %n {
      affine.for %k = 0 to %n {
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %p = arith.mulf %a, %b : f64
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// CHECK:       remark: [mark-parallel] the iterations of loop 3 around S0 do unequal work
// CHECK:       remark: [pack] packs 4 elements in each iteration of %tj2, %k in %B_packed
// CHECK:       remark: [pack] packs 2 elements in each iteration of %ti2, %k in %A_packed{{$}}

// -----

// Each row needs later ones, of the tile too: the sizes are those of `tiles`, and columns are
// parallel.
func.func @in_place(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = affine_map<(d0) -> (d0 + 1)>(%i) to %n {
        %a = affine.load %A[%k, %i] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %c = affine.load %B[%i, %j] : memref<?x?xf64>
        %p = arith.mulf %a, %b : f64
        %s = arith.addf %c, %p : f64
        affine.store %s, %B[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// CHECK:       remark: [register-tile]
// CHECK-NOT:   tiles of 2048
// CHECK:       remark: [mark-parallel] loop {{[12]}} around S0 is parallel
