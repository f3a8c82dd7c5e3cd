// RUN: polyir-opt --check-gpu --emit=none %s 2>&1 | filecheck %s --check-prefix RIGHT
// RUN: polyir-opt --emit=loops %s | filecheck %s --check-prefix LOOPS
// RUN: sed -e '/^    poly.stmt @barrier/,/^    }/d' -e '/extension/d' -e '/filter.*barrier/d' %s > %t.missing
// RUN: not polyir-opt --check-gpu --emit=none %t.missing 2>&1 | filecheck %s --check-prefix MISSING
// RUN: not polyir-opt --emit=loops %t.missing 2>&1 | filecheck %s --check-prefix MISSING
// RUN: not polyir-opt --emit=c %t.missing 2>&1 | filecheck %s --check-prefix MISSING
// RUN: polyir-opt --no-check %t.missing | filecheck %s --check-prefix UNCHECKED
// RUN: polyir-opt --lower-poly=check=false %t.missing | filecheck %s --check-prefix UNCHECKED
// RUN: sed -e 's/\[\[#poly.map<block x>\]\]/[[#poly.map<thread y>]]/' -e 's/\[8\]/[8, 2]/' %s | not polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix BELOW
// RUN: sed 's/^      gpu.barrier/      %%0 = arith.addi %%t0, %%t0 : index\n      gpu.barrier/' %s | not polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix BESIDE

// A block turns a row round, through memory that its threads share: the barrier is necessary. A tree
// from text is checked before loops are made of it.

func.func @turn(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  poly.scop (%n as "n") context "[n] -> {  :  }" {
    poly.stmt @S0 domain "[n] -> { S0[b, i] : 0 <= b < n and 0 <= i < n }" (%b, %i) {
      %v = affine.load %A[%b, %i] : memref<?x?xf64>
      affine.store %v, %B[%b, %i] : memref<?x?xf64>
    }
    poly.stmt @S1 domain "[n] -> { S1[b, i] : 0 <= b < n and 0 <= i < n }" (%b, %i) {
      %v = affine.load %B[%b, symbol(%n) - %i - 1] : memref<?x?xf64>
      affine.store %v, %A[%b, %i] : memref<?x?xf64>
    }
    poly.stmt @barrier domain "[n] -> { barrier[t0] : 0 <= t0 < n }" (%t0) {
      gpu.barrier
    }
    poly.domain "[n] -> { S0[b, i] : 0 <= b < n and 0 <= i < n; S1[b, i] : 0 <= b < n and 0 <= i < n }" {
      poly.mark #poly.kernel<block [8]> {
        poly.band "[n] -> [{ S0[b, i] -> [(b)]; S1[b, i] -> [(b)] }]" coincident [false] loop_attributes [[#poly.map<block x>]] {
          poly.extension "[n] -> { [i0] -> barrier[t0 = i0] : 0 <= i0 < n }" {
            poly.sequence {
              poly.filter "[n] -> { S0[b, i] }" {
                poly.band "[n] -> [{ S0[b, i] -> [(i)] }]" coincident [false] loop_attributes [[#poly.map<thread x>]]
              }
              poly.filter "[n] -> { barrier[t0] }"
              poly.filter "[n] -> { S1[b, i] }" {
                poly.band "[n] -> [{ S1[b, i] -> [(i)] }]" coincident [false] loop_attributes [[#poly.map<thread x>]]
              }
            }
          } // extension
        }
      }
    }
  }
  return
}

// RIGHT: remark: [check-gpu] the only kernel is right

// LOOPS: gpu.barrier

// MISSING: error: S0[0, 0] writes B[0, 0], which S1[0, 1] reads in another thread of the block, without a barrier between them (n = 2)

// UNCHECKED: gpu.launch

// BELOW: error: not all threads of a block reach the barrier barrier[0] (n = 1): it is below a loop that is mapped to thread y

// BESIDE: error: @barrier has a barrier beside other operations: the threads of a block would not all reach it, or all run the others
