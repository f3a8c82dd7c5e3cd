// RUN: polyir-opt --promote="arrays=p,q loop=S0.1,S1.1,S2.1 space=heap" --remarks --emit=c %s 2>&1 | filecheck %s
// RUN: not polyir-opt --promote="arrays=q loop=S0.1,S1.1 space=heap" %s 2>&1 | filecheck %s --check-prefix NOWHERE
// RUN: not polyir-opt --promote="arrays=p loop=S0.2,S0.1 space=heap" %s 2>&1 | filecheck %s --check-prefix NESTED

// Each array becomes local in the loops that access it; S0.1 and S1.1 are one loop.

func.func @sweeps(%steps: index, %n: index, %u: memref<?x?xf64>, %p: memref<?x?xf64>, %q: memref<?x?xf64>) {
  affine.for %t = 0 to %steps {
    affine.for %i = 0 to %n {
      affine.for %j = 1 to %n {
        %0 = affine.load %u[%i, %j - 1] : memref<?x?xf64>
        affine.store %0, %p[%i, %j] : memref<?x?xf64>
      }
      affine.for %j = 1 to %n {
        %0 = affine.load %p[%i, %n - %j] : memref<?x?xf64>
        affine.store %0, %u[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 0 to %n {
      affine.for %j = 1 to %n {
        %0 = affine.load %u[%i, %j - 1] : memref<?x?xf64>
        affine.store %0, %p[%i, %j] : memref<?x?xf64>
        affine.store %0, %q[%i, %j] : memref<?x?xf64>
      }
      affine.for %j = 1 to %n {
        %0 = affine.load %p[%i, %n - %j] : memref<?x?xf64>
        %1 = affine.load %q[%i, %n - %j] : memref<?x?xf64>
        %2 = arith.addf %0, %1 : f64
        affine.store %2, %u[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// CHECK: remark: [promote] an iteration of S0.1 keeps ? elements of p in p_local, without copies
// CHECK: remark: [promote] an iteration of S2.1 keeps ? elements of p in p_local_0, copied out
// CHECK: remark: [promote] an iteration of S2.1 keeps ? elements of q in q_local, copied out
// CHECK-NOT: remark: [promote]
// CHECK: p_local[j - 1] = u[i][j - 1];
// CHECK: u[i][j] = p_local[n - j - 1];
// CHECK: p_local_1[j - 1] = u{{.*}};
// CHECK: q_local[j - 1] = u{{.*}};
// CHECK: u[i][j] = p_local_1[n - j - 1] + q_local[n - j - 1];

// NOWHERE: error: q cannot be promoted: an iteration of S0.1 does not access it

// NESTED: error: p cannot be promoted: one of the loops is inside of another
