// RUN: polyir-opt --check-gpu --emit=none %s 2>&1 | filecheck %s --check-prefix RIGHT
// RUN: polyir-opt --gpu-outline --check-gpu --emit=none %s 2>&1 | filecheck %s --check-prefix RIGHT
// RUN: sed 's|^ *// else.*|gpu.barrier|' %s | not polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix DIVERGENT
// RUN: sed 's/0 to %%n step 8/%%tx to %%n step 8/' %s | not polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix LOOP
// RUN: sed 's/gpu.alloc(%%extent)/gpu.alloc(%%m)/' %s | not polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix SIZE
// RUN: sed '/gpu.memcpy %%A_dev, %%A /d' %s | not polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix IN
// RUN: sed '/gpu.memcpy %%B, %%B_dev/d' %s | not polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix OUT
// RUN: sed '/gpu.memcpy %%B, %%B_dev/d' %s | polyir-opt --gpu-outline - | not polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix OUT
// RUN: sed 's/^  return/%%late = affine.load %%B[0] : memref<?xf64>\n  return/' %s | polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix RIGHT
// RUN: sed 's|^ *// early|%%early = affine.load %%B[0] : memref<?xf64>|' %s | not polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix EARLY
// RUN: sed 's|^ *// before|affine.store %%zero, %%A[0] : memref<?xf64>|' %s | not polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix STALE

// In code, what can be known without a schedule tree is checked.

func.func @rows(%n: index, %m: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  %one = arith.constant 1 : index
  %threads = arith.constant 8 : index
  %dimension = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %extent = memref.dim %A, %dimension : memref<?xf64>
  %A_dev = gpu.alloc(%extent) : memref<?xf64>
  %extent_1 = memref.dim %B, %dimension : memref<?xf64>
  %B_dev = gpu.alloc(%extent_1) : memref<?xf64>
  gpu.memcpy %A_dev, %A : memref<?xf64>, memref<?xf64>
  gpu.memcpy %B_dev, %B : memref<?xf64>, memref<?xf64>
  // before
  affine.for %t = 0 to %m {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %one, %sz = %one) {
      %tile = memref.alloca() : memref<8xf64, #gpu.address_space<workgroup>>
      %sum = affine.for %i = 0 to %n step 8 iter_args(%old = %zero) -> (f64) {
        affine.if affine_set<(d0, d1)[s0] : (s0 - d0 - d1 - 1 >= 0)> (%i, %tx)[%n] {
          %0 = affine.load %A_dev[%i + symbol(%tx)] : memref<?xf64>
          affine.store %0, %tile[symbol(%tx)] : memref<8xf64, #gpu.address_space<workgroup>>
          // else nothing
        }
        gpu.barrier
        %1 = affine.load %tile[-symbol(%tx) + 7] : memref<8xf64, #gpu.address_space<workgroup>>
        %2 = arith.addf %old, %1 : f64
        gpu.barrier
        affine.yield %2 : f64
      }
      affine.store %sum, %B_dev[symbol(%tx)] : memref<?xf64>
      gpu.terminator
    }
  }
  // early
  gpu.memcpy %B, %B_dev : memref<?xf64>, memref<?xf64>
  gpu.dealloc %A_dev : memref<?xf64>
  gpu.dealloc %B_dev : memref<?xf64>
  return
}

// The number of the thread is in the sum that the loop carries, but not in its bounds.
// RIGHT: remark: [check-gpu] the only kernel is right

// DIVERGENT: error: not all threads of a block reach this barrier: the condition around it depends on the number of the thread

// LOOP:      error: the code for the GPU has 2 faults:
// LOOP-NEXT: not all threads of a block reach this barrier: the loop around it depends on the number of the thread

// SIZE: error: %A_dev and %A must have the same extents, but dimension 0 has %m and that of dimension 0 of %A

// IN: error: the kernel reads %A_dev, but nothing is copied or written there before: a gpu.memcpy is missing

// OUT: error: the kernel writes the contents of %B on the device, but they are not copied back: a gpu.memcpy is missing

// EARLY: error: %B has newer contents on the device

// STALE: error: the kernel reads %A_dev, but %A has newer contents
