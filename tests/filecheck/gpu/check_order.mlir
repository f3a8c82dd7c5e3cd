// RUN: polyir-opt --check-gpu --emit=none %s 2>&1 | filecheck %s --check-prefix RIGHT
// RUN: sed -e '/poly.filter/s/S/X/' -e '/poly.band/s/S/X/' -e '/poly.filter/s/T/S/' -e '/poly.band/s/T/S/' -e 's/X\[i\]/T[i]/' %s > %t.swapped
// RUN: not polyir-opt --check-gpu --emit=none %t.swapped 2>&1 | filecheck %s --check-prefix ORDER
// RUN: not polyir-opt --emit=loops %t.swapped 2>&1 | filecheck %s --check-prefix ORDER

// The kernel of T needs what the kernel of S has written: the launches are in the order of the tree.

func.func @chain(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  poly.scop (%n as "n") context "[n] -> {  :  }" dependences <value, [flow "A" "[n] -> { S[i] -> T[i' = n - 1 - i] : 0 <= i < n }"]> {
    poly.stmt @S domain "[n] -> { S[i] : 0 <= i < n }" (%i) {
      %0 = affine.load %B[%i] : memref<?xf64>
      affine.store %0, %A[%i] : memref<?xf64>
    }
    poly.stmt @T domain "[n] -> { T[i] : 0 <= i < n }" (%i) {
      %0 = affine.load %A[symbol(%n) - %i - 1] : memref<?xf64>
      affine.store %0, %B[symbol(%n) + %i] : memref<?xf64>
    }
    poly.domain "[n] -> { S[i] : 0 <= i < n; T[i] : 0 <= i < n }" {
      poly.sequence {
        poly.filter "[n] -> { S[i] }" {
          poly.mark #poly.kernel<block [32]> {
            poly.band "[n] -> [{ S[i] -> [(i)] }]" coincident [true] loop_attributes [[#poly.map<thread x>]]
          }
        }
        poly.filter "[n] -> { T[i] }" {
          poly.mark #poly.kernel<block [32]> {
            poly.band "[n] -> [{ T[i] -> [(i)] }]" coincident [true] loop_attributes [[#poly.map<thread x>]]
          }
        }
      }
    }
  }
  return
}

// RIGHT: remark: [check-gpu] all 2 kernels are right

// ORDER: error: the schedule violates the flow dependence through A: S[0] must run before T[0] (n = 1)
