// Figure 15.21: the time steps of molecular dynamics. Molecules move; pairs of molecules near each
// other exert forces on both; forces change velocities.
func.func @moldyn(%steps: index, %molecules: index, %pairs: index, %left: memref<?xindex>,
                  %right: memref<?xindex>, %x: memref<?xf64>, %vx: memref<?xf64>,
                  %fx: memref<?xf64>) {
  %damping = arith.constant 0.125 : f64
  affine.for %s = 0 to %steps {
    affine.for %i = 0 to %molecules {
      %position = affine.load %x[%i] : memref<?xf64>
      %velocity = affine.load %vx[%i] : memref<?xf64>
      %force = affine.load %fx[%i] : memref<?xf64>
      %change = arith.addf %velocity, %force : f64
      %moved = arith.addf %position, %change : f64
      affine.store %moved, %x[%i] : memref<?xf64>
    }
    affine.for %j = 0 to %pairs {
      %l = affine.load %left[%j] : memref<?xindex>
      %r = affine.load %right[%j] : memref<?xindex>
      %xl = memref.load %x[%l] : memref<?xf64>
      %xr = memref.load %x[%r] : memref<?xf64>
      %distance = arith.subf %xl, %xr : f64
      %force = arith.mulf %distance, %damping : f64
      %fl = memref.load %fx[%l] : memref<?xf64>
      %fl_new = arith.subf %fl, %force : f64
      memref.store %fl_new, %fx[%l] : memref<?xf64>
      %fr = memref.load %fx[%r] : memref<?xf64>
      %fr_new = arith.addf %fr, %force : f64
      memref.store %fr_new, %fx[%r] : memref<?xf64>
    }
    affine.for %k = 0 to %molecules {
      %velocity = affine.load %vx[%k] : memref<?xf64>
      %force = affine.load %fx[%k] : memref<?xf64>
      %change = arith.mulf %force, %damping : f64
      %new = arith.addf %velocity, %change : f64
      affine.store %new, %vx[%k] : memref<?xf64>
    }
  }
  return
}
