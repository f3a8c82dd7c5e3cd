// RUN: polyir-opt --gpu-synchronise --emit=poly --remarks %s 2>&1 | filecheck %s 

// A tree as a user would edit it: all of the loop over time in one kernel of one block.
func.func @steps(%steps: index, %a: memref<64xf64>, %b: memref<64xf64>) {
  poly.scop (%steps as "n") context "[n] -> { : n >= 0 }" {
    poly.stmt @S domain "[n] -> { S[t, i] : 0 <= t < n and 0 < i < 63 }" (%t, %i) {
      %0 = affine.load %a[%i - 1] : memref<64xf64>
      %1 = affine.load %a[%i + 1] : memref<64xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %b[%i] : memref<64xf64>
    }
    poly.stmt @T domain "[n] -> { T[t, i] : 0 <= t < n and 0 < i < 63 }" (%t, %i) {
      %0 = affine.load %b[%i] : memref<64xf64>
      affine.store %0, %a[%i] : memref<64xf64>
    }
    poly.domain "[n] -> { S[t, i] : 0 <= t < n and 0 < i < 63; T[t, i] : 0 <= t < n and 0 < i < 63 }" {
      poly.mark #poly.kernel<block [64]> {
        poly.band "[n] -> [{ S[t, i] -> [(t)]; T[t, i] -> [(t)] }]" coincident [false] {
          poly.sequence {
            poly.filter "[n] -> { S[t, i] }" {
              poly.band "[n] -> [{ S[t, i] -> [(i)] }]" coincident [true] loop_attributes [[#poly.map<thread x>]]
            }
            poly.filter "[n] -> { T[t, i] }" {
              poly.band "[n] -> [{ T[t, i] -> [(63 - i)] }]" coincident [true] loop_attributes [[#poly.map<thread x>]]
            }
          }
        }
      }
    }
  }
  return
}

// T[t, i] overwrites what other threads read, in another order, and S[t + 1, i] reads it.
// CHECK: remark: [gpu-synchronise] a barrier after each iteration of loop 1 around S, T
// CHECK: remark: [gpu-synchronise] a barrier before T
// CHECK: poly.stmt @barrier0
// CHECK: gpu.barrier
// CHECK: poly.sequence
