// The second loop runs backwards over what the first wrote: a negative coefficient, and n, fuse them.
// RUN: polyir-opt --isl-schedule --emit=poly %s | filecheck %s

// CHECK: poly.band "[n] -> [{ S0[i] -> [(1 + i)]; S1[i] -> [(n - i)] }]" permutable coincident [true] {

func.func @backwards(%n: index, %A: memref<?xf64>, %B: memref<?xf64>, %C: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    affine.store %a, %B[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    %b = affine.load %B[-%i + symbol(%n) - 1] : memref<?xf64>
    affine.store %b, %C[%i] : memref<?xf64>
  }
  return
}
