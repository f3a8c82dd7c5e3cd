// adi of PolyBench/C 4.2.1, alternating direction implicit solver for the heat equation in two
// dimensions: in each time step a sweep along the columns, u to v, and one along the rows, v to u.
// The back substitutions run from the last inner point to the first.
#inner = affine_map<()[s0] -> (s0 - 1)>
#backwards = affine_map<(d0)[s0] -> (s0 - 1 - d0)>

func.func @kernel_adi(%tsteps: index, %n: index, %u: memref<?x?xf64>, %v: memref<?x?xf64>,
                      %p: memref<?x?xf64>, %q: memref<?x?xf64>) {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64

  // The coefficients from the widths of a cell and of a time step.
  %n_integer = arith.index_cast %n : index to i64
  %n_float = arith.sitofp %n_integer : i64 to f64
  %tsteps_integer = arith.index_cast %tsteps : index to i64
  %tsteps_float = arith.sitofp %tsteps_integer : i64 to f64
  %DX = arith.divf %one, %n_float : f64
  %DY = arith.divf %one, %n_float : f64
  %DT = arith.divf %one, %tsteps_float : f64
  %B1_DT = arith.mulf %two, %DT : f64
  %DX_DX = arith.mulf %DX, %DX : f64
  %mul1 = arith.divf %B1_DT, %DX_DX : f64
  %B2_DT = arith.mulf %one, %DT : f64
  %DY_DY = arith.mulf %DY, %DY : f64
  %mul2 = arith.divf %B2_DT, %DY_DY : f64
  %minus_mul1 = arith.negf %mul1 : f64
  %minus_mul2 = arith.negf %mul2 : f64
  %a = arith.divf %minus_mul1, %two : f64
  %b = arith.addf %one, %mul1 : f64
  %d = arith.divf %minus_mul2, %two : f64
  %e = arith.addf %one, %mul2 : f64
  // c = a and f = d.
  %minus_a = arith.negf %a : f64
  %minus_d = arith.negf %d : f64
  %two_a = arith.mulf %two, %a : f64
  %two_d = arith.mulf %two, %d : f64
  %one_two_a = arith.addf %one, %two_a : f64
  %one_two_d = arith.addf %one, %two_d : f64

  affine.for %t = 1 to affine_map<()[s0] -> (s0 + 1)>()[%tsteps] {
    // Column sweep.
    affine.for %i = 1 to #inner()[%n] {
      affine.store %one, %v[0, %i] : memref<?x?xf64>
      affine.store %zero, %p[%i, 0] : memref<?x?xf64>
      %border = affine.load %v[0, %i] : memref<?x?xf64>
      affine.store %border, %q[%i, 0] : memref<?x?xf64>
      affine.for %j = 1 to #inner()[%n] {
        %p0 = affine.load %p[%i, %j - 1] : memref<?x?xf64>
        %ap0 = arith.mulf %a, %p0 : f64
        %p_divisor = arith.addf %ap0, %b : f64
        %new_p = arith.divf %minus_a, %p_divisor : f64
        affine.store %new_p, %p[%i, %j] : memref<?x?xf64>

        %before = affine.load %u[%j, %i - 1] : memref<?x?xf64>
        %here = affine.load %u[%j, %i] : memref<?x?xf64>
        %after = affine.load %u[%j, %i + 1] : memref<?x?xf64>
        %q0 = affine.load %q[%i, %j - 1] : memref<?x?xf64>
        %p1 = affine.load %p[%i, %j - 1] : memref<?x?xf64>
        %t0 = arith.mulf %minus_d, %before : f64
        %t1 = arith.mulf %one_two_d, %here : f64
        %t2 = arith.mulf %d, %after : f64
        %t3 = arith.mulf %a, %q0 : f64
        %s0 = arith.addf %t0, %t1 : f64
        %s1 = arith.subf %s0, %t2 : f64
        %s2 = arith.subf %s1, %t3 : f64
        %ap1 = arith.mulf %a, %p1 : f64
        %q_divisor = arith.addf %ap1, %b : f64
        %new_q = arith.divf %s2, %q_divisor : f64
        affine.store %new_q, %q[%i, %j] : memref<?x?xf64>
      }
      affine.store %one, %v[%n - 1, %i] : memref<?x?xf64>
      affine.for %step = 1 to #inner()[%n] {
        %j = affine.apply #backwards(%step)[%n]
        %pj = affine.load %p[%i, %j] : memref<?x?xf64>
        %next = affine.load %v[%j + 1, %i] : memref<?x?xf64>
        %qj = affine.load %q[%i, %j] : memref<?x?xf64>
        %product = arith.mulf %pj, %next : f64
        %new_v = arith.addf %product, %qj : f64
        affine.store %new_v, %v[%j, %i] : memref<?x?xf64>
      }
    }
    // Row sweep.
    affine.for %i = 1 to #inner()[%n] {
      affine.store %one, %u[%i, 0] : memref<?x?xf64>
      affine.store %zero, %p[%i, 0] : memref<?x?xf64>
      %border = affine.load %u[%i, 0] : memref<?x?xf64>
      affine.store %border, %q[%i, 0] : memref<?x?xf64>
      affine.for %j = 1 to #inner()[%n] {
        %p0 = affine.load %p[%i, %j - 1] : memref<?x?xf64>
        %dp0 = arith.mulf %d, %p0 : f64
        %p_divisor = arith.addf %dp0, %e : f64
        %new_p = arith.divf %minus_d, %p_divisor : f64
        affine.store %new_p, %p[%i, %j] : memref<?x?xf64>

        %before = affine.load %v[%i - 1, %j] : memref<?x?xf64>
        %here = affine.load %v[%i, %j] : memref<?x?xf64>
        %after = affine.load %v[%i + 1, %j] : memref<?x?xf64>
        %q0 = affine.load %q[%i, %j - 1] : memref<?x?xf64>
        %p1 = affine.load %p[%i, %j - 1] : memref<?x?xf64>
        %t0 = arith.mulf %minus_a, %before : f64
        %t1 = arith.mulf %one_two_a, %here : f64
        %t2 = arith.mulf %a, %after : f64
        %t3 = arith.mulf %d, %q0 : f64
        %s0 = arith.addf %t0, %t1 : f64
        %s1 = arith.subf %s0, %t2 : f64
        %s2 = arith.subf %s1, %t3 : f64
        %dp1 = arith.mulf %d, %p1 : f64
        %q_divisor = arith.addf %dp1, %e : f64
        %new_q = arith.divf %s2, %q_divisor : f64
        affine.store %new_q, %q[%i, %j] : memref<?x?xf64>
      }
      affine.store %one, %u[%i, %n - 1] : memref<?x?xf64>
      affine.for %step = 1 to #inner()[%n] {
        %j = affine.apply #backwards(%step)[%n]
        %pj = affine.load %p[%i, %j] : memref<?x?xf64>
        %next = affine.load %u[%i, %j + 1] : memref<?x?xf64>
        %qj = affine.load %q[%i, %j] : memref<?x?xf64>
        %product = arith.mulf %pj, %next : f64
        %new_u = arith.addf %product, %qj : f64
        affine.store %new_u, %u[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
