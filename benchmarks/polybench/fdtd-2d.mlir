// fdtd-2d of PolyBench/C 4.2.1: the finite-difference time-domain method for an electric field
// (ex, ey) and a magnetic field hz in two dimensions; _fict_ drives one border.
#less_one = affine_map<()[s0] -> (s0 - 1)>

func.func @kernel_fdtd_2d(%tmax: index, %nx: index, %ny: index, %ex: memref<?x?xf64>,
                          %ey: memref<?x?xf64>, %hz: memref<?x?xf64>, %_fict_: memref<?xf64>) {
  %half = arith.constant 0.5 : f64
  %seven_tenths = arith.constant 0.7 : f64
  affine.for %t = 0 to %tmax {
    affine.for %j = 0 to %ny {
      %drive = affine.load %_fict_[%t] : memref<?xf64>
      affine.store %drive, %ey[0, %j] : memref<?x?xf64>
    }
    affine.for %i = 1 to %nx {
      affine.for %j = 0 to %ny {
        %old = affine.load %ey[%i, %j] : memref<?x?xf64>
        %here = affine.load %hz[%i, %j] : memref<?x?xf64>
        %before = affine.load %hz[%i - 1, %j] : memref<?x?xf64>
        %slope = arith.subf %here, %before : f64
        %change = arith.mulf %half, %slope : f64
        %new = arith.subf %old, %change : f64
        affine.store %new, %ey[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 0 to %nx {
      affine.for %j = 1 to %ny {
        %old = affine.load %ex[%i, %j] : memref<?x?xf64>
        %here = affine.load %hz[%i, %j] : memref<?x?xf64>
        %before = affine.load %hz[%i, %j - 1] : memref<?x?xf64>
        %slope = arith.subf %here, %before : f64
        %change = arith.mulf %half, %slope : f64
        %new = arith.subf %old, %change : f64
        affine.store %new, %ex[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 0 to #less_one()[%nx] {
      affine.for %j = 0 to #less_one()[%ny] {
        %old = affine.load %hz[%i, %j] : memref<?x?xf64>
        %ex_after = affine.load %ex[%i, %j + 1] : memref<?x?xf64>
        %ex_here = affine.load %ex[%i, %j] : memref<?x?xf64>
        %ey_after = affine.load %ey[%i + 1, %j] : memref<?x?xf64>
        %ey_here = affine.load %ey[%i, %j] : memref<?x?xf64>
        %s0 = arith.subf %ex_after, %ex_here : f64
        %s1 = arith.addf %s0, %ey_after : f64
        %curl = arith.subf %s1, %ey_here : f64
        %change = arith.mulf %seven_tenths, %curl : f64
        %new = arith.subf %old, %change : f64
        affine.store %new, %hz[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
