// RUN: polyir-opt --contract --emit=none --remarks %s 2>&1 | filecheck %s --check-prefix SEQUENTIAL
// RUN: polyir-opt --mark-parallel --contract --emit=loops --remarks %s 2>&1 | filecheck %s --check-prefix PARALLEL
// RUN: polyir-opt --contract --mark-parallel --emit=none %s 2>&1 | filecheck %s --check-prefix LATE

// One cell is enough for one iteration after the other, but not for iterations in parallel.
func.func @copy(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  %temp = memref.alloc(%n) : memref<?xf64>
  affine.for %i = 0 to %n {
    %0 = affine.load %A[%i] : memref<?xf64>
    affine.store %0, %temp[%i] : memref<?xf64>
    affine.for %j = 0 to 2 {
      %1 = affine.load %temp[%i] : memref<?xf64>
      %2 = arith.addf %1, %1 : f64
      affine.store %2, %temp[%i] : memref<?xf64>
    }
    %3 = affine.load %temp[%i] : memref<?xf64>
    affine.store %3, %B[%i] : memref<?xf64>
  }
  memref.dealloc %temp : memref<?xf64>
  return
}

// SEQUENTIAL: remark: [contract] temp contracted from memref<?xf64> to memref<f64>

// PARALLEL: remark: [mark-parallel] loop 1 around S0, S1, S2 is parallel
// PARALLEL-NEXT: warning: [contract] nothing to do: no temporary can be made smaller
// PARALLEL: affine.store %{{.*}}, %temp[%{{.*}}] : memref<?xf64>

// LATE: warning: [mark-parallel] nothing was marked parallel: no loop around S0, S1, S2 is parallel: loop 1 carries dependences through temp
