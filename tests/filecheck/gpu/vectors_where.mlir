// RUN: polyir-opt --isl-schedule --map-to-gpu="shared=all registers=none tile=16,16 block=8,4" --remarks --emit=none %s 2>&1 | filecheck %s

// Where all elements of a vector are copied and it is certainly aligned, copies are in vectors.

// Four numbers of 32 bits have 16 bytes; so it is for what is copied back.
func.func @of_four(%A: memref<64x64xf32>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      %0 = affine.load %A[%i, %j] : memref<64x64xf32>
      %1 = arith.addf %0, %0 : f32
      affine.store %1, %A[%i, %j] : memref<64x64xf32>
    }
  }
  return
}
// CHECK: of A, a block keeps 16 x 16 elements in shared memory, 1024 bytes (A_shared), copied in (vectors of 4) and out (vectors of 4)

// All rows but the first begin at an odd element.
func.func @odd_rows(%A: memref<64x65xi64>, %B: memref<64x64xi64>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      %0 = affine.load %A[%i, %j] : memref<64x65xi64>
      affine.store %0, %B[%i, %j] : memref<64x64xi64>
    }
  }
  return
}
// CHECK: of A, {{.*}} (A_shared), copied in{{$}}
// CHECK: of B, {{.*}} (B_shared), copied out (vectors of 2){{$}}

// The last tile has 13 columns.
func.func @odd_end(%A: memref<64x64xf64>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 61 {
      %0 = affine.load %A[%i, %j] : memref<64x64xf64>
      %1 = arith.addf %0, %0 : f64
      affine.store %1, %A[%i, %j] : memref<64x64xf64>
    }
  }
  return
}
// CHECK: of A, {{.*}} (A_shared), copied in and out{{$}}

// Tiles begin at odd columns.
func.func @odd_begin(%A: memref<64x66xf64>, %B: memref<64x64xf64>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      %0 = affine.load %A[%i, %j + 1] : memref<64x66xf64>
      affine.store %0, %B[%i, %j] : memref<64x64xf64>
    }
  }
  return
}
// CHECK: of A, {{.*}} (A_shared), copied in{{$}}
// CHECK: of B, {{.*}} (B_shared), copied out (vectors of 2){{$}}

// The length of the rows is not known, or that of a loop.
func.func @unknown(%A: memref<?x?xf64>, %B: memref<64x64xf64>, %C: memref<?x64xf64>, %n: index) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      %0 = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.store %0, %C[%i, %j] : memref<?x64xf64>
    }
  }
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to %n {
      %0 = affine.load %B[%i, %j] : memref<64x64xf64>
      %1 = arith.addf %0, %0 : f64
      affine.store %1, %B[%i, %j] : memref<64x64xf64>
    }
  }
  return
}
// CHECK: of A, {{.*}} (A_shared), copied in{{$}}
// CHECK: of C, {{.*}} (C_shared), copied out (vectors of 2){{$}}
// CHECK: of B, {{.*}} (B_shared), copied in and out{{$}}

// There are no vectors of these.
func.func @short(%A: memref<64x64xi16>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      %0 = affine.load %A[%i, %j] : memref<64x64xi16>
      %1 = arith.addi %0, %0 : i16
      affine.store %1, %A[%i, %j] : memref<64x64xi16>
    }
  }
  return
}
// CHECK: of A, {{.*}} (A_shared), copied in and out{{$}}
