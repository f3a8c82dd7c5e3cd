// Pluto paper, figure 11: the four-index transform of the Tensor Contraction Engine. Each of four
// nests of depth five contracts one index: A with C4 to T1, with C3 to T2, with C2 to T3, and with
// C1 to the result B.
func.func @tce_four_index(%n: index, %A: memref<?x?x?x?xf64>, %C1: memref<?x?xf64>,
                          %C2: memref<?x?xf64>, %C3: memref<?x?xf64>, %C4: memref<?x?xf64>,
                          %T1: memref<?x?x?x?xf64>, %T2: memref<?x?x?x?xf64>,
                          %T3: memref<?x?x?x?xf64>, %B: memref<?x?x?x?xf64>) {
  affine.for %a = 0 to %n {
    affine.for %q = 0 to %n {
      affine.for %r = 0 to %n {
        affine.for %s = 0 to %n {
          affine.for %p = 0 to %n {
            %old = affine.load %T1[%a, %q, %r, %s] : memref<?x?x?x?xf64>
            %source = affine.load %A[%p, %q, %r, %s] : memref<?x?x?x?xf64>
            %factor = affine.load %C4[%p, %a] : memref<?x?xf64>
            %product = arith.mulf %source, %factor : f64
            %new = arith.addf %old, %product : f64
            affine.store %new, %T1[%a, %q, %r, %s] : memref<?x?x?x?xf64>
          }
        }
      }
    }
  }
  affine.for %a = 0 to %n {
    affine.for %b = 0 to %n {
      affine.for %r = 0 to %n {
        affine.for %s = 0 to %n {
          affine.for %q = 0 to %n {
            %old = affine.load %T2[%a, %b, %r, %s] : memref<?x?x?x?xf64>
            %source = affine.load %T1[%a, %q, %r, %s] : memref<?x?x?x?xf64>
            %factor = affine.load %C3[%q, %b] : memref<?x?xf64>
            %product = arith.mulf %source, %factor : f64
            %new = arith.addf %old, %product : f64
            affine.store %new, %T2[%a, %b, %r, %s] : memref<?x?x?x?xf64>
          }
        }
      }
    }
  }
  affine.for %a = 0 to %n {
    affine.for %b = 0 to %n {
      affine.for %c = 0 to %n {
        affine.for %s = 0 to %n {
          affine.for %r = 0 to %n {
            %old = affine.load %T3[%a, %b, %c, %s] : memref<?x?x?x?xf64>
            %source = affine.load %T2[%a, %b, %r, %s] : memref<?x?x?x?xf64>
            %factor = affine.load %C2[%r, %c] : memref<?x?xf64>
            %product = arith.mulf %source, %factor : f64
            %new = arith.addf %old, %product : f64
            affine.store %new, %T3[%a, %b, %c, %s] : memref<?x?x?x?xf64>
          }
        }
      }
    }
  }
  affine.for %a = 0 to %n {
    affine.for %b = 0 to %n {
      affine.for %c = 0 to %n {
        affine.for %d = 0 to %n {
          affine.for %s = 0 to %n {
            %old = affine.load %B[%a, %b, %c, %d] : memref<?x?x?x?xf64>
            %source = affine.load %T3[%a, %b, %c, %s] : memref<?x?x?x?xf64>
            %factor = affine.load %C1[%s, %d] : memref<?x?xf64>
            %product = arith.mulf %source, %factor : f64
            %new = arith.addf %old, %product : f64
            affine.store %new, %B[%a, %b, %c, %d] : memref<?x?x?x?xf64>
          }
        }
      }
    }
  }
  return
}
