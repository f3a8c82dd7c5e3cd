// RUN: polyir-opt --isl-schedule --map-to-gpu --remarks %s 2>&1 | filecheck %s
// RUN: polyir-opt --isl-schedule --gpu-kernels="assumed-size=10" --emit=poly --remarks %s 2>&1 | filecheck %s --check-prefix SMALL
// RUN: polyir-opt --isl-schedule --gpu-kernels --emit=poly %s | polyir-opt --gpu-map --emit=poly - | filecheck %s --check-prefix TREE
// RUN: polyir-opt --isl-schedule --map-to-gpu=sequential=device --emit=none --remarks %s 2>&1 | filecheck %s --check-prefix DEVICE
// RUN: polyir-opt --isl-schedule --map-to-gpu=sequential=host %s | polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix RIGHT
// RUN: not polyir-opt --gpu-kernels=assumed-size=0 %s 2>&1 | filecheck %s --check-prefix SIZE

// A recurrence between parallel loops runs on the host if it is worth the copies.
func.func @between(%n: index, %A: memref<?xf64>, %B: memref<100xf64>, %x: memref<f64>) {
  %C = memref.alloc() : memref<100xf64>
  %D = memref.alloc() : memref<f64>
  affine.for %i = 0 to 100 {
    %0 = affine.load %B[%i] : memref<100xf64>
    %1 = arith.addf %0, %0 : f64
    affine.store %1, %C[%i] : memref<100xf64>
  }
  affine.for %t = 0 to %n {
    affine.for %i = 0 to 100 {
      %0 = affine.load %x[] : memref<f64>
      %1 = affine.load %C[%i] : memref<100xf64>
      %2 = affine.load %B[%i] : memref<100xf64>
      %3 = arith.mulf %0, %1 : f64
      %4 = arith.addf %3, %2 : f64
      affine.store %4, %x[] : memref<f64>
      affine.store %4, %D[] : memref<f64>
    }
  }
  affine.for %i = 0 to %n {
    %0 = affine.load %x[] : memref<f64>
    %1 = affine.load %D[] : memref<f64>
    %2 = arith.addf %0, %1 : f64
    affine.store %2, %A[%i] : memref<?xf64>
  }
  return
}

// CHECK: remark: [gpu-kernels] S1: runs on the host, once (an estimated {{.*}} on the host, and {{.*}} ms on the device)
// SMALL: remark: [gpu-kernels] S1: runs on the host, once
// DEVICE: remark: [gpu-kernels] S1: a kernel of a single thread, launched once (as the option says)

// TREE: poly.mark #poly.kernel {
// TREE: poly.mark #poly.kernel<host> {

// CHECK-LABEL: func.func @between
// CHECK-NOT:   gpu.memcpy %C_dev
// CHECK-NOT:   gpu.memcpy %B, %B_dev
// CHECK:       gpu.launch
// CHECK:         gpu.terminator
// CHECK:       gpu.memcpy %C, %C_dev
// CHECK-NOT:   gpu.launch
// CHECK:       affine.load %x[] : memref<f64>
// CHECK:       affine.load %C[
// CHECK:       affine.load %B[
// CHECK:       affine.store {{.*}}, %D[] : memref<f64>
// CHECK:       gpu.memcpy %x_dev, %x
// CHECK:       gpu.launch
// CHECK:         affine.load %x_dev
// CHECK:         affine.load %D_dev
// CHECK-NOT:   poly.host

// RIGHT: remark: [check-gpu] all {{[0-9]+}} kernels are right

// Without a parallel loop, nothing is on the device.
func.func @alone(%n: index, %A: memref<?xf64>) {
  affine.for %i = 1 to %n {
    %0 = affine.load %A[%i - 1] : memref<?xf64>
    %1 = affine.load %A[%i] : memref<?xf64>
    %2 = arith.mulf %0, %1 : f64
    affine.store %2, %A[%i] : memref<?xf64>
  }
  return
}

// CHECK-LABEL: func.func @alone
// CHECK-NOT:   gpu.
// CHECK:       affine.for
// CHECK-NEXT:    affine.load %A{{[_0-9]*}}[%i{{[_0-9]*}} - 1]
// CHECK-NOT:   gpu.
// CHECK:       return

// SMALL: warning: [gpu-kernels] nothing runs on the device: no loop around S0 is parallel (an estimated 0.027 µs on the host, and 26.2 µs on the device)
// DEVICE: remark: [gpu-kernels] S0: a kernel without a parallel loop, launched once (as the option says)

// The kernels are few, and a copy takes longer than the device.
func.func @few(%A: memref<1000x1000xf64>, %x: memref<f64>) {
  affine.for %i = 0 to 1000 {
    affine.for %j = 0 to 1000 {
      %0 = affine.load %A[%i, %j] : memref<1000x1000xf64>
      %1 = arith.addf %0, %0 : f64
      affine.store %1, %A[%i, %j] : memref<1000x1000xf64>
    }
  }
  affine.for %i = 0 to 10 {
    %0 = affine.load %A[%i, %i] : memref<1000x1000xf64>
    %1 = affine.load %x[] : memref<f64>
    %2 = arith.addf %0, %1 : f64
    affine.store %2, %x[] : memref<f64>
  }
  return
}

// CHECK-LABEL: func.func @few
// CHECK:       gpu.launch
// CHECK-NOT:   gpu.memcpy
// CHECK:       gpu.launch

// SIZE: error: assumed-size must be 1 or more, not 0
