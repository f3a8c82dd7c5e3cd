// correlation of PolyBench/C 4.2.1: the correlation matrix of the m columns of data.
func.func @kernel_correlation(%m: index, %n: index, %float_n: f64, %data: memref<?x?xf64>,
                              %corr: memref<?x?xf64>, %mean: memref<?xf64>,
                              %stddev: memref<?xf64>) {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %eps = arith.constant 0.1 : f64
  %root_n = math.sqrt %float_n : f64
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

  affine.for %j = 0 to %m {
    affine.store %zero, %stddev[%j] : memref<?xf64>
    affine.for %i = 0 to %n {
      %old = affine.load %stddev[%j] : memref<?xf64>
      %value = affine.load %data[%i, %j] : memref<?x?xf64>
      %average = affine.load %mean[%j] : memref<?xf64>
      %deviation = arith.subf %value, %average : f64
      %square = arith.mulf %deviation, %deviation : f64
      %new = arith.addf %old, %square : f64
      affine.store %new, %stddev[%j] : memref<?xf64>
    }
    %sum = affine.load %stddev[%j] : memref<?xf64>
    %variance = arith.divf %sum, %float_n : f64
    affine.store %variance, %stddev[%j] : memref<?xf64>
    %radicand = affine.load %stddev[%j] : memref<?xf64>
    %root = math.sqrt %radicand : f64
    affine.store %root, %stddev[%j] : memref<?xf64>
    // A column that hardly varies is not divided by its deviation.
    %deviation = affine.load %stddev[%j] : memref<?xf64>
    %is_small = arith.cmpf ole, %deviation, %eps : f64
    %safe = arith.select %is_small, %one, %deviation : f64
    affine.store %safe, %stddev[%j] : memref<?xf64>
  }

  // Centre and reduce the columns.
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %value = affine.load %data[%i, %j] : memref<?x?xf64>
      %average = affine.load %mean[%j] : memref<?xf64>
      %centred = arith.subf %value, %average : f64
      affine.store %centred, %data[%i, %j] : memref<?x?xf64>
      %stored = affine.load %data[%i, %j] : memref<?x?xf64>
      %deviation = affine.load %stddev[%j] : memref<?xf64>
      %divisor = arith.mulf %root_n, %deviation : f64
      %reduced = arith.divf %stored, %divisor : f64
      affine.store %reduced, %data[%i, %j] : memref<?x?xf64>
    }
  }

  affine.for %i = 0 to affine_map<()[s0] -> (s0 - 1)>()[%m] {
    affine.store %one, %corr[%i, %i] : memref<?x?xf64>
    affine.for %j = affine_map<(d0) -> (d0 + 1)>(%i) to %m {
      affine.store %zero, %corr[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %n {
        %old = affine.load %corr[%i, %j] : memref<?x?xf64>
        %left = affine.load %data[%k, %i] : memref<?x?xf64>
        %right = affine.load %data[%k, %j] : memref<?x?xf64>
        %product = arith.mulf %left, %right : f64
        %new = arith.addf %old, %product : f64
        affine.store %new, %corr[%i, %j] : memref<?x?xf64>
      }
      %mirrored = affine.load %corr[%i, %j] : memref<?x?xf64>
      affine.store %mirrored, %corr[%j, %i] : memref<?x?xf64>
    }
  }
  affine.store %one, %corr[%m - 1, %m - 1] : memref<?x?xf64>
  return
}
