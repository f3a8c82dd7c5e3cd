// RUN: polyir-opt --split-input-file --delicm --emit=poly %s 2>%t.err | filecheck %s --check-prefix POLY
// RUN: filecheck %s --check-prefix WARNING < %t.err
// RUN: polyir-opt --split-input-file --delicm --remarks %s 2>&1 >/dev/null | filecheck %s --check-prefix REMARK
// RUN: polyir-opt --delicm --pluto-schedule --tile=32 --mark-parallel --split-input-file --emit=c %s 2>/dev/null | filecheck %s --check-prefix TILED
// RUN: not polyir-opt --delicm=arrays=t %s 2>&1 | filecheck %s --check-prefix NAME

// The sum lives in the element that it is stored to: what only stores it is gone.
// REMARK: remark: [delicm] s lives in C until S2 stores it there
// POLY-LABEL: func.func @product
// POLY-NOT: memref.alloca
// POLY: poly.stmt @S0 domain "{ S0[i, j] : 0 <= i <= 19 and 0 <= j <= 29 }" (%i, %j) {
// POLY: affine.store %{{.*}}, %C[%i, %j]
// POLY: poly.stmt @S1
// POLY: affine.load %C[%i_1, %j_1]
// POLY: affine.store %{{.*}}, %C[%i_1, %j_1]
// POLY-NOT: S2
// TILED-LABEL: void product(
// TILED: #pragma omp parallel for
func.func @product(%A: memref<20x40xf64>, %B: memref<40x30xf64>, %C: memref<20x30xf64>) {
  %s = memref.alloca() : memref<f64>
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 20 {
    affine.for %j = 0 to 30 {
      affine.store %zero, %s[] : memref<f64>
      affine.for %k = 0 to 40 {
        %a = affine.load %A[%i, %k] : memref<20x40xf64>
        %b = affine.load %B[%k, %j] : memref<40x30xf64>
        %c = arith.mulf %a, %b : f64
        %d = affine.load %s[] : memref<f64>
        %e = arith.addf %d, %c : f64
        affine.store %e, %s[] : memref<f64>
      }
      %r = affine.load %s[] : memref<f64>
      affine.store %r, %C[%i, %j] : memref<20x30xf64>
    }
  }
  return
}

// -----

// The element has a value that is needed while the sum is computed.
// WARNING: warning: [delicm] nothing to do: no variable is stored to an element that is not needed before
// POLY-LABEL: func.func @needed
// POLY: affine.store %{{.*}}, %s[]
func.func @needed(%A: memref<20x20xf64>, %x: memref<20xf64>) {
  %s = memref.alloca() : memref<f64>
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 20 {
    affine.store %zero, %s[] : memref<f64>
    affine.for %k = 0 to 20 {
      %a = affine.load %A[%i, %k] : memref<20x20xf64>
      %b = affine.load %x[%k] : memref<20xf64>
      %c = arith.mulf %a, %b : f64
      %d = affine.load %s[] : memref<f64>
      %e = arith.addf %d, %c : f64
      affine.store %e, %s[] : memref<f64>
    }
    %r = affine.load %s[] : memref<f64>
    affine.store %r, %x[%i] : memref<20xf64>
  }
  return
}

// -----

// The value is needed after it was stored: it lives in the element that it is stored to then.
// REMARK: remark: [delicm] s lives in y until S2 stores it there
// POLY-LABEL: func.func @twice
// POLY: affine.store %{{.*}}, %y[%i]
// POLY: %b = affine.load %y[%i_1]
// POLY: affine.store %b, %x[%i_1]
func.func @twice(%x: memref<20xf64>, %y: memref<20xf64>, %A: memref<20xf64>) {
  %s = memref.alloca() : memref<f64>
  affine.for %i = 0 to 20 {
    %a = affine.load %A[%i] : memref<20xf64>
    affine.store %a, %s[] : memref<f64>
    %b = affine.load %s[] : memref<f64>
    affine.store %b, %x[%i] : memref<20xf64>
    %c = affine.load %s[] : memref<f64>
    affine.store %c, %y[%i] : memref<20xf64>
  }
  return
}

// NAME: error: pass 'delicm': there is no array 't'
