// RUN: polyir-opt --split-input-file --pluto-schedule --annotate-loop="attribute='#poly.vector<4>' loop=S0.0" --annotate-loop="attribute='#poly.vector<4>' loop=S0.1" --register-tile="rows=2 vectors=2 width=8" --emit=poly %s 2>&1 | filecheck %s

// The loops of a block have the attributes of this pass, whatever attributes they had before.

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

// CHECK: warning: [register-tile] dropped #poly.vector<4> from the loops around S0
// CHECK: poly.band {{.*}} loop_attributes {{\[\[}}#poly.jam<2>], [#poly.vector<8>]]

// -----

func.func @copy(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.store %a, %B[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// CHECK: poly.band {{.*}} loop_attributes {{\[\[}}#poly.vector<4>], [#poly.vector<8>]]
