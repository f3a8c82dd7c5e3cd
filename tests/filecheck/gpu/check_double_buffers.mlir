// RUN: polyir-opt --isl-schedule --gpu-kernels --gpu-tile=tile=8 --gpu-map=block=8,4 --gpu-promote=buffers=2 --gpu-synchronise --emit=poly %s > %t.right
// RUN: polyir-opt --check-gpu --emit=none %t.right 2>&1 | filecheck %s --check-prefix RIGHT
// RUN: sed 's/%A_shared\[[^,]*,/%A_shared[0,/' %t.right | not polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix HALF
// RUN: sed 's/memref<2x8x8xf64>/memref<1x8x8xf64>/g' %t.right | not polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix SINGLE
// RUN: sed 's/\[(-8 + t2)\]/[(t2)]/g' %t.right | not polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix LATE
// RUN: not polyir-opt --isl-schedule --gpu-kernels --gpu-tile=tile=8 --gpu-map=block=8,4 --gpu-promote=buffers=2 --check-gpu --emit=none %s 2>&1 | filecheck %s --check-prefix BARRIER

// What double buffers need is proved: both halves, that copies are one iteration ahead, and barriers.
func.func @product(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %0 = arith.mulf %a, %b : f64
        %1 = arith.addf %c, %0 : f64
        affine.store %1, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// RIGHT: remark: [check-gpu] the only kernel is right

// HALF: error: S0[0, 0, 8] reads a cell of a local array that nothing has written: A_shared[0, 0, 1, 0, 0] (n = 9)

// SINGLE: error: @S0 accesses the local array @A_shared outside of its extents: S0[0, 0, 8] accesses A_shared[1, 0, 0]

// LATE: A_next[0, 0, 8, 0, 8] writes A_shared[1, 0, 0], which S0[0, 1, 8] reads in another thread of the block, without a barrier between them (n = 9)

// BARRIER: {{[AB]}}_next[{{.*}}] writes {{[AB]}}_shared[{{.*}}], which S0[{{.*}}] reads in another thread of the block, without a barrier between them
