// RUN: polyir-opt --split-input-file --pluto-schedule --tile=8 --register-tile="rows=2 vectors=1 width=4" --remarks --print-schedule --emit=none %s 2>&1 | filecheck %s

// Both statements of a tile get point loops, and blocks, of their own.
func.func @two_products(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>,
                        %D: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %p = arith.mulf %a, %b : f64
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
        %d = affine.load %D[%i, %j] : memref<?x?xf64>
        %m = arith.subf %d, %p : f64
        affine.store %m, %D[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// CHECK:      remark: [register-tile] distributed the band of 3 over S0, S1
// CHECK-NEXT: remark: [register-tile] blocks of 2 x 4 along loops 1 and 2 of the band of 3 over S0
// CHECK-NEXT: remark: [register-tile] blocks of 2 x 4 along loops 1 and 2 of the band of 3 over S1
// CHECK:      // schedule of @two_products:
// CHECK-NEXT: // band of 3, permutable
// CHECK:      //   sequence
// CHECK-NEXT: //     S0
// CHECK-NEXT: //       band of 2, permutable
// CHECK:      //               S0.7: { S0[i, j, k] -> [(j)] } parallel #poly.vector<4>
// CHECK-NEXT: //     S1
// CHECK-NEXT: //       band of 2, permutable

// -----

// In tiles on the diagonal, each k needs the division before the updates; in all others, the
// statements do not depend on each other.
func.func @lu(%n: index, %A: memref<?x?xf64>) {
  affine.for %k = 0 to %n {
    affine.for %i = affine_map<(d0) -> (d0 + 1)>(%k) to %n {
      %a = affine.load %A[%i, %k] : memref<?x?xf64>
      %p = affine.load %A[%k, %k] : memref<?x?xf64>
      %q = arith.divf %a, %p : f64
      affine.store %q, %A[%i, %k] : memref<?x?xf64>
      affine.for %j = affine_map<(d0) -> (d0 + 1)>(%k) to %n {
        %x = affine.load %A[%i, %j] : memref<?x?xf64>
        %l = affine.load %A[%i, %k] : memref<?x?xf64>
        %u = affine.load %A[%k, %j] : memref<?x?xf64>
        %y = arith.mulf %l, %u : f64
        %z = arith.subf %x, %y : f64
        affine.store %z, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// CHECK:      remark: [register-tile] tiles of the band of 3 over S0, S1 without cycles are apart
// CHECK-NEXT: remark: [register-tile] blocks of 2 x 4 along loops 2 and 3 of the band of 3 over S1
// CHECK-NEXT: remark: [register-tile] distributed the band of 3 over S0, S1 inside loop 1
// CHECK-NEXT: remark: [register-tile] vectors of 4 along loop 2 of the band of 2 over S1
// CHECK-NEXT: remark: [register-tile] the band of 2 over S0 has no vector loop: no parallel loop has accesses to successive elements
// CHECK:      // schedule of @lu:
// CHECK:      //   sequence
// CHECK-NEXT: //     S1/0
// CHECK-NEXT: //       band of 2, permutable
// CHECK:      //             S1/0.6: { S1[k, i, j] -> [(i)] } parallel #poly.jam<2>
// CHECK-NEXT: //             S1/0.7: { S1[k, i, j] -> [(j)] } parallel #poly.vector<4>
// CHECK-NEXT: //     S0, S1/1
// CHECK-NEXT: //       band of 1, permutable
// CHECK-NEXT: //         S0.3 S1/1.3: { S0[k, i] -> [(k)]; S1[k, i, j] -> [(k)] }
// CHECK-NEXT: //         sequence
// CHECK-NEXT: //           S0
// CHECK-NEXT: //             band of 2, permutable
// CHECK:      //           S1/1
// CHECK-NEXT: //             band of 2, permutable
// CHECK-NEXT: //               S1/1.4: { S1[k, i, j] -> [(i)] } parallel
// CHECK-NEXT: //               S1/1.5: { S1[k, i, j] -> [(j)] } parallel #poly.vector<4>

// -----

// Without a vector loop in any of them, the statements stay together.
func.func @sequential(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  affine.for %i = 1 to %n {
    affine.for %j = 1 to %n {
      %a = affine.load %A[%i, %j - 1] : memref<?x?xf64>
      %b = affine.load %A[%i - 1, %j] : memref<?x?xf64>
      %d = arith.addf %a, %b : f64
      affine.store %d, %A[%i, %j] : memref<?x?xf64>
      %e = affine.load %B[%i, %j - 1] : memref<?x?xf64>
      %f = affine.load %B[%i - 1, %j] : memref<?x?xf64>
      %g = arith.addf %e, %f : f64
      affine.store %g, %B[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// CHECK: warning: [register-tile] no register tiles were made:
// CHECK: schedule of @sequential
// CHECK: //     S0.3 S1.3
