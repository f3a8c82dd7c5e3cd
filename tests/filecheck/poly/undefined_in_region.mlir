// RUN: not polyir-opt %s 2>&1 | filecheck %s

// A value is only visible in the region that defines it, and in those inside.
builtin.module {
  func.func @f(%n: index, %A: memref<?xf64>) {
    %z = arith.constant 0.000000e+00 : f64
    poly.scop (%n as "n") {
      poly.stmt @S0 domain "[n] -> { S0[i] : 0 <= i < n }" (%i) {
        affine.store %z, %A[%j] : memref<?xf64>
      }
      poly.stmt @S1 domain "[n] -> { S1[j] : 0 <= j < n }" (%j) {
        affine.store %z, %A[%j] : memref<?xf64>
      }
      poly.domain "[n] -> { S0[i] : 0 <= i < n; S1[j] : 0 <= j < n }" {
        poly.sequence {
          poly.filter "[n] -> { S0[i] }" {
            poly.band "[n] -> [{ S0[i] -> [(i)] }]"
          }
          poly.filter "[n] -> { S1[j] }" {
            poly.band "[n] -> [{ S1[j] -> [(j)] }]"
          }
        }
      }
    }
    func.return
  }
}

// CHECK: {{.*}}:{{[0-9]+}}:{{[0-9]+}}: error: use of the undefined value '%j'
