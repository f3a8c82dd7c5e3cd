// RUN: polyir-opt --split-input-file --register-tile="rows=2 vectors=2 width=4" --remarks --emit=poly %s 2>&1 | filecheck %s
// RUN: not polyir-opt --register-tile="rows=0" %s 2>&1 | filecheck %s --check-prefix ROWS
// RUN: not polyir-opt --register-tile="vectors=0" %s 2>&1 | filecheck %s --check-prefix VECTORS
// RUN: not polyir-opt --register-tile="tiles=8,8" %s 2>&1 | filecheck %s --check-prefix THREE
// RUN: not polyir-opt --register-tile="rows=2 vectors=1 tiles=8,12,8" %s 2>&1 | filecheck %s --check-prefix WHOLE
// RUN: polyir-opt --register-tile="rows=2 vectors=2 width=4 masked=true tiles=4,16,3" --remarks --emit=poly --split-input-file %s 2>&1 | filecheck %s --check-prefix TILES
// RUN: not polyir-opt --register-tile="width=3" %s 2>&1 | filecheck %s --check-prefix WIDTH

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

// CHECK: remark: [register-tile] blocks of 2 x 8 along loops 1 and 2 of the band of 3 over S0
// CHECK:      poly.band "[n] -> [{ S0[i, j, k] -> [(j - (j) mod 8)] }, { S0[i, j, k] -> [(i - (i) mod 2)] }]" permutable coincident [true, true] {
// CHECK-NEXT:   poly.band "[n] -> [{ S0[i, j, k] -> [(k)] }]" permutable options "{{.*}}isolate{{.*}} -> [i2]] : {{.*}}" {
// CHECK-NEXT:     poly.band "[n] -> [{ S0[i, j, k] -> [(i)] }, { S0[i, j, k] -> [(j)] }]" permutable coincident [true, true] loop_attributes {{\[\[}}#poly.jam<2>], [#poly.vector<4>]]

// TILES: remark: [register-tile] tiles of 16 x 3 x 4 along loops 2, 3, 1 around the blocks
// TILES:      poly.band "[n] -> [{ S0[i, j, k] -> [(j - (j) mod 16)] }, { S0[i, j, k] -> [(k - (k) mod 3)] }, { S0[i, j, k] -> [(i - (i) mod 4)] }]" permutable coincident [true, false, true] {
// TILES-NEXT:   poly.band "[n] -> [{ S0[i, j, k] -> [(j - (j) mod 8)] }, { S0[i, j, k] -> [(i - (i) mod 2)] }]" permutable coincident [true, true] {
// TILES-NEXT:     poly.band "[n] -> [{ S0[i, j, k] -> [(k)] }]" permutable {
// TILES-NEXT:       poly.band "[n] -> [{ S0[i, j, k] -> [(i)] }, { S0[i, j, k] -> [(j)] }]" permutable coincident [true, true] loop_attributes {{\[\[}}#poly.jam<2>], [#poly.vector<4>]]

// -----

// Only the last loop of a band that is not permutable may be the vector loop.
func.func @columns(%n: index, %A: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%j, %i] : memref<?x?xf64>
      %d = arith.addf %a, %a : f64
      affine.store %d, %A[%j, %i] : memref<?x?xf64>
    }
  }
  return
}

// CHECK: remark: [register-tile] vectors of 4 along loop 1 of the band of 2 over S0
// CHECK: poly.band "[n] -> [{ S0[i, j] -> [(j)] }, { S0[i, j] -> [(i)] }]" permutable coincident [true, true] loop_attributes {{\[}}[], [#poly.vector<4>]]

// -----

func.func @carried(%n: index, %A: memref<?x?xf64>) {
  affine.for %i = 1 to %n {
    affine.for %j = 1 to %n {
      %a = affine.load %A[%i, %j - 1] : memref<?x?xf64>
      %b = affine.load %A[%i - 1, %j] : memref<?x?xf64>
      %d = arith.addf %a, %b : f64
      affine.store %d, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// CHECK: warning: [register-tile] no register tiles were made: the band of 2 over S0 has no vector loop: no parallel loop has accesses to successive elements

// -----

// Statements in one loop get vector loops of their own.
func.func @two(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %d = arith.addf %a, %a : f64
      affine.store %d, %B[%i, %j] : memref<?x?xf64>
      %b = affine.load %B[%i, %j] : memref<?x?xf64>
      %e = arith.mulf %b, %b : f64
      affine.store %e, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// CHECK: remark: [register-tile] separated the statements in loop 2 of the band of 2 over S0, S1
// CHECK:      poly.band "[n] -> [{ S0[i, j] -> [(i)]; S1[i, j] -> [(i)] }]" permutable coincident [true] {
// CHECK-NEXT:   poly.sequence {
// CHECK-NEXT:     poly.filter "[n] -> { S0[i, j] }" {
// CHECK-NEXT:       poly.band "[n] -> [{ S0[i, j] -> [(j)] }]" permutable coincident [true] loop_attributes {{\[\[}}#poly.vector<4>]]
// CHECK:          poly.filter "[n] -> { S1[i, j] }" {
// CHECK-NEXT:       poly.band "[n] -> [{ S1[i, j] -> [(j)] }]" permutable coincident [true] loop_attributes {{\[\[}}#poly.vector<4>]]

// -----

// The second statement reads what the first one computes in the next iteration.
func.func @apart(%n: index, %A: memref<?xf64>, %B: memref<?xf64>, %C: memref<?xf64>) {
  affine.for %j = 1 to %n {
    %a = affine.load %A[%j] : memref<?xf64>
    affine.store %a, %B[%j] : memref<?xf64>
    %b = affine.load %B[%j - 1] : memref<?xf64>
    affine.store %b, %C[%j] : memref<?xf64>
    affine.store %b, %A[%j + 1] : memref<?xf64>
  }
  return
}

// CHECK: warning: [register-tile] no register tiles were made

// -----

// No store goes to successive elements, but the sums of several rows hide each other's latency.
func.func @rows(%n: index, %A: memref<?x?xf64>, %x: memref<?xf64>, %y: memref<?x2xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %v = affine.load %x[%j] : memref<?xf64>
      %s = affine.load %y[%i, 1] : memref<?x2xf64>
      %p = arith.mulf %a, %v : f64
      %d = arith.addf %s, %p : f64
      affine.store %d, %y[%i, 1] : memref<?x2xf64>
    }
  }
  return
}

// CHECK: remark: [register-tile] blocks of 2 along loop 1 of the band of 2 over S0
// CHECK:      poly.band "[n] -> [{ S0[i, j] -> [(i - (i) mod 2)] }]" permutable coincident [true] {
// CHECK-NEXT:   poly.band "[n] -> [{ S0[i, j] -> [(j)] }]" permutable options "{{.*}}isolate{{.*}}" {
// CHECK-NEXT:     poly.band "[n] -> [{ S0[i, j] -> [(i)] }]" permutable coincident [true] loop_attributes {{\[\[}}#poly.jam<2>]]

// -----

// Results are successive: they are in a vector, for which rows of A are transposed.
func.func @transposed_rows(%n: index, %A: memref<?x?xf64>, %x: memref<?xf64>, %y: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %v = affine.load %x[%j] : memref<?xf64>
      %s = affine.load %y[%i] : memref<?xf64>
      %p = arith.mulf %a, %v : f64
      %d = arith.addf %s, %p : f64
      affine.store %d, %y[%i] : memref<?xf64>
    }
  }
  return
}

// CHECK: remark: [register-tile] blocks of 4 along loop 1 of the band of 2 over S0
// CHECK:      poly.band "[n] -> [{ S0[i, j] -> [(i - (i) mod 4)] }]" permutable coincident [true] {
// CHECK-NEXT:   poly.band "[n] -> [{ S0[i, j] -> [(j)] }]" permutable options "{{.*}}isolate{{.*}}" {
// CHECK-NEXT:     poly.band "[n] -> [{ S0[i, j] -> [(i)] }]" permutable coincident [true] loop_attributes {{\[\[}}#poly.vector<4>]]

// -----

// No load is shared along another parallel loop, but each sum stays in a register along %i.
func.func @transposed_product(%n: index, %A: memref<?x?xf64>, %x: memref<?xf64>, %y: memref<?xf64>) {
  affine.for %j = 0 to %n {
    affine.for %i = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %v = affine.load %x[%i] : memref<?xf64>
      %s = affine.load %y[%j] : memref<?xf64>
      %p = arith.mulf %a, %v : f64
      %d = arith.addf %s, %p : f64
      affine.store %d, %y[%j] : memref<?xf64>
    }
  }
  return
}

// CHECK: remark: [register-tile] blocks of 16 along loop 1 of the band of 2 over S0
// CHECK:      poly.band "[n] -> [{ S0[j, i] -> [(j - (j) mod 16)] }]" permutable coincident [true] {
// CHECK-NEXT:   poly.band "[n] -> [{ S0[j, i] -> [(i)] }]" permutable options "{{.*}}isolate{{.*}}" {
// CHECK-NEXT:     poly.band "[n] -> [{ S0[j, i] -> [(j)] }]" permutable coincident [true] loop_attributes {{\[\[}}#poly.vector<4>]]

// ROWS: error: rows must be 1 or more: rows=0
// VECTORS: error: vectors must be 1 or more: vectors=0
// WIDTH: error: width must be a power of two, 2 or more: width=3
// THREE: error: tiles must be three sizes, 1 or more: tiles=8,8
// WHOLE: error: tiles must hold whole blocks of 2 x 8: tiles=8,12,8

// -----

// Between iterations of the loop over a batch, nothing is reused: it is outside of all blocks.
func.func @batch(%n: index, %A: memref<?x?x?xf64>, %B: memref<?x?x?xf64>, %C: memref<?x?x?xf64>) {
  affine.for %b = 0 to %n {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        affine.for %k = 0 to %n {
          %a = affine.load %A[%b, %i, %k] : memref<?x?x?xf64>
          %d = affine.load %B[%b, %k, %j] : memref<?x?x?xf64>
          %c = affine.load %C[%b, %i, %j] : memref<?x?x?xf64>
          %p = arith.mulf %a, %d : f64
          %s = arith.addf %c, %p : f64
          affine.store %s, %C[%b, %i, %j] : memref<?x?x?xf64>
        }
      }
    }
  }
  return
}

// CHECK: remark: [register-tile] blocks are inside loop 1 of the band of 4 over S0
// CHECK: remark: [register-tile] blocks of 2 x 8 along loops 2 and 3 of the band of 4 over S0
// CHECK:      poly.band "[n] -> [{ S0[b, i, j, k] -> [(b)] }]" permutable coincident [true] {
// CHECK-NEXT:   poly.band "[n] -> [{ S0[b, i, j, k] -> [(j - (j) mod 8)] }, { S0[b, i, j, k] -> [(i - (i) mod 2)] }]" permutable coincident [true, true] {
// CHECK-NEXT:     poly.band "[n] -> [{ S0[b, i, j, k] -> [(k)] }]" permutable options "{{.*}}isolate{{.*}}" {
// CHECK-NEXT:       poly.band "[n] -> [{ S0[b, i, j, k] -> [(i)] }, { S0[b, i, j, k] -> [(j)] }]" permutable coincident [true, true] loop_attributes {{\[\[}}#poly.jam<2>], [#poly.vector<4>]]

// TILES: remark: [register-tile] tiles of 16 x 3 x 4 along loops 3, 4, 2 around the blocks
// TILES: remark: [register-tile] blocks are inside loop 1 of the band of 4 over S0
// TILES:      poly.band "[n] -> [{ S0[b, i, j, k] -> [(b)] }]" permutable coincident [true] {
// TILES-NEXT:   poly.band "[n] -> [{ S0[b, i, j, k] -> [(j - (j) mod 16)] }, {{.*}}

// -----

// The loops over r and s add up in a fixed order and have bands of their own: the block is inside.
func.func @convolution(%n: index, %F: memref<?x3x3xf64>, %X: memref<?x?xf64>, %Y: memref<?x?x?xf64>) {
  affine.for %k = 0 to %n {
    affine.for %y = 0 to %n {
      affine.for %x = 0 to %n {
        affine.for %r = 0 to 3 {
          affine.for %s = 0 to 3 {
            %f = affine.load %F[%k, %r, %s] : memref<?x3x3xf64>
            %v = affine.load %X[%y + %r, %x + %s] : memref<?x?xf64>
            %old = affine.load %Y[%k, %y, %x] : memref<?x?x?xf64>
            %p = arith.mulf %f, %v : f64
            %new = arith.addf %old, %p : f64
            affine.store %new, %Y[%k, %y, %x] : memref<?x?x?xf64>
          }
        }
      }
    }
  }
  return
}

// CHECK: remark: [register-tile] blocks are inside loop 2 of the band of 4 over S0
// CHECK: remark: [register-tile] blocks of 2 x 8 along loops 1 and 3 of the band of 4 over S0
// CHECK:      poly.band "[n] -> [{ S0[k, y, x, r, s] -> [(y)] }]" permutable coincident [true] {
// CHECK-NEXT:   poly.band "[n] -> [{ S0[k, y, x, r, s] -> [(x - (x) mod 8)] }, { S0[k, y, x, r, s] -> [(k - (k) mod 2)] }]" permutable coincident [true, true] {
// CHECK-NEXT:     poly.band "[n] -> [{ S0[k, y, x, r, s] -> [(r)] }, { S0[k, y, x, r, s] -> [(s)] }]" options "{{.*}}isolate{{.*}}" {
// CHECK-NEXT:       poly.band "[n] -> [{ S0[k, y, x, r, s] -> [(k)] }, { S0[k, y, x, r, s] -> [(x)] }]" permutable coincident [true, true] loop_attributes {{\[\[}}#poly.jam<2>], [#poly.vector<4>]]

// -----

// The loop over a batch stays inside where it is the only one that is in no block.
func.func @outer(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?x?xf64>) {
  affine.for %b = 0 to %n {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        %a = affine.load %A[%b, %i] : memref<?x?xf64>
        %d = affine.load %B[%b, %j] : memref<?x?xf64>
        %p = arith.mulf %a, %d : f64
        affine.store %p, %C[%b, %i, %j] : memref<?x?x?xf64>
      }
    }
  }
  return
}

// CHECK: remark: [register-tile] blocks of 2 x 8 along loops 2 and 3 of the band of 3 over S0
// CHECK:      poly.band "[n] -> [{ S0[b, i, j] -> [(j - (j) mod 8)] }, { S0[b, i, j] -> [(i - (i) mod 2)] }]" permutable coincident [true, true] {
// CHECK-NEXT:   poly.band "[n] -> [{ S0[b, i, j] -> [(b)] }]"

// -----

// Around a filter, which has few iterations, the vector loop is the last one of the image.
func.func @filter(%n: index, %A: memref<?x?xf64>, %W: memref<3x3xf64>, %B: memref<?x?xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %y = 0 to %n {
    affine.for %x = 0 to %n {
      affine.store %zero, %B[%y, %x] : memref<?x?xf64>
      affine.for %r = 0 to 3 {
        affine.for %s = 0 to 3 {
          %a = affine.load %A[%y + %r, %x + %s] : memref<?x?xf64>
          %w = affine.load %W[%r, %s] : memref<3x3xf64>
          %b = affine.load %B[%y, %x] : memref<?x?xf64>
          %p = arith.mulf %a, %w : f64
          %q = arith.addf %b, %p : f64
          affine.store %q, %B[%y, %x] : memref<?x?xf64>
        }
      }
    }
  }
  return
}

// CHECK: remark: [register-tile] vectors of 4 along loop 2 of the band of 2 over S0, S1
// CHECK:      poly.band "[n] -> [{ S0[y, x] -> [(y)]; S1[y, x, r, s] -> [(y)] }, { S0[y, x] -> [(x)]; S1[y, x, r, s] -> [(x)] }]" permutable coincident [true, true] loop_attributes {{\[\[}}], [#poly.vector<4>]]

// -----

// Loops of three iterations have no vectors of four, and a hundred copies are too many.
func.func @not_around(%n: index, %A: memref<?x3xf64>, %C: memref<?xf64>, %D: memref<?xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %y = 0 to %n {
    affine.for %x = 0 to 3 {
      affine.store %zero, %A[%y, %x] : memref<?x3xf64>
      affine.for %r = 0 to 3 {
        %a = affine.load %A[%y, %x] : memref<?x3xf64>
        %c = affine.load %C[%y - %r] : memref<?xf64>
        %q = arith.addf %a, %c : f64
        affine.store %q, %A[%y, %x] : memref<?x3xf64>
      }
    }
  }
  affine.for %x = 0 to %n {
    affine.store %zero, %D[%x] : memref<?xf64>
    affine.for %r = 0 to 100 {
      %c = affine.load %C[%x + %r] : memref<?xf64>
      %d = affine.load %D[%x] : memref<?xf64>
      %q = arith.mulf %d, %c : f64
      affine.store %q, %D[%x] : memref<?xf64>
    }
  }
  return
}

// CHECK-LABEL: @not_around
// CHECK-NOT:   poly.vector
