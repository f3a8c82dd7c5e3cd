// RUN: polyir-opt --reassociate --emit=none %s 2>&1 | filecheck %s
// RUN: polyir-opt --reassociate="statements=S0,S1" --emit=none %s 2>&1 | filecheck %s --check-prefix NAMED
// RUN: not polyir-opt --reassociate=12 %s 2>&1 | filecheck %s --check-prefix LANES
// RUN: not polyir-opt --reassociate=blocks=2048 %s 2>&1 | filecheck %s --check-prefix BLOCKS
// RUN: not polyir-opt --reassociate=statements=T %s 2>&1 | filecheck %s --check-prefix UNKNOWN

// LANES: error: lanes must be a power of two from 2 to 1024: lanes=12
// BLOCKS: error: blocks must be a power of two from 1 to 1024: blocks=2048
// UNKNOWN: error: pass 'reassociate': there is no statement 'T'

// Each instance has an element of its own.
func.func @none(%n: index, %A: memref<?xf64>) {
// CHECK: {{.*}}:[[# @LINE + 1]]:{{.*}}: warning: [reassociate] nothing to do: no statement updates an element more than once
  affine.for %i = 0 to %n {
    %0 = affine.load %A[%i] : memref<?xf64>
    %1 = arith.addf %0, %0 : f64
    affine.store %1, %A[%i] : memref<?xf64>
  }
  return
}

// A difference of which the sum is taken away is not a sum.
func.func @no_sum(%n: index, %A: memref<?xf64>, %s: memref<f64>) {
// CHECK: {{.*}}:[[# @LINE + 1]]:{{.*}}: warning: [reassociate] nothing to do: no statement updates an element more than once
  affine.for %i = 0 to %n {
    %0 = affine.load %A[%i] : memref<?xf64>
    %1 = affine.load %s[] : memref<f64>
    %2 = arith.subf %0, %1 : f64
    affine.store %2, %s[] : memref<f64>
  }
  return
}

// What is added to X[i] is another element of X, which is updated in the same sum for j = i.
func.func @reads_itself(%n: index, %X: memref<?xf64>) {
// CHECK: {{.*}}:[[# @LINE + 1]]:{{.*}}: warning: [reassociate] nothing to do: S0 is left as it is: S0[0, 0] reads an element of X that S0[0, 0] updates (n = 1)
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %0 = affine.load %X[%i] : memref<?xf64>
      %1 = affine.load %X[%j] : memref<?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %X[%i] : memref<?xf64>
    }
  }
  return
}

// The sum is stored after each step.
func.func @prefix_sums(%n: index, %A: memref<?xf64>, %s: memref<f64>) {
// CHECK: {{.*}}:[[# @LINE + 1]]:{{.*}}: warning: [reassociate] nothing to do: S0 is left as it is: S1 must run between its instances
  affine.for %i = 0 to %n {
    %0 = affine.load %s[] : memref<f64>
    %1 = affine.load %A[%i] : memref<?xf64>
    %2 = arith.addf %0, %1 : f64
    affine.store %2, %s[] : memref<f64>
    %3 = affine.load %s[] : memref<f64>
    affine.store %3, %A[%i] : memref<?xf64>
  }
  return
}

func.func @few(%n: index, %A: memref<?x3xf64>, %X: memref<?xf64>) {
// CHECK: {{.*}}:[[# @LINE + 1]]:{{.*}}: warning: [reassociate] nothing to do: S0 is left as it is: it has at most 3 iterations
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 3 {
      %0 = affine.load %X[%i] : memref<?xf64>
      %1 = affine.load %A[%i, %j] : memref<?x3xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %X[%i] : memref<?xf64>
    }
  }
  return
}

// The loop over results cannot be outside, as Y keeps the loops in their order.
func.func @inside(%n: index, %A: memref<?x?xf64>, %X: memref<?xf64>, %Y: memref<?x?xf64>) {
// CHECK: {{.*}}:[[# @LINE + 1]]:{{.*}}: warning: [reassociate] nothing to do: S0 is left as it is: the loops over its results are inside those over what it combines
  affine.for %i = 1 to %n {
    affine.for %j = 0 to %n {
      %0 = affine.load %X[%j] : memref<?xf64>
      %1 = affine.load %Y[%i - 1, %j + 1] : memref<?x?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %X[%j] : memref<?xf64>
      affine.store %1, %Y[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

func.func @many_results(%n: index, %A: memref<?x?xf64>, %X: memref<?x?xf64>, %Y: memref<?xf64>) {
// CHECK: {{.*}}:[[# @LINE + 3]]:{{.*}}: warning: [reassociate] nothing to do: S0 is left as it is: 2 loops around it are parallel without it
// NAMED: {{.*}}:[[# @LINE + 2]]:{{.*}}: warning: [reassociate] S0 is left as it is: the parallel loops around it are not in one band
// NAMED: {{.*}}:[[# @LINE + 1]]:{{.*}}: warning: [reassociate] S1 is left as it is: it is not a reduction
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %0 = affine.load %X[%i, %j] : memref<?x?xf64>
        %1 = affine.load %A[%i, %k] : memref<?x?xf64>
        %2 = arith.addf %0, %1 : f64
        affine.store %2, %X[%i, %j] : memref<?x?xf64>
      }
    }
    %one = arith.constant 1.0 : f64
    affine.store %one, %Y[%i] : memref<?xf64>
  }
  return
}

// A result for each iteration of two sequential loops.
func.func @many_launches(%n: index, %A: memref<?xf64>, %X: memref<f64>, %Y: memref<f64>) {
// CHECK: {{.*}}:[[# @LINE + 1]]:{{.*}}: warning: [reassociate] nothing to do: S0 is left as it is: a launch for each result, in several loops, would take longer
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %0 = affine.load %X[] : memref<f64>
        %1 = affine.load %A[%k] : memref<?xf64>
        %2 = arith.addf %0, %1 : f64
        affine.store %2, %X[] : memref<f64>
      }
      %3 = affine.load %X[] : memref<f64>
      %4 = affine.load %Y[] : memref<f64>
      %5 = arith.divf %3, %4 : f64
      affine.store %5, %Y[] : memref<f64>
      affine.store %5, %X[] : memref<f64>
    }
  }
  return
}
