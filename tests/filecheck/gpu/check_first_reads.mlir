// RUN: polyir-opt --check-gpu --emit=none %s 2>&1 | filecheck %s --check-prefix RIGHT
// RUN: polyir-opt --gpu-outline --check-gpu --emit=none %s 2>&1 | filecheck %s --check-prefix RIGHT
// RUN: sed 's/(d0 - 1 >= 0)/(d0 - d0 >= 0)/; s/(%%t) { \/\/ not first/(%%n) {/' %s | not polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix FIRST
// RUN: sed 's/d0 - 3 >= 0/s0 - 3 >= 0/; s/(%%t)\[%%tx\]/(%%n)[%%tx]/' %s | not polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix THREAD
// RUN: sed 's/^ *} else {/}\n affine.if affine_set<() : (0 == 0)>() {/; s/(d0 mod 2 - 1 == 0)>(%%k)/(d0 - 1 == 0)>(%%n)/' %s | not polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix BRANCH
// RUN: sed '/writes E/d' %s | not polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix NEVER
// RUN: sed '/copies G/d' %s | not polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix FILLED

// A kernel may read what an earlier iteration has written, although the store is later in the text.

func.func @f(%n: index, %A: memref<8xf64>, %B: memref<8xf64>, %C: memref<8xf64>, %D: memref<8xf64>) {
  %one = arith.constant 1 : index
  %threads = arith.constant 8 : index
  %zero = arith.constant 0.0 : f64
  %A_dev = gpu.alloc() : memref<8xf64>
  %C_dev = gpu.alloc() : memref<8xf64>
  %D_dev = gpu.alloc() : memref<8xf64>
  %B_dev = gpu.alloc() : memref<8xf64>
  gpu.memcpy %B_dev, %B : memref<8xf64>, memref<8xf64>
  affine.for %t = 0 to 9 {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %one, %sz = %one) {
      affine.if affine_set<(d0) : (d0 - 1 >= 0)>(%t) { // not first
        %0 = affine.load %A_dev[symbol(%tx)] : memref<8xf64>
        affine.store %0, %B_dev[symbol(%tx)] : memref<8xf64>
      }
      gpu.terminator
    }
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %one, %sz = %one) {
      affine.if affine_set<(d0) : (d0 == 0)>(%t) {
        affine.store %zero, %A_dev[symbol(%tx)] : memref<8xf64>
      }
      // The number of a thread does not change.
      affine.if affine_set<(d0)[s0] : (d0 - 3 >= 0)>(%t)[%tx] {
        %1 = affine.load %C_dev[symbol(%tx)] : memref<8xf64>
        affine.store %1, %B_dev[symbol(%tx)] : memref<8xf64>
      }
      affine.store %zero, %C_dev[symbol(%tx)] : memref<8xf64>
      affine.for %k = 0 to 8 {
        affine.if affine_set<(d0) : (d0 mod 2 - 1 == 0)>(%k) {
          %2 = affine.load %D_dev[symbol(%tx)] : memref<8xf64>
          affine.store %2, %B_dev[symbol(%tx)] : memref<8xf64>
        } else {
          affine.store %zero, %D_dev[symbol(%tx)] : memref<8xf64>
        }
      }
      gpu.terminator
    }
  }
  gpu.memcpy %A, %A_dev : memref<8xf64>, memref<8xf64>
  gpu.memcpy %B, %B_dev : memref<8xf64>, memref<8xf64>
  gpu.memcpy %C, %C_dev : memref<8xf64>, memref<8xf64>
  gpu.memcpy %D, %D_dev : memref<8xf64>, memref<8xf64>
  gpu.dealloc %A_dev : memref<8xf64>
  gpu.dealloc %C_dev : memref<8xf64>
  gpu.dealloc %D_dev : memref<8xf64>
  gpu.dealloc %B_dev : memref<8xf64>
  return
}

// So may any kernel what only another one writes: without contents before the call, the program
// itself writes first, and the rest is code that is not executed.

func.func @on_device(%n: index, %B: memref<8xf64>) {
  %one = arith.constant 1 : index
  %threads = arith.constant 8 : index
  %zero = arith.constant 0.0 : f64
  %E_dev = gpu.alloc() : memref<8xf64>
  %B_dev = gpu.alloc() : memref<8xf64>
  gpu.memcpy %B_dev, %B : memref<8xf64>, memref<8xf64>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %one, %sz = %one) {
    affine.if affine_set<(d0)[s0] : (s0 - d0 - 8 >= 0, d0 - s0 >= 0)>(%n)[%tx] {
      %0 = affine.load %E_dev[symbol(%tx)] : memref<8xf64>
      affine.store %0, %B_dev[symbol(%tx)] : memref<8xf64>
    }
    gpu.terminator
  }
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %one, %sz = %one) {
    affine.store %zero, %E_dev[symbol(%tx)] : memref<8xf64> // writes E
    %0 = affine.load %E_dev[symbol(%tx)] : memref<8xf64>
    affine.store %0, %B_dev[symbol(%tx)] : memref<8xf64>
    gpu.terminator
  }
  gpu.memcpy %B, %B_dev : memref<8xf64>, memref<8xf64>
  gpu.dealloc %E_dev : memref<8xf64>
  gpu.dealloc %B_dev : memref<8xf64>
  return
}

// But what the host has written must be copied, also of an array that the caller does not know.

func.func @filled_on_host(%B: memref<8xf64>) {
  %one = arith.constant 1 : index
  %threads = arith.constant 8 : index
  %zero = arith.constant 0.0 : f64
  %G = memref.alloc() : memref<8xf64>
  affine.for %i = 0 to 8 {
    affine.store %zero, %G[%i] : memref<8xf64>
  }
  %G_dev = gpu.alloc() : memref<8xf64>
  gpu.memcpy %G_dev, %G : memref<8xf64>, memref<8xf64> // copies G
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %one, %sz = %one) {
    %0 = affine.load %G_dev[symbol(%tx)] : memref<8xf64>
    %1 = arith.addf %0, %0 : f64
    affine.store %1, %G_dev[symbol(%tx)] : memref<8xf64>
    gpu.terminator
  }
  gpu.memcpy %G, %G_dev : memref<8xf64>, memref<8xf64>
  affine.for %i = 0 to 8 {
    %0 = affine.load %G[%i] : memref<8xf64>
    affine.store %0, %B[%i] : memref<8xf64>
  }
  gpu.dealloc %G_dev : memref<8xf64>
  memref.dealloc %G : memref<8xf64>
  return
}

// RIGHT: remark: [check-gpu] all 5 kernels are right
// RIGHT-NOT: error

// FIRST: error: the kernel reads %A_dev, but nothing is copied or written there before
// THREAD: error: the kernel reads %C_dev, but nothing is copied or written there before
// BRANCH: error: the kernel reads %D_dev, but nothing is copied or written there before
// NEVER: the kernel reads %E_dev, but nothing is copied or written there before
// FILLED: error: the kernel reads %G_dev, but nothing is copied or written there before
