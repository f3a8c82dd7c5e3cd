// RUN: not polyir-opt --split-input-file --emit=poly %s 2>&1 | filecheck %s

func.func @misses(%n: index, %A: memref<?xf64>) {
  poly.scop (%n as "n") context "[n] -> { : n > 0 }" {
    poly.stmt @S0 domain "[n] -> { S0[i] : 0 <= i < n }" (%i) {
      %0 = affine.load %A[%i] : memref<?xf64>
      affine.store %0, %A[%i] : memref<?xf64>
    }
    poly.domain "[n] -> { S0[i] : 0 <= i < n - 1 }"
  }
  return
}
// CHECK: invalid.mlir:4:3: error: 'poly.scop' op the schedule tree does not cover the statements: it misses [n] -> { S0[i = -1 + n] : n > 0 }

// -----

func.func @undeclared(%n: index, %A: memref<?xf64>) {
  poly.scop (%n as "n") context "[n] -> { : n > 0 }" {
    poly.stmt @S0 domain "[m] -> { S0[i] : 0 <= i < m }" (%i) {
    }
    poly.domain "[m] -> { S0[i] : 0 <= i < m }"
  }
  return
}
// CHECK: invalid.mlir:18:3: error: 'poly.scop' op does not declare the parameter 'm'

// -----

func.func @nobody(%n: index) {
  poly.scop (%n as "n") context "[n] -> { : n > 0 }" {
    poly.stmt @S0 domain "[n] -> { S0[i] : 0 <= i < n }" (%i) {
    }
    poly.domain "[n] -> { S0[i] : 0 <= i < n }" {
      poly.sequence {
        poly.filter "[n] -> { S0[i] }"
        poly.filter "[n] -> { S1[i] }"
      }
    }
  }
  return
}
// CHECK: invalid.mlir:30:3: error: 'poly.scop' op has a filter for an unknown statement: [n] -> { S1[i] }

// -----

func.func @twice(%n: index) {
  poly.scop (%n as "n") context "[n] -> { : n > 0 }" {
    poly.stmt @S0 domain "[n] -> { S0[i] : 0 <= i < n }" (%i) {
    }
    poly.domain "[n] -> { S0[i] : 0 <= i < n }" {
      poly.sequence {
        poly.filter "[n] -> { S0[i] : i >= 3 }"
        poly.filter "[n] -> { S0[i] : i <= 3 }"
      }
    }
  }
  return
}
// CHECK: invalid.mlir:51:7: error: 'poly.sequence' op has filters that overlap

// -----

func.func @undefined(%n: index) {
  poly.scop (%n as "n") context "[n] -> { : n > 0 }" {
    poly.stmt @S0 domain "[n] -> { S0[i] : 0 <= i < n }" (%i) {
    }
    poly.domain "[n] -> { S0[i] : 0 <= i < n }" {
      poly.band "[n] -> [{ S0[i] -> [(i)] : i > 0 }]" coincident [false]
    }
  }
  return
}
// CHECK: invalid.mlir:68:7: error: 'poly.band' op is not defined on all instances that reach it

// -----

func.func @malformed(%n: index) {
  poly.scop (%n as "n") context "[n] -> { : n > }" {
  }
  return
}
// CHECK: invalid.mlir:78:33: error: malformed isl object for poly.set

// -----

func.func @stranger(%n: index) {
  poly.scop (%n as "n") context "[n] -> { : n > 0 }" dependences <value, [
      flow "A" "[n] -> { S1[i] -> S0[i + 1] }"] order "{ S0[i] -> [i] }"> {
    poly.stmt @S0 domain "[n] -> { S0[i] : 0 <= i < n }" (%i) {
    }
    poly.domain "[n] -> { S0[i] : 0 <= i < n }"
  }
  return
}
// CHECK: invalid.mlir:87:3: error: 'poly.scop' op has a dependence of an unknown statement 'S1'

// -----

func.func @nameless(%n: index) {
  poly.scop (%n as "n") context "[n] -> { : n > 0 }" dependences <value, [
      flow "A" "[n] -> { S0[i] -> [i + 1] }"] order "{ S0[i] -> [i] }"> {
    poly.stmt @S0 domain "[n] -> { S0[i] : 0 <= i < n }" (%i) {
    }
    poly.domain "[n] -> { S0[i] : 0 <= i < n }"
  }
  return
}
// CHECK: invalid.mlir:100:3: error: 'poly.scop' op has a dependence of an unknown statement ''

// -----

func.func @dimensions(%n: index) {
  poly.scop (%n as "n") context "[n] -> { : n > 0 }" dependences <value, [
      flow "A" "[n] -> { S0[i] -> S0[i, 1] }"] order "{ S0[i] -> [i] }"> {
    poly.stmt @S0 domain "[n] -> { S0[i] : 0 <= i < n }" (%i) {
    }
    poly.domain "[n] -> { S0[i] : 0 <= i < n }"
  }
  return
}
// CHECK: invalid.mlir:113:3: error: 'poly.scop' op has a dependence with wrong dimensions of @S0

// -----

func.func @foreign(%n: index) {
  poly.scop (%n as "n") context "[n] -> { : n > 0 }" dependences <value, [
      flow "A" "[m] -> { S0[i] -> S0[i + 1] : i < m }"] order "{ S0[i] -> [i] }"> {
    poly.stmt @S0 domain "[n] -> { S0[i] : 0 <= i < n }" (%i) {
    }
    poly.domain "[n] -> { S0[i] : 0 <= i < n }"
  }
  return
}
// CHECK: invalid.mlir:126:3: error: 'poly.scop' op does not declare the parameter 'm'

// -----

func.func @undeclared_in_tree(%n: index) {
  poly.scop (%n as "n") {
    poly.stmt @S0 domain "[n] -> { S0[i] : 0 <= i < n }" (%i) {
    }
    poly.domain "[n] -> { S0[i] : 0 <= i < n }" {
      poly.sequence {
        poly.filter "[n, m] -> { S0[i] }"
      }
    }
  }
  return
}
// CHECK: invalid.mlir:{{.*}}: error: 'poly.scop' op does not declare the parameter 'm'
