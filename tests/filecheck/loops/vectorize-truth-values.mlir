// RUN: polyir-opt --vectorize %s 2>&1 | filecheck %s
//
// A loop that a person asks vectors for: eight truth values in memory are eight bytes, not one.
//
// CHECK: vectorize-truth-values.mlir:12:3: warning: [vectorize] the loop over %i stays scalar: elements of type i1 form no vectors in memory
// CHECK: vectorize-truth-values.mlir:17:3: warning: [vectorize] the loop over %i stays scalar: elements of type vector<2xf64> form no vectors in memory
// CHECK-NOT: vector_store
// CHECK-NOT: vector.store

func.func @f(%A: memref<64xi1>, %B: memref<64xi1>, %C: memref<64xvector<2xf64>>, %D: memref<64xvector<2xf64>>) {

  affine.for %i = 0 to 64 {
    %a = affine.load %A[%i] : memref<64xi1>
    affine.store %a, %B[%i] : memref<64xi1>
  } {poly.vector = #poly.vector<8>, poly.parallel}

  affine.for %i = 0 to 64 {
    %a = affine.load %C[%i] : memref<64xvector<2xf64>>
    affine.store %a, %D[%i] : memref<64xvector<2xf64>>
  } {poly.vector = #poly.vector<8>, poly.parallel}
  return
}
