// Forms of the gpu dialect that xDSL does not read.
// RUN: polyir-opt %s | filecheck %s
// RUN: polyir-opt %s | polyir-opt | filecheck %s
// RUN: polyir-opt %s | mlir-opt-19 -o /dev/null
// RUN: xdsl-opt %s | filecheck %s

// CHECK-LABEL: gpu.module @kernels
gpu.module @kernels {
  gpu.func @result(%xq: f32, %iq: index) -> (f32, index) {
    // CHECK: gpu.return {note} %xq, %iq : f32, index
    gpu.return {note} %xq, %iq : f32, index
  }
}

// CHECK-LABEL: @mapping
func.func @mapping(%nr: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.parallel (%ir) = (%zero) to (%nr) step (%one) {
    scf.reduce
  // CHECK: } {mapping = [#gpu.loop_dim_map<processor = thread_x, map = (d0)[s0] -> ((d0 + s0)), bound = (d0) -> (d0)>]}
  } {mapping = [#gpu.loop_dim_map<bound = (d0) -> (d0), map = (d0)[s0] -> (d0 + s0), processor = thread_x>]}
  return
}
