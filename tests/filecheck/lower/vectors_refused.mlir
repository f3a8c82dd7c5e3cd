// What has no vectors in C says so where it stands.
// RUN: not polyir-opt --split-input-file --emit=c %s 2>&1 | filecheck %s

// CHECK: error: type 'vector<2x4xf64>' is not supported: a vector in C has one dimension whose size is a power of two
func.func @matrix(%A: memref<8x8xf64>, %i: index) {
  %v = vector.load %A[%i, %i] : memref<8x8xf64>, vector<2x4xf64>
  vector.store %v, %A[%i, %i] : memref<8x8xf64>, vector<2x4xf64>
  return
}

// -----

// CHECK: error: type 'vector<3xf64>' is not supported
func.func @three(%A: memref<8xf64>, %i: index) {
  %v = vector.load %A[%i] : memref<8xf64>, vector<3xf64>
  vector.store %v, %A[%i] : memref<8xf64>, vector<3xf64>
  return
}

// -----

// CHECK: error: vectors in memory of type 'memref<8xi1>' are not supported by the C target
func.func @bits(%A: memref<8xi1>, %i: index) {
  %v = vector.load %A[%i] : memref<8xi1>, vector<8xi1>
  vector.store %v, %A[%i] : memref<8xi1>, vector<8xi1>
  return
}

// -----

// CHECK: error: operation 'vector.interleave' is not supported by the C target
func.func @interleave(%A: memref<8xf64>, %i: index) {
  %v = vector.load %A[%i] : memref<8xf64>, vector<4xf64>
  %w = vector.interleave %v, %v : vector<4xf64> -> vector<8xf64>
  vector.store %w, %A[%i] : memref<8xf64>, vector<8xf64>
  return
}
