// What is not checked is said, and is an error where checks are required.
// RUN: polyir-opt --pluto-schedule --emit=poly %s -o %t
// RUN: polyir-opt --lower-poly=check=false --remarks %t 2>&1 | filecheck %s --check-prefix REMARK
// RUN: polyir-opt --no-check --remarks %t 2>&1 | filecheck %s --check-prefix REMARK
// RUN: not polyir-opt --lower-poly=check=false --require-checked %t 2>&1 | filecheck %s --check-prefix ERROR
// RUN: not polyir-opt --no-check --require-checked %t 2>&1 | filecheck %s --check-prefix OPTIONS
// RUN: polyir-opt --require-checked %t | filecheck %s --check-prefix LOOPS

// REMARK:     remark: [lower-poly] not checked: the schedule tree was not proved legal
// REMARK:     affine.for
// ERROR-NOT:  affine.for
// ERROR:      error: not checked: the schedule tree was not proved legal (--require-checked)
// OPTIONS:    error: --require-checked does not go with --no-check
// LOOPS:      affine.for

func.func @copy(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %A[%i] : memref<?xf64>
    affine.store %0, %B[%i] : memref<?xf64>
  }
  return
}
