// RUN: polyir-opt --split-input-file --wavefront="which=inner" --remarks --emit=poly %s 2>&1 | filecheck %s
// RUN: polyir-opt --split-input-file --tile=32 --wavefront="which=inner" --emit=poly %s 2>&1 | filecheck %s --check-prefix TILES
// RUN: polyir-opt --split-input-file --tile="loops=S0.0 sizes=16" --wavefront="which=inner" --remarks --emit=poly %s 2>&1 | filecheck %s --check-prefix SWEEPS
// RUN: not polyir-opt --wavefront="which=inner degrees=2" %s 2>&1 | filecheck %s --check-prefix DEGREES
// RUN: not polyir-opt --wavefront="which=last" %s 2>&1 | filecheck %s --check-prefix WHICH

// Each iteration waits for the one before. In wavefronts, those of the last loop are independent.
func.func @chain(%n: index, %a: memref<?x?xf64>) {
  affine.for %i = 1 to %n {
    affine.for %j = 1 to %n {
      %0 = affine.load %a[%i - 1, %j] : memref<?x?xf64>
      %1 = affine.load %a[%i, %j - 1] : memref<?x?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %a[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// CHECK:      remark: [wavefront] skewed loops 1 and 2 of the band of 2 over S0 into wavefronts: the last one is parallel
// CHECK:      poly.band "[n] -> [{ S0[i, j] -> [(i + j)] }]" permutable {
// CHECK-NEXT:   poly.band "[n] -> [{ S0[i, j] -> [(j)] }]" permutable coincident [true]

// The loops over tiles stay as they are.
// TILES:      poly.band "[n] -> [{ S0[i, j] -> [(i - (i) mod 32)] }, { S0[i, j] -> [(j - (j) mod 32)] }]"
// TILES-NEXT:   poly.band "[n] -> [{ S0[i, j] -> [(i + j)] }]" permutable {
// TILES-NEXT:     poly.band "[n] -> [{ S0[i, j] -> [(j)] }]" permutable coincident [true]

// -----

// The chains are independent of each other.
func.func @rows(%n: index, %a: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 1 to %n {
      %0 = affine.load %a[%i, %j - 1] : memref<?x?xf64>
      %1 = arith.addf %0, %0 : f64
      affine.store %1, %a[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// CHECK: remark: [wavefront] moved loop 1 of the band of 2 over S0 innermost: it is parallel
// CHECK: poly.band "[n] -> [{ S0[i, j] -> [(j)] }, { S0[i, j] -> [(i)] }]" permutable coincident [false, true]

// -----

func.func @free(%n: index, %a: memref<?x?xf64>, %b: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %0 = affine.load %a[%i, %j] : memref<?x?xf64>
      affine.store %0, %b[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// CHECK: warning: [wavefront] no wavefronts were created: loop 2 of the band of 2 over S0 is already parallel

// -----

// Two sweeps of each row, in tiles of rows: see SWEEPS.
func.func @sweeps(%n: index, %a: memref<?x?xf64>, %b: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 1 to %n {
      %0 = affine.load %a[%i, %j - 1] : memref<?x?xf64>
      %1 = arith.addf %0, %0 : f64
      affine.store %1, %a[%i, %j] : memref<?x?xf64>
    }
    affine.for %k = 1 to %n {
      %0 = affine.load %b[%k - 1, %i] : memref<?x?xf64>
      %1 = affine.load %a[%i, %n - %k] : memref<?x?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %b[%k, %i] : memref<?x?xf64>
    }
  }
  return
}

// CHECK: warning: [wavefront] no wavefronts were created: there is no permutable band of 2 or more

// SWEEPS:      remark: [wavefront] moved loop 2 of the band of 2 over S0, S1 inside all others: it is parallel
// SWEEPS:      poly.band "[n] -> [{ S0[i, j] -> [(i - (i) mod 16)]; S1[i, k] -> [(i - (i) mod 16)] }]" permutable coincident [true] {
// SWEEPS-NEXT:   poly.sequence {
// SWEEPS-NEXT:     poly.filter "[n] -> { S0[i, j] }" {
// SWEEPS-NEXT:       poly.band "[n] -> [{ S0[i, j] -> [(j)] }]" permutable {
// SWEEPS-NEXT:         poly.band "[n] -> [{ S0[i, j] -> [(i)]; S1[i, k] -> [(i)] }]" permutable coincident [true]
// SWEEPS:          poly.filter "[n] -> { S1[i, k] }" {
// SWEEPS-NEXT:       poly.band "[n] -> [{ S1[i, k] -> [(k)] }]" permutable {
// SWEEPS-NEXT:         poly.band "[n] -> [{ S0[i, j] -> [(i)]; S1[i, k] -> [(i)] }]" permutable coincident [true]

// -----

// A single loop, and loops that cannot be permuted.
func.func @none(%n: index, %a: memref<?x?xf64>) {
  affine.for %i = 1 to %n {
    affine.for %j = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
      %0 = affine.load %a[%i - 1, %j + 1] : memref<?x?xf64>
      %1 = affine.load %a[%i, %j - 1] : memref<?x?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %a[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// CHECK: warning: [wavefront] no wavefronts were created: there is no permutable band of 2 or more

// DEGREES: error: with which=inner, one loop becomes parallel: degrees=2
// WHICH:   error: option 'which' of pass 'wavefront'
