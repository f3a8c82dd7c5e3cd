// Pluto paper, figure 10: five three-point stencils in sequence, a1 from a0 up to a5 from a4. All
// fuse into one loop, each shifted by one against the one before.
func.func @five_stencils(%n: index, %a0: memref<?xf64>, %a1: memref<?xf64>, %a2: memref<?xf64>,
                         %a3: memref<?xf64>, %a4: memref<?xf64>, %a5: memref<?xf64>) {
  affine.for %i = 2 to %n {
    %left = affine.load %a0[%i - 1] : memref<?xf64>
    %centre = affine.load %a0[%i] : memref<?xf64>
    %right = affine.load %a0[%i + 1] : memref<?xf64>
    %s0 = arith.addf %left, %centre : f64
    %s1 = arith.addf %s0, %right : f64
    affine.store %s1, %a1[%i] : memref<?xf64>
  }
  affine.for %i = 2 to %n {
    %left = affine.load %a1[%i - 1] : memref<?xf64>
    %centre = affine.load %a1[%i] : memref<?xf64>
    %right = affine.load %a1[%i + 1] : memref<?xf64>
    %s0 = arith.addf %left, %centre : f64
    %s1 = arith.addf %s0, %right : f64
    affine.store %s1, %a2[%i] : memref<?xf64>
  }
  affine.for %i = 2 to %n {
    %left = affine.load %a2[%i - 1] : memref<?xf64>
    %centre = affine.load %a2[%i] : memref<?xf64>
    %right = affine.load %a2[%i + 1] : memref<?xf64>
    %s0 = arith.addf %left, %centre : f64
    %s1 = arith.addf %s0, %right : f64
    affine.store %s1, %a3[%i] : memref<?xf64>
  }
  affine.for %i = 2 to %n {
    %left = affine.load %a3[%i - 1] : memref<?xf64>
    %centre = affine.load %a3[%i] : memref<?xf64>
    %right = affine.load %a3[%i + 1] : memref<?xf64>
    %s0 = arith.addf %left, %centre : f64
    %s1 = arith.addf %s0, %right : f64
    affine.store %s1, %a4[%i] : memref<?xf64>
  }
  affine.for %i = 2 to %n {
    %left = affine.load %a4[%i - 1] : memref<?xf64>
    %centre = affine.load %a4[%i] : memref<?xf64>
    %right = affine.load %a4[%i + 1] : memref<?xf64>
    %s0 = arith.addf %left, %centre : f64
    %s1 = arith.addf %s0, %right : f64
    affine.store %s1, %a5[%i] : memref<?xf64>
  }
  return
}
