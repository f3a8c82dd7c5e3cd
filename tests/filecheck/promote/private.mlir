// RUN: polyir-opt --tile="sizes=8 min-width=1" --wavefront=which=inner --promote-private --remarks --emit=c %s 2>&1 | filecheck %s
// RUN: polyir-opt --promote-private=arrays=p,q,u,all --remarks --emit=c %s 2>&1 | filecheck %s --check-prefix NAMED
// RUN: polyir-opt --pluto-schedule=fuse=none --promote-private %s 2>&1 | filecheck %s --check-prefix APART
// RUN: not polyir-opt --promote-private=arrays=w %s 2>&1 | filecheck %s --check-prefix UNKNOWN

// An iteration of the first loop over i keeps p and q for itself; the last time step copies them out.
// All that is written to `all` remains.

func.func @sweeps(%steps: index, %n: index, %u: memref<?x?xf64>, %v: memref<?x?xf64>, %p: memref<?x?xf64>, %q: memref<?xf64>, %all: memref<?x?x?xf64>) {
  %one = arith.constant 1.0 : f64
  affine.for %t = 0 to %steps {
    affine.for %i = 1 to %n {
      affine.store %one, %p[%i, 0] : memref<?x?xf64>
      affine.for %j = 1 to %n {
        %0 = affine.load %p[%i, %j - 1] : memref<?x?xf64>
        %1 = affine.load %u[%j, %i - 1] : memref<?x?xf64>
        %2 = arith.divf %1, %0 : f64
        affine.store %2, %p[%i, %j] : memref<?x?xf64>
        affine.store %2, %q[%i] : memref<?xf64>
        %3 = affine.load %q[%i] : memref<?xf64>
        affine.store %3, %all[%t, %i, %j] : memref<?x?x?xf64>
      }
      affine.for %j = 1 to %n {
        %0 = affine.load %p[%i, %n - %j] : memref<?x?xf64>
        %1 = affine.load %v[%n - %j + 1, %i] : memref<?x?xf64>
        %2 = affine.load %all[%t, %i, %j] : memref<?x?x?xf64>
        %3 = arith.addf %0, %1 : f64
        %4 = arith.addf %2, %3 : f64
        affine.store %4, %v[%n - %j, %i] : memref<?x?xf64>
      }
    }
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %n {
        %0 = affine.load %v[%j, %i] : memref<?x?xf64>
        affine.store %0, %u[%j, %i] : memref<?x?xf64>
      }
    }
  }
  return
}

// CHECK: remark: [promote-private] an iteration of the parallel loop around S0, S1, S2, S3 keeps ? x 8 elements of p in p_local, copied out
// CHECK: remark: [promote-private] an iteration of the parallel loop around S0, S1, S2, S3 keeps 8 elements of q in q_local, copied out
// CHECK: p_local[0][i - ti] = 1.0;
// CHECK: const double t_2 = u[j][i - 1] / p_local[j - 1][i - ti];
// CHECK: p_local[j][i - ti] = t_2;
// CHECK: q_local[i - ti] = t_2;
// CHECK: all[t_1][i][j] = q_local[i - ti];
// CHECK: v[n - j][i] = all[t_1][i][j] + (p_local[n - j][i - ti] + v[n - j + 1][i]);
// CHECK: if (steps - t_1 == 1) {
// CHECK: p[p0][p1] = p_local[p1][p0 - ti];
// CHECK: q[q0] = q_local[q0 - ti];

// NAMED: remark: [promote-private] {{.*}} keeps ? elements of p in p_local, copied out
// NAMED: remark: [promote-private] {{.*}} keeps one element of q in q_local, copied out
// NAMED: warning: [promote-private] u is not private: S1 reads values that S4 writes in another iteration
// NAMED: warning: [promote-private] all is not private: too many iterations write values that are read elsewhere

// APART: warning: [promote-private] no array is private to the iterations of a parallel loop

// UNKNOWN: error: there is no array w (the scop accesses p, u, q, all, v)
