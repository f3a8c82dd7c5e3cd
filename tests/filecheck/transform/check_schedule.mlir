// RUN: polyir-opt --check-schedule="{ S0[i,j] -> [0,i,j]; S1[i,j,k] -> [1,k,i,j] }" --emit=none %s | filecheck %s --check-prefix LEGAL
// RUN: not polyir-opt --check-schedule="{ S0[i,j] -> [2,i,j]; S1[i,j,k] -> [1,k,i,j] }" --emit=none %s 2>&1 | filecheck %s --check-prefix ILLEGAL
// RUN: echo "{ S0[i,j] -> [0,i,j]; S1[i,j,k] -> [0,i,j] }" > %t.map
// RUN: not polyir-opt --check-schedule=file=%t.map --emit=none %s 2>&1 | filecheck %s --check-prefix TIES
// RUN: not polyir-opt --check-schedule="{ T[i] -> [i] }" --emit=none %s 2>&1 | filecheck %s --check-prefix UNKNOWN
// RUN: not polyir-opt --check-schedule="schedule='{ S0[i] -> [i] }' file=x" --emit=none %s 2>&1 | filecheck %s --check-prefix BOTH

func.func @product(%n: index, %a: memref<?x?xf64>, %b: memref<?x?xf64>, %c: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %zero = arith.constant 0.0 : f64
      affine.store %zero, %c[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %n {
        %0 = affine.load %a[%i, %k] : memref<?x?xf64>
        %1 = affine.load %b[%k, %j] : memref<?x?xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %c[%i, %j] : memref<?x?xf64>
        %4 = arith.addf %3, %2 : f64
        affine.store %4, %c[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// LEGAL: // the schedule respects all 5 dependences of @product

// ILLEGAL:      check_schedule.mlir:{{[0-9]+}}:3: error: the schedule violates 2 of 5 dependences:
// ILLEGAL-NEXT:   the flow dependence through c: S0[0, 0] must run before S1[0, 0, 0] (n = 1)
// ILLEGAL-NEXT:   the output dependence through c: S0[0, 0] must run before S1[0, 0, 0] (n = 1)

// TIES:      error: the schedule violates 5 of 5 dependences:
// TIES-NEXT:   the flow dependence through c: S0[0, 0] must run before S1[0, 0, 0] (n = 1)
// TIES-NEXT:   the flow dependence through c: S1[0, 0, 0] must run before S1[0, 0, 1] (n = 2)
// TIES-NEXT:   the anti dependence through c: S1[0, 0, 0] must run before S1[0, 0, 1] (n = 2)
// TIES-NEXT:   the output dependence through c: S0[0, 0] must run before S1[0, 0, 0] (n = 1)
// TIES-NEXT:   the output dependence through c: S1[0, 0, 0] must run before S1[0, 0, 1] (n = 2)

// UNKNOWN: error: the given schedule orders 'T', which is not a statement (statements: S0, S1)
// BOTH: error: give exactly one schedule:
