// RUN: polyir-opt --print-dependences --emit=none %s | filecheck %s
// RUN: polyir-opt --poly-raise=data-loops --print-dependences --emit=none %s | filecheck %s --check-prefix LOOPS
// RUN: polyir-opt --poly-raise=data-loops --emit=poly %s | filecheck %s --check-prefix POLY

// Figure 15.15 of the chapter, and its relations of section 15.3.2.1.
// CHECK: // value-based dependences in @figure_15_15:
// CHECK-NEXT: // flow    A  S0 (may) -> S0 (may)  (+)  [n] -> { S0[i] -> S0[i'] : p(i) = q(i') and i >= 0 and i < i' < n }
// CHECK-NEXT: // anti    A  S0 (may) -> S0 (may)  (+)  [n] -> { S0[i] -> S0[i'] : q(i) = p(i') and i >= 0 and i < i' < n }
// CHECK-NEXT: // output  A  S0 (may) -> S0 (may)  (+)  [n] -> { S0[i] -> S0[i'] : p(i) = p(i') and i >= 0 and i < i' < n }
func.func @figure_15_15(%n: index, %A: memref<?xf64>, %p: memref<?xindex>, %q: memref<?xindex>) {
  affine.for %i = 0 to %n {
    %pi = affine.load %p[%i] : memref<?xindex>
    %qi = affine.load %q[%i] : memref<?xindex>
    %v = memref.load %A[%qi] : memref<?xf64>
    %w = arith.addf %v, %v : f64
    memref.store %w, %A[%pi] : memref<?xf64>
  }
  return
}

// Subscripts may nest, be affine in elements, and have several dimensions.
// CHECK: // value-based dependences in @nested:
// CHECK-NEXT: // flow {{.*}} { S0[i, j] -> S0[i', j' = j] : q(p(i)) = 1 + q(p(i')) and
// CHECK-NEXT: // anti {{.*}} { S0[i, j] -> S0[i', j' = j] : q(p(i)) = -1 + q(p(i')) and
// CHECK-NEXT: // output {{.*}} { S0[i, j] -> S0[i', j' = j] : q(p(i)) = q(p(i')) and
func.func @nested(%n: index, %A: memref<?x?xf64>, %p: memref<?xindex>, %q: memref<?xi32>) {
  %one = arith.constant 1 : index
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %p[%i] : memref<?xindex>
      %b = memref.load %q[%a] : memref<?xi32>
      %c = arith.index_cast %b : i32 to index
      %d = arith.addi %c, %one : index
      %v = memref.load %A[%d, %j] : memref<?x?xf64>
      memref.store %v, %A[%c, %j] : memref<?x?xf64>
    }
  }
  return
}

// An array of two dimensions is a function of two arguments.
// CHECK: // value-based dependences in @edges:
// CHECK-NEXT: // flow {{.*}} { S0[e] -> S0[e'] : node(e, 0) = node(e', 1) and e >= 0 and e < e' < n }
func.func @edges(%n: index, %A: memref<?xf64>, %node: memref<?x2xindex>) {
  affine.for %e = 0 to %n {
    %a = affine.load %node[%e, 0] : memref<?x2xindex>
    %b = affine.load %node[%e, 1] : memref<?x2xindex>
    %v = memref.load %A[%b] : memref<?xf64>
    memref.store %v, %A[%a] : memref<?xf64>
  }
  return
}

// An array that the scop writes is not a function.
// CHECK: // value-based dependences in @changing:
// CHECK: // output  A  S0 (may) -> S0 (may)  (+) {{ *}}[n] -> { S0[i] -> S0[i'] : i >= 0 and i < i' < n }
func.func @changing(%n: index, %A: memref<?xf64>, %p: memref<?xindex>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    %pi = affine.load %p[%i] : memref<?xindex>
    memref.store %zero, %A[%pi] : memref<?xf64>
    affine.store %i, %p[%i] : memref<?xindex>
  }
  return
}

// Gauss-Seidel on a sparse matrix in CSR form: the loop over a row is part of the statement.
// LOOPS: // value-based dependences in @gauss_seidel:
// LOOPS-NEXT: // flow {{.*}} (1,0-) (0,+)  [t, n] -> { S0[s, i = ci(k)] -> S0[s' = 1 + s, i'] : exists k: ci(k) < n and rp(i') <= k < rp(1 + i') and
// LOOPS-NEXT: // anti {{.*}} (1,0-) (0,+)  [t, n] -> { S0[s, i] -> S0[s' = 1 + s, i' = ci(k)] : exists k: ci(k) >= 0 and rp(i) <= k < rp(1 + i) and
// LOOPS-NEXT: // output  x  S0 -> S0 {{ +}} (1,0) {{ +}} [t, n] -> { S0[s, i] -> S0[s' = 1 + s, i' = i] :
// POLY: func.func @gauss_seidel
// POLY: poly.stmt @S0 domain "[t, n] -> { S0[s, i] : 0 <= s < t and 0 <= i < n }" (%s, %i{{.*}}) {
// POLY: scf.for %k{{.*}} = %lo{{.*}} to %hi{{.*}} step %{{.*}} iter_args(
func.func @gauss_seidel(%n: index, %t: index, %rp: memref<?xindex>, %ci: memref<?xindex>, %v: memref<?xf64>, %x: memref<?xf64>, %b: memref<?xf64>) {
  %one = arith.constant 1 : index
  affine.for %s = 0 to %t {
    affine.for %i = 0 to %n {
      %lo = affine.load %rp[%i] : memref<?xindex>
      %hi = affine.load %rp[%i + 1] : memref<?xindex>
      %b0 = affine.load %b[%i] : memref<?xf64>
      %sum = scf.for %k = %lo to %hi step %one iter_args(%a = %b0) -> f64 {
        %c = memref.load %ci[%k] : memref<?xindex>
        %xv = memref.load %x[%c] : memref<?xf64>
        %vv = memref.load %v[%k] : memref<?xf64>
        %m = arith.mulf %vv, %xv : f64
        %r = arith.subf %a, %m : f64
        scf.yield %r : f64
      }
      affine.store %sum, %x[%i] : memref<?xf64>
    }
  }
  return
}

// A condition on elements is part of the relation: nothing above the diagonal is read.
// LOOPS: // value-based dependences in @lower_part:
// LOOPS-NEXT: // flow {{.*}} { S0[i = ci(k')] -> S0[i'] : exists {{.*}} and ci(k') < i' < n }
// LOOPS-NOT: // anti
// LOOPS-NOT: // output
func.func @lower_part(%n: index, %rp: memref<?xindex>, %ci: memref<?xindex>, %x: memref<?xf64>) {
  %one = arith.constant 1 : index
  affine.for %i = 0 to %n {
    %lo = affine.load %rp[%i] : memref<?xindex>
    %hi = affine.load %rp[%i + 1] : memref<?xindex>
    scf.for %k = %lo to %hi step %one {
      %c = memref.load %ci[%k] : memref<?xindex>
      %is_lower = arith.cmpi slt, %c, %i : index
      scf.if %is_lower {
        %xv = memref.load %x[%c] : memref<?xf64>
        %yv = affine.load %x[%i] : memref<?xf64>
        %m = arith.addf %yv, %xv : f64
        affine.store %m, %x[%i] : memref<?xf64>
      }
    }
  }
  return
}
