// covariance of PolyBench/C 4.2.1: the covariance matrix of the m columns of data.
func.func @kernel_covariance(%m: index, %n: index, %float_n: f64, %data: memref<?x?xf64>,
                             %cov: memref<?x?xf64>, %mean: memref<?xf64>) {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %degrees = arith.subf %float_n, %one : f64
  affine.for %j = 0 to %m {
    affine.store %zero, %mean[%j] : memref<?xf64>
    affine.for %i = 0 to %n {
      %old = affine.load %mean[%j] : memref<?xf64>
      %value = affine.load %data[%i, %j] : memref<?x?xf64>
      %new = arith.addf %old, %value : f64
      affine.store %new, %mean[%j] : memref<?xf64>
    }
    %sum = affine.load %mean[%j] : memref<?xf64>
    %average = arith.divf %sum, %float_n : f64
    affine.store %average, %mean[%j] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %value = affine.load %data[%i, %j] : memref<?x?xf64>
      %average = affine.load %mean[%j] : memref<?xf64>
      %centred = arith.subf %value, %average : f64
      affine.store %centred, %data[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %m {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to %m {
      affine.store %zero, %cov[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %n {
        %old = affine.load %cov[%i, %j] : memref<?x?xf64>
        %left = affine.load %data[%k, %i] : memref<?x?xf64>
        %right = affine.load %data[%k, %j] : memref<?x?xf64>
        %product = arith.mulf %left, %right : f64
        %new = arith.addf %old, %product : f64
        affine.store %new, %cov[%i, %j] : memref<?x?xf64>
      }
      %sum = affine.load %cov[%i, %j] : memref<?x?xf64>
      %quotient = arith.divf %sum, %degrees : f64
      affine.store %quotient, %cov[%i, %j] : memref<?x?xf64>
      %mirrored = affine.load %cov[%i, %j] : memref<?x?xf64>
      affine.store %mirrored, %cov[%j, %i] : memref<?x?xf64>
    }
  }
  return
}
