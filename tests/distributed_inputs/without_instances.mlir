// With these sizes, the second statement has no instance, and no rank holds elements of B.
builtin.module {
  func.func @without_instances(%A: memref<?xf64>, %B: memref<?xf64>, %n: index) {
    poly.scop (%n as "n") context "[n] -> {  : n >= 10 }" {
      poly.stmt @S0 domain "[n] -> { S0[i] : 0 <= i < n }" (%i) {
        %a = affine.load %A[%i] : memref<?xf64>
        %s = arith.addf %a, %a : f64
        affine.store %s, %A[%i] : memref<?xf64>
      }
      poly.stmt @S1 domain "[n] -> { S1[i] : 0 <= i <= 4 - n }" (%i_1) {
        %a_1 = affine.load %A[%i_1] : memref<?xf64>
        affine.store %a_1, %B[%i_1] : memref<?xf64>
      }
      poly.domain "[n] -> { S0[i] : 0 <= i < n; S1[i] : 0 <= i <= 4 - n }" {
        poly.sequence {
          poly.filter "[n] -> { S0[i] }" {
            poly.band "[n] -> [{ S0[i] -> [(i)] }]" coincident [false]
          }
          poly.filter "[n] -> { S1[i] }" {
            poly.band "[n] -> [{ S1[i] -> [(i)] }]" coincident [false]
          }
        }
      }
    }
    func.return
  }
}
