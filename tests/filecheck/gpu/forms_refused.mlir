// RUN: not polyir-opt %s --split-input-file 2>&1 | filecheck %s

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @f(%n: index) kernel {
      gpu.return
    }
    gpu.func @g() {
      gpu.return
    }
  }
  func.func @host(%n: index, %x: f32) {
    gpu.launch_func @kernels::@f blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : f32)
    return
  }
}
// CHECK: forms_refused.mlir:13:5: error: 'gpu.launch_func' op @kernels::@f takes (index), not (f32)

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @g() {
      gpu.return
    }
  }
  func.func @host(%n: index) {
    gpu.launch_func @kernels::@g blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
}
// CHECK: forms_refused.mlir:28:5: error: 'gpu.launch_func' op @kernels::@g is not a kernel

// -----

module {
  func.func @host(%n: index) {
    gpu.launch_func @kernels::@g blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
}
// CHECK: forms_refused.mlir:38:5: error: 'gpu.launch_func' op needs the attribute gpu.container_module of the module around it

// -----

gpu.module @kernels {
  gpu.func @f() workgroup(%s : memref<8xf32, #gpu.address_space<private>>) kernel {
    gpu.return
  }
}
// CHECK: forms_refused.mlir:47:3: error: 'gpu.func' op needs memory in the space #gpu.address_space<workgroup>, not memref<8xf32, #gpu.address_space<private>>

// -----

func.func @copy(%A: memref<8xf32>, %B: memref<9xf32>) {
  gpu.memcpy %A, %B : memref<8xf32>, memref<9xf32>
  return
}
// CHECK: forms_refused.mlir:56:3: error: 'gpu.memcpy' op copies between memrefs with different shapes

// -----

func.func @sizes(%n: index) {
  gpu.launch blocks(%bx, %by) in (%gx = %n, %gy = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    gpu.terminator
  }
  return
}
// CHECK: forms_refused.mlir:64:{{[0-9]+}}: error: expected three indices and three sizes of blocks, and of threads
