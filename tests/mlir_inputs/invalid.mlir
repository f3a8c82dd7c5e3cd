// Programs that mlir-opt refuses, one part each; so must polyir.
func.func @computed_dimension(%n: index) {
  affine.for %i = 0 to 7 {
    %sum = arith.addi %n, %n : index
    affine.for %j = 0 to affine_map<(d0)[s0] -> (d0 + s0)>(%sum)[%n] {
    }
  }
  return
}
// -----
func.func @computed_lower_bound(%n: index) {
  affine.for %i = 0 to 7 {
    %sum = arith.addi %n, %n : index
    affine.for %j = affine_map<(d0) -> (d0)>(%sum) to 7 {
    }
  }
  return
}
// -----
func.func @variable_as_symbol() {
  affine.for %i = 0 to 7 {
    affine.for %j = affine_map<(d0)[s0] -> (d0 + s0)>(%i)[%i] to 7 {
    }
  }
  return
}
// -----
func.func @variable_as_bound() {
  affine.for %i = 0 to 7 {
    affine.for %j = 0 to %i {
    }
  }
  return
}
// -----
func.func @variable_as_lower_bound() {
  affine.for %i = 0 to 7 {
    affine.for %j = %i to 8 {
    }
  }
  return
}
// -----
func.func @computed_condition(%n: index) {
  affine.for %i = 0 to 7 {
    %sum = arith.addi %n, %n : index
    affine.if affine_set<(d0) : (d0 >= 0)>(%sum) {
    }
  }
  return
}
// -----
func.func @symbol_of_condition() {
  affine.for %i = 0 to 7 {
    affine.if affine_set<()[s0] : (s0 >= 0)>()[%i] {
    }
  }
  return
}
// -----
func.func @size_as_symbol(%n: index) {
  affine.for %i = 0 to 7 {
    %c0 = arith.constant 0 : index
    %m = memref.alloc(%i) : memref<?xf32>
    %size = memref.dim %m, %c0 : memref<?xf32>
    affine.if affine_set<(d0)[s0] : (d0 - s0 >= 0)>(%i)[%size] {
    }
  }
  return
}
// -----
func.func @parallel_dimension() {
  affine.for %i = 0 to 7 {
    %sum = arith.addi %i, %i : index
    affine.parallel (%j) = (0) to (%sum) {
    }
  }
  return
}
// -----
func.func @parallel_symbol() {
  affine.for %i = 0 to 7 {
    affine.parallel (%j) = (0) to (symbol(%i)) {
    }
  }
  return
}
// -----
func.func @computed_subscript(%A: memref<8xf32>) {
  affine.for %i = 0 to 7 {
    %sum = arith.addi %i, %i : index
    %a = affine.load %A[%sum] : memref<8xf32>
  }
  return
}
// -----
func.func @stored_at(%A: memref<8xf32>, %x: f32) {
  affine.for %i = 0 to 7 {
    %sum = arith.muli %i, %i : index
    affine.store %x, %A[%sum + 1] : memref<8xf32>
  }
  return
}
// -----
func.func @loaded_subscript(%A: memref<8xf32>, %K: memref<8xindex>) {
  affine.for %i = 0 to 7 {
    %k = affine.load %K[%i] : memref<8xindex>
    %a = affine.load %A[%k] : memref<8xf32>
  }
  return
}
// -----
func.func @symbol_subscript(%A: memref<8xf32>) {
  affine.for %i = 0 to 7 {
    %a = affine.load %A[symbol(%i)] : memref<8xf32>
  }
  return
}
// -----
func.func @in_unknown_region(%A: memref<10xi32>) {
  "unknown.op"() ({
  ^bb0(%i: index):
    %a = affine.load %A[%i] : memref<10xi32>
    "unknown.end"() : () -> ()
  }) : () -> ()
  return
}
// -----
func.func @size_in_unknown_region() {
  "unknown.op"() ({
    %i = "unknown.value"() : () -> index
    %m = "unknown.value"() : () -> memref<?x?xf32>
    %size = memref.dim %m, %i : memref<?x?xf32>
    %a = affine.load %m[%size, %size] : memref<?x?xf32>
    "unknown.end"() : () -> ()
  }) : () -> ()
  return
}
// -----
func.func @vector_of_other_type(%A: memref<100xf32>) {
  affine.for %i = 0 to 16 step 8 {
    %v = affine.vector_load %A[%i] : memref<100xf32>, vector<8xf64>
  }
  return
}
// -----
func.func @stored_vector_of_other_type(%A: memref<100xf32>) {
  %v = arith.constant dense<7.0> : vector<8xf64>
  affine.for %i = 0 to 16 step 8 {
    affine.vector_store %v, %A[%i] : memref<100xf32>, vector<8xf64>
  }
  return
}
// -----
func.func @vector_of_vectors(%A: memref<100xvector<8xf32>>) {
  affine.for %i = 0 to 4 {
    %v = affine.vector_load %A[%i] : memref<100xvector<8xf32>>, vector<8xf32>
  }
  return
}
// -----
func.func @unknown_reduction(%A: memref<10xf32>) {
  %s = affine.parallel (%i) = (0) to (10) reduce ("best") -> f32 {
    %a = affine.load %A[%i] : memref<10xf32>
    affine.yield %a : f32
  }
  return
}
// -----
func.func @empty_basis(%i: index) {
  affine.delinearize_index %i into () : index
  return
}
// -----
func.func @results_of_basis(%i: index, %n: index, %m: index) {
  %0 = affine.delinearize_index %i into (%n, %m) : index
  return
}
// -----
func.func @apply_of_integer(%i: i32) {
  %0 = "affine.apply"(%i) {map = affine_map<(d0) -> (d0)>} : (i32) -> index
  return
}
// -----
func.func @apply_to_integer(%i: index) {
  %0 = "affine.apply"(%i) {map = affine_map<(d0) -> (d0)>} : (index) -> i32
  return
}
// -----
func.func @apply_of_computed(%n: index) {
  affine.for %i = 0 to 7 {
    %sum = arith.addi %i, %n : index
    %0 = affine.apply affine_map<(d0) -> (d0 + 1)>(%sum)
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%0) {
    }
  }
  return
}
// -----
func.func @min_of_one(%n: index, %m: index) {
  %0 = affine.min affine_map<(d0) -> (d0)>(%n, %m)
  return
}
// -----
func.func @product(%A: memref<?xf64>) {
  affine.for %i = 0 to 10 {
    affine.for %j = 0 to 10 {
      %0 = affine.load %A[%i * %j] : memref<?xf64>
    }
  }
  return
}
// -----
func.func @division(%A: memref<?xf64>) {
  affine.for %i = 1 to 10 {
    %0 = affine.load %A[5 mod %i] : memref<?xf64>
  }
  return
}
// -----
func.func @label_in_condition() {
  affine.if affine_set<() : ()>() {
  ^bb0(%x: i32):
    affine.yield
  }
  return
}
// -----
func.func @two_blocks() {
  affine.for %i = 0 to 4 {
    cf.br ^next
  ^next:
    affine.yield
  }
  return
}
// -----
func.func @other_terminator() {
  affine.for %i = 0 to 4 {
    scf.yield
  }
  return
}
// -----
func.func @missing_terminator(%x: i1) {
  scf.if %x {
    return
  }
  return
}
// -----
func.func @no_return() {
  %c = arith.constant 1 : i32
}
// -----
func.func @returned_type() -> i32 {
  %c = arith.constant 1 : i64
  return %c : i64
}
// -----
func.func @called() {
  %c = arith.constant 1 : i64
  func.call @nothing(%c) : (i64) -> ()
  return
}
// -----
func.func @twice() {
  return
}
func.func @twice() {
  return
}
// -----
func.func @used_before_definition(%A: memref<4xf32>) {
  affine.store %a, %A[0] : memref<4xf32>
  %a = affine.load %A[0] : memref<4xf32>
  return
}
// -----
func.func @dma_source(%A: memref<100xf32>, %B: memref<100xf32, 2>, %tag: memref<1xi32, 4>, %n: index) {
  affine.for %i = 0 to 10 {
    %product = arith.muli %i, %n : index
    affine.dma_start %A[%product], %B[%i], %tag[0], %n : memref<100xf32>, memref<100xf32, 2>, memref<1xi32, 4>
  }
  return
}
// -----
func.func @dma_tag(%tag: memref<1xi32, 4>, %n: index) {
  affine.for %i = 0 to 10 {
    %product = arith.muli %i, %n : index
    affine.dma_wait %tag[%product], %n : memref<1xi32, 4>
  }
  return
}
// -----
func.func @reduction_of_integers(%A: memref<10xi32>) {
  %r = affine.parallel (%i) = (0) to (10) reduce ("minimumf") -> (i32) {
    %a = affine.load %A[%i] : memref<10xi32>
    affine.yield %a : i32
  }
  return
}
// -----
func.func @symbol_of_no_layout(%n: index) {
  %0 = memref.alloc()[%n] : memref<4xf32>
  return
}
// -----
func.func @permutation(%A: memref<4x8xf32>) {
  %0 = memref.transpose %A (i, j) -> (i, i) : memref<4x8xf32> to memref<8x4xf32, strided<[1, 8]>>
  return
}
// -----
func.func @size_of_variable(%n: index) {
  affine.for %i = 0 to 7 {
    %A = memref.alloc(%i) : memref<?xf32>
    %c0 = arith.constant 0 : index
    %V = memref.subview %A[0] [%i] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
    %size = memref.dim %V, %c0 : memref<?xf32, strided<[1]>>
    affine.for %j = 0 to %size {
    }
  }
  return
}
// -----
func.func @argument_of_other_type(index) -> index {
^bb0(%n : i32):
  %m = arith.index_cast %n : i32 to index
  return %m : index
}
// -----
func.func @argument_without_name(index) {
  return
}
// -----
func.func @shape_without_x(%A: memref<4 4 x f32>) {
  return
}
// -----
func.func @comma_after_size(%tag: memref<1xi32>, %n: index) {
  affine.dma_wait %tag[%n], %n, : memref<1xi32>
  return
}
// -----
gpu.module @kernels {
  gpu.func @f() workgroup(%s : f32) kernel {
    gpu.return
  }
}
// -----
gpu.module @kernels {
  gpu.func @f() private(%p : memref<8xf32, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}
// -----
gpu.module @kernels {
  gpu.func @f() workgroup(%s : memref<8xf32, #gpu.address_space<shared>>) kernel {
    gpu.return
  }
}
// -----
func.func @copy(%A: memref<8xf32>, %B: memref<8xf64>) {
  gpu.memcpy %A, %B : memref<8xf32>, memref<8xf64>
  return
}
// -----
func.func @copy(%A: memref<8xf32>, %B: memref<9xf32>) {
  gpu.memcpy %A, %B : memref<8xf32>, memref<9xf32>
  return
}
// -----
func.func @launch(%n: index) {
  gpu.launch_func @kernels::@f blocks in (%n, %n) threads in (%n, %n, %n)
  return
}
// -----
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
// -----
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
    gpu.launch_func @kernels::@f blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
}
// -----
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
    gpu.launch_func @kernels::@h blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
}
// -----
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
    gpu.launch_func @kernels::@g blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
}
// -----
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
    gpu.launch_func @other::@f blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%n : index)
    return
  }
}
// -----
module {
  gpu.module @kernels {
    gpu.func @f(%n: index) kernel {
      gpu.return
    }
    gpu.func @g() {
      gpu.return
    }
  }
  func.func @host(%n: index, %x: f32) {
    gpu.launch_func @kernels::@f blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%n : index)
    return
  }
}
// -----
func.func @offset_of_view(%A: memref<64xf32>, %i: index) {
  %0 = memref.subview %A[%i] [4] [1] : memref<64xf32> to memref<4xf32, strided<[1]>>
  return
}
// -----
func.func @dynamic_offset_of_constants(%A: memref<8x16xf32>) {
  %0 = memref.subview %A[1, 2] [4, 4] [1, 1] : memref<8x16xf32> to memref<4x4xf32, strided<[16, 1], offset: ?>>
  return
}
// -----
func.func @stride_of_view(%A: memref<8x16xf32>) {
  %0 = memref.subview %A[0, 0] [4, 4] [2, 1] : memref<8x16xf32> to memref<4x4xf32, strided<[16, 1]>>
  return
}
// -----
func.func @layout_of_part(%A: memref<8x16xf32>) {
  %0 = memref.subview %A[0, 0] [4, 4] [1, 1] : memref<8x16xf32> to memref<4x4xf32>
  return
}
// -----
func.func @size_of_view(%A: memref<8x16xf32>, %n: index) {
  %0 = memref.subview %A[0, 0] [%n, 4] [1, 1] : memref<8x16xf32> to memref<2x4xf32, strided<[16, 1]>>
  return
}
// -----
func.func @dropped_dimension(%A: memref<8x16xf32>) {
  %0 = memref.subview %A[0, 0] [2, 4] [1, 1] : memref<8x16xf32> to memref<4xf32, strided<[1]>>
  return
}
// -----
func.func @stride_of_dropped_dimension(%A: memref<8x16xf32>, %i: index) {
  %0 = memref.subview %A[0, %i] [4, 1] [1, 1] : memref<8x16xf32> to memref<4xf32, strided<[1], offset: ?>>
  return
}
// -----
func.func @element_of_view(%A: memref<64xf32>) {
  %0 = memref.subview %A[0] [4] [1] : memref<64xf32> to memref<4xf64>
  return
}
// -----
func.func @memory_of_view(%A: memref<64xf32, 3>) {
  %0 = memref.subview %A[0] [4] [1] : memref<64xf32, 3> to memref<4xf32>
  return
}
// -----
func.func @rank_of_view(%A: memref<64xf32>) {
  %0 = memref.subview %A[0, 0] [4, 1] [1, 1] : memref<64xf32> to memref<4x1xf32>
  return
}
// -----
func.func @negative_offset(%A: memref<64xf32>) {
  %0 = memref.subview %A[-2] [4] [1] : memref<64xf32> to memref<4xf32, strided<[1], offset: -2>>
  return
}
// -----
func.func @no_strides(%A: memref<8x16xf32, affine_map<(i, j) -> (i, j mod 4)>>) {
  %0 = memref.subview %A[0, 0] [4, 4] [1, 1] : memref<8x16xf32, affine_map<(i, j) -> (i, j mod 4)>> to memref<4x4xf32, strided<[16, 1]>>
  return
}
// -----
gpu.module @kernels {
  gpu.func @returned_types(%x: f32, %i: index) -> (f32, index) {
    gpu.return %i, %x : index, f32
  }
}
// -----
gpu.module @kernels {
  gpu.func @nothing_returned(%x: f32) -> f32 {
    "gpu.return"() : () -> ()
  }
}
// -----
func.func @mapped_twice() {
  "foo"() {m = #gpu.loop_dim_map<map = (d0) -> (d0), bound = (d0) -> (d0), map = (d0) -> (d0)>} : () -> ()
  return
}
// -----
func.func @mapped_without_bound() {
  "foo"() {m = #gpu.loop_dim_map<map = (d0) -> (d0), processor = block_x>} : () -> ()
  return
}
// -----
func.func @smaller_of_two_types(%a: i32, %b: i64) {
  %0 = llvm.intr.smin(%a, %b) : (i32, i64) -> i32
  return
}
// -----
func.func @number_of_operands(%a: i32) {
  %0 = llvm.intr.umax(%a) : (i32) -> i32
  return
}
// -----
func.func @rounded_integer(%a: i32) {
  %0 = llvm.intr.rint(%a) : (i32) -> i32
  return
}
// -----
func.func @matrix(%a: vector<2x2xf32>) {
  %0 = llvm.intr.trunc(%a) : (vector<2x2xf32>) -> vector<2x2xf32>
  return
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["affine.min"]} in %m : (!transform.any_op) -> !transform.any_op
    transform.affine.simplify_bounded_affine_ops %0 with [%0 : !transform.any_op] within [3, 4] and [7] : !transform.any_op
    transform.yield
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["affine.max"]} in %m : (!transform.any_op) -> !transform.any_op
    transform.affine.simplify_bounded_affine_ops %0 with [] within [] and [7] : !transform.any_op
    transform.yield
  }
}
