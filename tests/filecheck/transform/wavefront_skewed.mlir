// RUN: polyir-opt --pluto-schedule --wavefront --emit=poly %s | filecheck %s

// Bondhugula et al., section 4.1: the hyperplanes are (1,1) and (1,0), the schedule of the
// wavefronts is their sum (2,1).
func.func @transpose(%n: index, %a: memref<?x?xf64>) {
  affine.for %i = 1 to affine_map<(d0) -> (d0 + 1)>(%n) {
    affine.for %j = 2 to affine_map<(d0) -> (d0 + 1)>(%n) {
      %0 = affine.load %a[%j, %i] : memref<?x?xf64>
      %1 = affine.load %a[%i, %j - 1] : memref<?x?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %a[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// CHECK:      poly.band "[n] -> [{ S0[i, j] -> [(2i + j)] }]" permutable {
// CHECK-NEXT:   poly.band "[n] -> [{ S0[i, j] -> [(i)] }]" permutable coincident [true]
