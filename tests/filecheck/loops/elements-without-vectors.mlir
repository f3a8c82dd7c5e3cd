// RUN: polyir-opt --optimize --emit=none --split-input-file %s
// RUN: polyir-opt --pluto-schedule --register-tile --emit=none --split-input-file %s 2>&1 | filecheck %s --check-prefix=TILE
// RUN: polyir-opt --pluto-schedule --tile --register-tile --lower-poly --vectorize --pack --scalar-replacement --emit=none --split-input-file %s
// RUN: polyir-opt --lower-poly --pack --scalar-replacement --split-input-file %s | mlir-opt-19 --split-input-file -o /dev/null
// RUN: polyir-opt --split-input-file %s | filecheck %s
//
// Arrays of vectors, truth values and odd integers: no loop gets vectors, which would have other
// bits than memory, and all else works.
//
// TILE: warning: [register-tile] no register tiles were made: the band of 3 over S0 has no vector loop: the elements of an array form no vectors
// CHECK-LABEL: func.func @matmul
// CHECK-LABEL: func.func @complex

func.func @matmul(%A: memref<64x64xvector<4xf32>>, %B: memref<64x64xvector<4xf32>>, %C: memref<64x64xvector<4xf32>>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      affine.for %k = 0 to 64 {
        %c = affine.load %C[%i, %j] : memref<64x64xvector<4xf32>>
        %a = affine.load %A[%i, %k] : memref<64x64xvector<4xf32>>
        %b = affine.load %B[%k, %j] : memref<64x64xvector<4xf32>>
        %p = arith.mulf %a, %b : vector<4xf32>
        %s = arith.addf %c, %p : vector<4xf32>
        affine.store %s, %C[%i, %j] : memref<64x64xvector<4xf32>>
      }
    }
  }
  return
}
// -----
func.func @stencil(%n: index, %A: memref<?xvector<2xf64>>, %B: memref<?xvector<2xf64>>) {
  affine.for %i = 1 to %n {
    %a = affine.load %A[%i - 1] : memref<?xvector<2xf64>>
    %b = affine.load %A[%i] : memref<?xvector<2xf64>>
    %p = arith.addf %a, %b : vector<2xf64>
    affine.store %p, %B[%i] : memref<?xvector<2xf64>>
  }
  return
}
// -----
func.func @sum(%n: index, %A: memref<?xvector<2xf64>>, %B: memref<1xvector<2xf64>>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xvector<2xf64>>
    %b = affine.load %B[0] : memref<1xvector<2xf64>>
    %p = arith.addf %a, %b : vector<2xf64>
    affine.store %p, %B[0] : memref<1xvector<2xf64>>
  }
  return
}
// -----
func.func @copy(%n: index, %A: memref<?x?xvector<4xi32>>, %B: memref<?x?xvector<4xi32>>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xvector<4xi32>>
      affine.store %a, %B[%j, %i] : memref<?x?xvector<4xi32>>
    }
  }
  return
}
// -----
func.func @mask(%n: index, %A: memref<?x?xf64>, %M: memref<?x?xi1>, %B: memref<?x?xf64>) {
  %z = arith.constant 0.5 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %c = arith.cmpf ogt, %a, %z : f64
      affine.store %c, %M[%i, %j] : memref<?x?xi1>
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %m = affine.load %M[%i, %j] : memref<?x?xi1>
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %s = arith.select %m, %a, %z : f64
      affine.store %s, %B[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
// -----
func.func @any(%n: index, %M: memref<?x?xi1>, %R: memref<?xi1>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %m = affine.load %M[%i, %j] : memref<?x?xi1>
      %a = affine.load %R[%i] : memref<?xi1>
      %s = arith.ori %m, %a : i1
      affine.store %s, %R[%i] : memref<?xi1>
    }
  }
  return
}
// -----
func.func @closure(%n: index, %M: memref<?x?xi1>) {
  affine.for %k = 0 to %n {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        %m = affine.load %M[%i, %k] : memref<?x?xi1>
        %a = affine.load %M[%k, %j] : memref<?x?xi1>
        %b = affine.load %M[%i, %j] : memref<?x?xi1>
        %s = arith.andi %m, %a : i1
        %t = arith.ori %b, %s : i1
        affine.store %t, %M[%i, %j] : memref<?x?xi1>
      }
    }
  }
  return
}
// -----
func.func @matmul1(%n: index, %A: memref<?x?xi1>, %B: memref<?x?xi1>, %C: memref<?x?xi1>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %m = affine.load %A[%i, %k] : memref<?x?xi1>
        %a = affine.load %B[%k, %j] : memref<?x?xi1>
        %b = affine.load %C[%i, %j] : memref<?x?xi1>
        %s = arith.andi %m, %a : i1
        %t = arith.xori %b, %s : i1
        affine.store %t, %C[%i, %j] : memref<?x?xi1>
      }
    }
  }
  return
}
// -----
func.func @odd(%n: index, %A: memref<?x?xi24>, %B: memref<?x?xi128>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %m = affine.load %A[%i, %j] : memref<?x?xi24>
      %s = arith.addi %m, %m : i24
      affine.store %s, %A[%i, %j] : memref<?x?xi24>
      %b = affine.load %B[%i, %j] : memref<?x?xi128>
      %t = arith.addi %b, %b : i128
      affine.store %t, %B[%i, %j] : memref<?x?xi128>
    }
  }
  return
}
// -----
func.func @complex(%n: index, %A: memref<?x?xcomplex<f64>>, %B: memref<?xcomplex<f64>>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %m = affine.load %A[%i, %j] : memref<?x?xcomplex<f64>>
      affine.store %m, %B[%j] : memref<?xcomplex<f64>>
    }
  }
  return
}
