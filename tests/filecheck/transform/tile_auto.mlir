// RUN: polyir-opt --split-input-file --tile="auto machine=%S/Inputs/four_cores.json" --remarks --emit=poly %s 2>&1 | filecheck %s
// RUN: not polyir-opt --tile="sizes=4 machine=here.json" %s 2>&1 | filecheck %s --check-prefix MACHINE
// RUN: not polyir-opt --tile="auto loops=S0.0,S0.1" %s 2>&1 | filecheck %s --check-prefix LOOPS
// RUN: not polyir-opt --tile="auto machine=none.json" %s 2>&1 | filecheck %s --check-prefix FILE

// MACHINE: error: only auto and model use a machine: machine=here.json
// LOOPS: error: auto chooses sizes for bands, not for loops: loops=S0.0,S0.1
// FILE: error: cannot read the machine 'none.json': No such file or directory

// Tiles keep what a product uses again; where the number of iterations is known, sizes divide it.
func.func @product(%A: memref<1000x1000xf64>, %B: memref<1000x1000xf64>, %C: memref<1000x1000xf64>) {
  affine.for %i = 0 to 1000 {
    affine.for %j = 0 to 1000 {
      affine.for %k = 0 to 1000 {
        %a = affine.load %A[%i, %k] : memref<1000x1000xf64>
        %b = affine.load %B[%k, %j] : memref<1000x1000xf64>
        %c = affine.load %C[%i, %j] : memref<1000x1000xf64>
        %p = arith.mulf %a, %b : f64
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<1000x1000xf64>
      }
    }
  }
  return
}

// CHECK: remark: [tile] the band of 3 over S0: tiles of 25 x 25 x 25: {{.*}} cycles, {{.*}} without
// CHECK-LABEL: func.func @product
// CHECK: poly.band "[{ S0[i, j, k] -> [(i - (i) mod 25)] }, { S0[i, j, k] -> [(j - (j) mod 25)] }, { S0[i, j, k] -> [(k - (k) mod 25)] }

// -----

// Every element is used once: no tiles pay.
func.func @copy(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.store %a, %B[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// CHECK: warning: [tile] nothing was tiled: the band of 2 over S0: no tiles pay: {{.*}} cycles without
