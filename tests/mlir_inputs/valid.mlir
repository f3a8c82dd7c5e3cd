// Programs that mlir-opt accepts, one part each; so must polyir.
func.func @unregistered(%A: memref<10xf32>) {
  affine.for %i = 0 to 10 {
    "foo"() : () -> ()
    %v = affine.load %A[%i] : memref<10xf32>
    %w = "bar"(%v, %i) {name = "x", map = affine_map<(d0) -> (d0 + 1)>} : (f32, index) -> f32
    "my.use"(%w) : (f32) -> ()
  }
  return
}
// -----
func.func @unregistered_regions(%A: memref<10xf32>) {
  "region"() ({
    %c = arith.constant 1 : i32
    "cond"() ({
    ^bb0(%x: i32):
      "jump"(%x)[^bb1] : (i32) -> ()
    ^bb1:
      "stop"() : () -> ()
    }) : () -> ()
    "end"(%c) : (i32) -> ()
  }, {
  }) {flag} : () -> ()
  return
}
// -----
func.func @types(%a: !foo.bar<i32>, %b: !foo.opaque, %c: tensor<4x?xf32, #foo.layout<"x">>) {
  "foo.use"(%a, %b, %c) {x = #foo.attr<1, 2>} : (!foo.bar<i32>, !foo.opaque, tensor<4x?xf32, #foo.layout<"x">>) -> ()
  return
}
// -----
func.func @unregistered_properties() {
  "foo.op"() <{a = 1 : i32, m = affine_map<(d0)[s0] -> (d0 mod s0)>}> {b = [affine_map<() -> (1)>, affine_set<(d0) : (d0 >= 0)>]} : () -> ()
  return
}
// -----
#semi = affine_map<(d0)[s0] -> (d0 * s0, d0 floordiv s0, d0 ceildiv s0, d0 mod s0)>
#half = affine_map<(d0)[s0] -> (d0 mod (s0 + 1) - s0 * 2)>
func.func @semi_affine(%A: memref<500xf64>, %n: index) {
  affine.for %i = 0 to 20 {
    %x = affine.apply #half(%i)[%n]
    %y = affine.apply affine_map<(d0)[s0] -> (d0 * s0)>(%i)[%n]
    %a = affine.load %A[%i * symbol(%n) + 3] : memref<500xf64>
    affine.store %a, %A[%i mod symbol(%n)] : memref<500xf64>
    affine.for %j = 0 to affine_map<(d0)[s0] -> (d0 floordiv s0)>(%i)[%n] {
      affine.if affine_set<(d0)[s0] : (d0 * s0 - 4 >= 0)>(%j)[%n] {
        affine.store %a, %A[%i floordiv symbol(%n)] : memref<500xf64>
      }
    }
  }
  "foo.maps"() {m = #semi} : () -> ()
  return
}
// -----
func.func @dma(%A: memref<40x128xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %stride = arith.constant 128 : index
  %tag = memref.alloc() : memref<1xi32>
  %buffer = memref.alloc() : memref<2x128xf32, 2>
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      affine.dma_start %A[%i, %j + 1], %buffer[%i mod 2, %j], %tag[0], %c32 : memref<40x128xf32>, memref<2x128xf32, 2>, memref<1xi32>
      affine.dma_start %A[%i, %j], %buffer[%i mod 2, %j], %tag[%c0], %c32, %stride, %c32 : memref<40x128xf32>, memref<2x128xf32, 2>, memref<1xi32>
      affine.dma_wait %tag[%c0], %c32 : memref<1xi32>
    }
  }
  memref.dma_start %A[%c0, %c0], %buffer[%c0, %c0], %c32, %tag[%c0] : memref<40x128xf32>, memref<2x128xf32, 2>, memref<1xi32>
  memref.dma_start %A[%c0, %c0], %buffer[%c0, %c0], %c32, %tag[%c0], %stride, %c32 : memref<40x128xf32>, memref<2x128xf32, 2>, memref<1xi32>
  memref.dma_wait %tag[%c0], %c32 : memref<1xi32>
  return
}
// -----
memref.global "private" constant @weights : memref<3xf64> = dense<[1.0, 2.0, 3.0]>
memref.global @external : memref<20xf64>
memref.global "private" @aligned : memref<20xf64> {alignment = 64}
memref.global "nested" @filled : memref<4xf32> = uninitialized
func.func @globals() -> f64 {
  %c0 = arith.constant 0 : index
  %g = memref.get_global @external : memref<20xf64>
  %a = memref.load %g[%c0] : memref<20xf64>
  return %a : f64
}
// -----
func.func @remainder(%a: f64, %b: f64) -> f64 {
  %0 = arith.remf %a, %b : f64
  return %0 : f64
}
// -----
func.func @index_dialect(%a: index, %b: index) -> index {
  %c = index.constant 4
  %t = index.bool.constant true
  %0 = index.add %a, %b
  %1 = index.sub %0, %c
  %2 = index.mul %1, %b
  %3 = index.divs %2, %c
  %4 = index.divu %3, %c
  %5 = index.rems %4, %c
  %6 = index.remu %5, %c
  %7 = index.maxs %6, %c
  %8 = index.minu %7, %c
  %9 = index.ceildivs %8, %c
  %10 = index.floordivs %9, %c
  %11 = index.shl %10, %c
  %12 = index.shrs %11, %c
  %13 = index.and %12, %a
  %14 = index.or %13, %b
  %15 = index.xor %14, %b
  %16 = index.ceildivu %15, %b
  %17 = index.mins %16, %b
  %18 = index.maxu %17, %b
  %19 = index.shru %18, %b
  %20 = index.cmp sgt(%19, %a)
  %21 = index.casts %a : index to i32
  %22 = index.castu %21 : i32 to index
  return %22 : index
}
// -----
func.func @atomic(%A: memref<10xf32>, %B: memref<10xi32>, %x: f32, %y: i32, %i: index) {
  %0 = memref.atomic_rmw addf %x, %A[%i] : (f32, memref<10xf32>) -> f32
  %1 = memref.atomic_rmw maxs %y, %B[%i] : (i32, memref<10xi32>) -> i32
  return
}
// -----
module @outer attributes {foo.bar = 1 : i32} {
  module @inner {
    func.func @f(%A: memref<20xf64>) {
      affine.for %i = 1 to 20 {
        %a = affine.load %A[%i - 1] : memref<20xf64>
        affine.store %a, %A[%i] : memref<20xf64>
      }
      return
    }
  }
  func.func private @declared(memref<?xf64>, index) -> f64
}
// -----
func.func @parallel(%n: index, %A: memref<?x8xf32>) {
  affine.parallel (%i, %j) = (0, 0) to (symbol(%n), 8) step (10, 2) {
    scf.execute_region {
      %a = affine.load %A[%i, %j] : memref<?x8xf32>
      scf.yield
    }
  } {unrolled = true}
  affine.parallel () = () to () {
  }
  affine.parallel (%i) = (max(0, %n - 4)) to (min(%n, 100)) {
  }
  return
}
// -----
func.func @tensors(%t: tensor<4x4xf32>, %i: index) -> tensor<4x4xf32> {
  %e = tensor.extract %t[%i, %i] : tensor<4x4xf32>
  %c0 = arith.constant 0 : index
  %d = tensor.dim %t, %c0 : tensor<4x4xf32>
  %r = tensor.insert %e into %t[%i, %c0] : tensor<4x4xf32>
  %s = tensor.empty() : tensor<4x4xf32>
  %b = bufferization.to_memref %r : memref<4x4xf32>
  return %s : tensor<4x4xf32>
}
// -----
func.func @vectors(%A: memref<100xf32>, %i: index) -> vector<4xf32> {
  %f0 = arith.constant 0.0 : f32
  %v = vector.transfer_read %A[%i], %f0 : memref<100xf32>, vector<4xf32>
  vector.transfer_write %v, %A[%i] : vector<4xf32>, memref<100xf32>
  %w = vector.broadcast %f0 : f32 to vector<4xf32>
  %s = arith.addf %v, %w : vector<4xf32>
  %l = vector.load %A[%i] : memref<100xf32>, vector<4xf32>
  vector.store %s, %A[%i] : memref<100xf32>, vector<4xf32>
  %r = vector.reduction <add>, %s : vector<4xf32> into f32
  %p = vector.splat %r : vector<4xf32>
  return %p : vector<4xf32>
}
// -----
func.func @views(%A: memref<8x16xf32>, %n: index) {
  %0 = memref.subview %A[0, 4][8, 4][1, 1] : memref<8x16xf32> to memref<8x4xf32, strided<[16, 1], offset: 4>>
  %1 = memref.subview %A[%n, 0][4, %n][1, 2] : memref<8x16xf32> to memref<4x?xf32, strided<[16, 2], offset: ?>>
  %2 = memref.collapse_shape %A [[0, 1]] : memref<8x16xf32> into memref<128xf32>
  %3 = memref.expand_shape %2 [[0, 1]] output_shape [8, 16] : memref<128xf32> into memref<8x16xf32>
  %4 = memref.reinterpret_cast %A to offset: [0], sizes: [16, 8], strides: [8, 1] : memref<8x16xf32> to memref<16x8xf32, strided<[8, 1]>>
  %c = arith.constant 0 : index
  %raw = memref.alloc() : memref<2048xi8>
  %5 = memref.view %raw[%c][%n] : memref<2048xi8> to memref<?x4xf32>
  %6 = memref.extract_aligned_pointer_as_index %A : memref<8x16xf32> -> index
  memref.assume_alignment %A, 16 : memref<8x16xf32>
  return
}
// -----
func.func @layouts(%A: memref<8x16xf32, affine_map<(d0, d1) -> (d1, d0)>>, %B: memref<4x4xf32, affine_map<(d0, d1)[s0] -> (d0 * s0 + d1)>>, %D: memref<?xf32, strided<[?], offset: ?>, 3>) {
  affine.for %i = 0 to 8 {
    %a = affine.load %A[%i, %i] : memref<8x16xf32, affine_map<(d0, d1) -> (d1, d0)>>
  }
  return
}
// -----
func.func @while(%n: i64) -> i64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %r = scf.while (%i = %c0) : (i64) -> i64 {
    %more = arith.cmpi slt, %i, %n : i64
    scf.condition(%more) %i : i64
  } do {
  ^bb0(%i: i64):
    %next = arith.addi %i, %c1 : i64
    scf.yield %next : i64
  }
  return %r : i64
}
// -----
func.func @switch(%n: index) -> i32 {
  %0 = scf.index_switch %n -> i32
  case 2 {
    %c = arith.constant 10 : i32
    scf.yield %c : i32
  }
  default {
    %c = arith.constant 20 : i32
    scf.yield %c : i32
  }
  return %0 : i32
}
// -----
func.func @blocks(%n: i32, %c: i1) -> i32 {
  cf.cond_br %c, ^then(%n : i32), ^end(%n : i32)
^then(%x: i32):
  cf.br ^end(%x : i32)
^end(%y: i32):
  cf.assert %c, "message"
  return %y : i32
}
// -----
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @f(%A: memref<20xf64>) kernel {
      %x = gpu.thread_id x
      %a = memref.load %A[%x] : memref<20xf64>
      memref.store %a, %A[%x] : memref<20xf64>
      gpu.return
    }
  }
  func.func @g(%A: memref<20xf64>) {
    affine.for %i = 1 to 20 {
      %a = affine.load %A[%i - 1] : memref<20xf64>
      affine.store %a, %A[%i] : memref<20xf64>
    }
    return
  }
}
// -----
func.func @launch(%n: index, %A: memref<?xf32>) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    %a = memref.load %A[%tx] : memref<?xf32>
    gpu.terminator
  }
  return
}
// -----
func.func @linalg(%A: memref<4x4xf32>, %B: memref<4x4xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%A : memref<4x4xf32>) outs(%B : memref<4x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }
  %c = arith.constant 0.0 : f32
  linalg.fill ins(%c : f32) outs(%A : memref<4x4xf32>)
  linalg.matmul ins(%A, %B : memref<4x4xf32>, memref<4x4xf32>) outs(%B : memref<4x4xf32>)
  return
}
// -----
%i = "test.value"() : () -> index
"test.scope"() ({
^bb0(%A: memref<?xf32>):
  %a = affine.load %A[%i] : memref<?xf32>
  "test.end"() : () -> ()
}) : () -> ()
// -----
func.func @symbols(%m: index, %A: memref<?x?xf32>) {
  %c1 = arith.constant 1 : index
  affine.for %i = 0 to %m step 7 {
    %size = memref.dim %A, %c1 : memref<?x?xf32>
    affine.for %j = 0 to %size step 3 {
      %k = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%i, %j)
      affine.for %l = 0 to affine_map<(d0) -> (d0)>(%k) {
        "foo"(%l) : (index) -> ()
      }
    }
  }
  return
}
// -----
func.func @carried(%A: memref<10xf32>) -> (f32, f32) {
  %z = arith.constant 0.0 : f32
  %r:2 = affine.for %i = 0 to 10 iter_args(%a = %z, %b = %z) -> (f32, f32) {
    %x = affine.load %A[%i] : memref<10xf32>
    %s = arith.addf %a, %x : f32
    affine.yield %s, %b : f32, f32
  }
  return %r#0, %r#1 : f32, f32
}
// -----
func.func @linear(%i: index, %j: index, %n: index) -> index {
  %0:2 = affine.delinearize_index %i into (%n, %j) : index, index
  %1 = affine.max affine_map<(d0)[s0] -> (d0, s0, 5)>(%i)[%n]
  %2 = affine.min affine_map<() -> (5, 6)>()
  return %1 : index
}
// -----
func.func @complex(%c: complex<f32>) -> f32 {
  %0 = complex.re %c : complex<f32>
  %1 = complex.create %0, %0 : complex<f32>
  %2 = complex.mul %c, %1 : complex<f32>
  return %0 : f32
}
// -----
func.func @small_floats(%a: f16, %b: bf16, %A: memref<4xf8E5M2>) -> f16 {
  %0 = arith.addf %a, %a : f16
  %1 = arith.extf %b : bf16 to f32
  %2 = math.sqrt %0 : f16
  return %2 : f16
}
// -----
func.func @calls(%f: (i32) -> i32, %x: i32) -> i32 {
  %g = func.constant @calls : ((i32) -> i32, i32) -> i32
  %0 = func.call_indirect %f(%x) : (i32) -> i32
  %1 = call @calls(%f, %0) : ((i32) -> i32, i32) -> i32
  return %1 : i32
}
// -----
func.func @printf(%v: vector<4xf32>, %x: i32) {
  vector.print %v : vector<4xf32>
  %0 = builtin.unrealized_conversion_cast %x : i32 to index
  return
}
// -----
func.func @allocation(%n: index) {
  %m = memref.alloc() : memref<4xf32>
  %1 = memref.realloc %m : memref<4xf32> to memref<8xf32>
  %2 = memref.cast %1 : memref<8xf32> to memref<?xf32>
  %3 = memref.alloc(%n)[%n] : memref<?xf32, affine_map<(d0)[s0] -> (d0 + s0)>>
  memref.alloca_scope {
    %4 = memref.alloca(%n) : memref<?xf32>
  }
  memref.dealloc %3 : memref<?xf32, affine_map<(d0)[s0] -> (d0 + s0)>>
  return
}
// -----
llvm.func @external(i32) -> f32
func.func @llvm(%x: i32) -> i64 {
  %0 = llvm.mlir.constant(3 : i64) : i64
  %1 = llvm.add %0, %0 : i64
  %2 = llvm.call @external(%x) : (i32) -> f32
  return %1 : i64
}
// -----
func.func @loop(%n: index, %A: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.for %j = %c0 to %n step %c1 {
      "foo"(%i, %j) : (index, index) -> ()
    }
    scf.reduce
  }
  return
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    transform.yield
  }
}
// -----
func.func @carried_value(%n: index, %A: memref<?xf32>) {
  affine.for %i = 0 to %n {
    %last = affine.for %j = 0 to 3 iter_args(%k = %i) -> (index) {
      %a = affine.load %A[%k] : memref<?xf32>
      affine.yield %j : index
    }
  }
  return
}
// -----
func.func @forall(%n: index, %t: tensor<8xf32>) -> tensor<8xf32> {
  scf.forall (%i) in (%n) {
    "foo"(%i) : (index) -> ()
  }
  %r = scf.forall (%i, %j) = (0, 0) to (8, %n) step (1, 2) shared_outs(%o = %t) -> (tensor<8xf32>) {
    scf.forall.in_parallel {
    }
  } {mapping = [#gpu.thread<x>, #gpu.thread<y>]}
  return %r : tensor<8xf32>
}
// -----
func.func @scope(%n : index, %A : memref<?xf32>) {
  affine.for %i = 0 to 4 {
    %m = arith.addi %i, %n : index
    test.affine_scope {
      affine.for %j = %m to %n {
        %v = affine.load %A[%j + symbol(%m)] : memref<?xf32>
      }
      "terminate"() : () -> ()
    }
  }
  return
}
// -----
func.func @undefined_divisions(%n: index, %m: index) -> (index, index) {
  %0 = affine.apply affine_map<(d0)[s0] -> (d0 floordiv 0 + s0)>(%n)[%m]
  %1 = affine.apply affine_map<(d0) -> (d0 mod -1)>(%n)
  return %0, %1 : index, index
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["affine.min", "affine.max"]} in %m : (!transform.any_op) -> !transform.any_op
    %1 = transform.get_parent_op %0 {op_name = "affine.for"} : (!transform.any_op) -> !transform.op<"affine.for">
    transform.loop.unroll %1 { factor = 4 } : !transform.op<"affine.for">
    transform.affine.simplify_bounded_affine_ops %0 with [%0, %0 : !transform.any_op, !transform.any_op] within [0, 2] and [20, 31] : !transform.any_op
    transform.affine.simplify_bounded_affine_ops %0 with [] within [] and [] : !transform.any_op
    transform.yield
  }
}
// -----
func.func @team(%n: index) {
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i, %j) : index = (%n, %n) to (%n, %n) step (%n, %n) {
        omp.yield
      }
      omp.terminator
    }
    omp.barrier
    omp.terminator
  }
  return
}
// -----
func.func @layout_symbols(%n: index) {
  %0 = memref.alloc()[%n] : memref<3x4xf32, affine_map<(i, j)[M]->(M * i + 16 * j + 1)>>
  %1 = memref.alloc(%n) : memref<?xf32, affine_map<(i)[M]->(i)>>
  %2 = memref.alloc(%n)[%n, %n] : memref<3x?xf32, strided<[?, 1], offset: ?>>
  return
}
// -----
func.func @tensor_of_memref(%A: memref<4x8xf32>) {
  %0 = bufferization.to_tensor %A restrict writable : memref<4x8xf32>
  bufferization.dealloc_tensor %0 : tensor<4x8xf32>
  return
}
// -----
func.func @arguments_of_a_block(index, memref<?xf32>) -> index {
^bb0(%n : index, %A : memref<?xf32>):
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf32>
  }
  return %n : index
}
// -----
func.func @spaces_in_shapes(%A: memref<256 x f32, affine_map<(d0) -> (d0)>, 0>, %B: memref<? x 4x  0 x f32, 2>, %C: memref< 8 x vector<[4] x 2 x f32>>, %D: memref<* x f32>, %t: tensor<4 x ? x f32>) {
  %tag = memref.alloc() : memref<1 x i32>
  return
}
// -----
func.func @spaces_next_to_other_dialects(%A: memref<? x 4 x f32>, %i: index) -> tensor<4 x f32> {
  %v = vector.load %A[%i, %i] : memref<? x 4 x f32>, vector<2 x f32>
  %s = vector.step : vector<4 x index>
  %t = tensor.empty() : tensor<4 x f32>
  return %t : tensor<4 x f32>
}
// -----
func.func @comma_after_sizes(%A: memref<512xf32>, %B: memref<4xf32, 1>, %tag: memref<1xi32>, %n: index) {
  affine.dma_start %A[%n], %B[%n], %tag[%n], %n,
            : memref<512xf32>, memref<4xf32, 1>, memref<1xi32>
  return
}
// -----
func.func @device(%A: memref<16 x f32>, %n: index) {
  %start = gpu.wait async
  affine.for %i = 0 to 4 {
    %B, %made = gpu.alloc async [%start] () : memref<16xf32>
    %copied = gpu.memcpy async [%made] %B, %A : memref<16xf32>, memref<16xf32>
    %gone = gpu.dealloc async [%copied] %B : memref<16xf32>
    gpu.wait [%gone]
    %C = gpu.alloc host_shared (%n) {x} : memref<?xf32>
    gpu.memcpy %C, %C : memref<?xf32>, memref<?xf32>
    gpu.dealloc %C : memref<?xf32>
  }
  return
}
// -----
func.func @words_as_names() {
  "foo"() {affine_map = affine_map<(d0)[s0] -> (d0 mod s0)>, memref = memref<4 x f32>, dense, module = 1 : i32, mod, array.x} : () -> ()
  "foo"() {affine.for = [affine_set<() : ()>], vector = dense<1> : vector<2xi32>, return, call = @f, arith.addi = array<i64: 1, 2>} : () -> ()
  return
}
// -----
func.func @size_inside_a_launch(%n: index, %A: memref<?xf32>) {
  affine.for %k = 0 to 4 {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
      affine.for %i = 0 to %n {
        %a = affine.load %A[%i + %k] : memref<?xf32>
      }
      gpu.terminator
    }
  }
  return
}
// -----
module attributes {gpu.container_module} {
  gpu.module @kernels attributes {x} {
    gpu.func @all(%n: index, %A: memref<?x?xf64>) workgroup(%s : memref<32x33xf64, #gpu.address_space<workgroup>>, %u : memref<8xf32, 3> {llvm.align = 16 : i64}) private(%p : memref<4xf64, #gpu.address_space<private>>) kernel attributes {known_block_size = array<i32: 32, 4, 1>, known_grid_size = array<i32: 8, 1, 1>} {
      %x = gpu.thread_id x upper_bound 32
      %b = gpu.block_id y {x}
      %v = memref.load %A[%b, %x] : memref<?x?xf64>
      memref.store %v, %s[%x, %b] : memref<32x33xf64, #gpu.address_space<workgroup>>
      gpu.barrier
      gpu.return
    }
    gpu.func @private_only() private(%p : memref<4xf64, #gpu.address_space<private>>, %q : memref<f32, #gpu.address_space<private>>) kernel {
      gpu.return
    }
    gpu.func @result(%a: f32) -> f32 {
      gpu.return %a : f32
    }
  }
  func.func @host(%n: index, %m: i64, %w: i32, %A: memref<?x?xf64>) {
    %start = gpu.wait async
    gpu.launch_func @kernels::@private_only blocks in (%n, %n, %n) threads in (%n, %n, %n)
    gpu.launch_func @kernels::@all blocks in (%n, %n, %n) threads in (%n, %n, %n) dynamic_shared_memory_size %w args(%n : index, %A : memref<?x?xf64>) {x}
    gpu.launch_func @kernels::@private_only clusters in (%n, %n, %n) blocks in (%n, %n, %n) threads in (%n, %n, %n)
    gpu.launch_func @kernels::@private_only blocks in (%m, %m, %m) threads in (%m, %m, %m) : i64
    %token = gpu.launch_func async [%start] @kernels::@all blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%n : index, %A : memref<?x?xf64>)
    gpu.wait [%token, %start]
    return
  }
}
// -----
func.func @memory_of_a_launch(%n: index, %w: i32, %A: memref<?xf32>) {
  %start = gpu.wait async
  %token = gpu.launch async [%start] blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) dynamic_shared_memory_size %w workgroup(%s : memref<32xf32, #gpu.address_space<workgroup>>) private(%p : memref<1xf32, #gpu.address_space<private>>) {
    %a = memref.load %A[%tx] : memref<?xf32>
    memref.store %a, %s[%tx] : memref<32xf32, #gpu.address_space<workgroup>>
    %t = memref.alloca() : memref<8xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    gpu.terminator
  } {x}
  return
}
// -----
func.func @spaces(%A: memref<4xf32, #gpu.address_space<global>>, %B: memref<4xf32, 1>, %C: memref<?xf32>) {
  gpu.memcpy %C, %A : memref<?xf32>, memref<4xf32, #gpu.address_space<global>>
  return
}
// -----
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (index) -> (), known_block_size = array<i32: 32, 4, 1>}> ({
  ^bb0(%n: index, %s: memref<32xf64, #gpu.address_space<workgroup>>):
    %g = "gpu.global_id"() <{dimension = #gpu<dim z>, upper_bound = 64 : index}> : () -> index
    "gpu.return"() : () -> ()
  }) {gpu.kernel, sym_name = "f", workgroup_attributions = 1 : i64} : () -> ()
  "gpu.module_end"() : () -> ()
}) : () -> ()
func.func @generic(%n: index, %A: memref<?xf32>) {
  "gpu.memcpy"(%A, %A) : (memref<?xf32>, memref<?xf32>) -> ()
  %B = "gpu.alloc"(%n) <{operandSegmentSizes = array<i32: 0, 1, 0>}> : (index) -> memref<?xf32>
  "gpu.dealloc"(%B) : (memref<?xf32>) -> ()
  return
}
// -----
func.func @parts(%A: memref<64xf32>, %B: memref<8x16xf32>, %C: memref<?x?xf32>, %D: memref<8x16xf32, strided<[?, 2], offset: 5>>, %i: index, %n: index) {
  %0 = memref.subview %A[%i] [4] [1] : memref<64xf32> to memref<4xf32, strided<[1], offset: ?>>
  %1 = memref.subview %A[0] [%n] [1] : memref<64xf32> to memref<?xf32>
  %2 = memref.subview %A[3] [4] [2] : memref<64xf32> to memref<4xf32, affine_map<(d0) -> (d0 * 2 + 3)>>
  %3 = memref.subview %B[0, 0] [2, 16] [1, 1] : memref<8x16xf32> to memref<2x16xf32>
  %4 = memref.subview %B[2, 4] [3, %n] [2, 3] : memref<8x16xf32> to memref<3x?xf32, strided<[32, 3], offset: 36>>
  %5 = memref.subview %C[0, 0] [4, 4] [1, %i] : memref<?x?xf32> to memref<4x4xf32, strided<[?, ?]>>
  %6 = memref.subview %C[0, 3] [%n, %n] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: 3>>
  %7 = memref.subview %C[1, 0] [4, 4] [1, 1] : memref<?x?xf32> to memref<4x4xf32, strided<[?, 1], offset: ?>>
  %8 = memref.subview %D[0, 3] [8, 2] [1, 2] : memref<8x16xf32, strided<[?, 2], offset: 5>> to memref<8x2xf32, strided<[?, 4], offset: 11>>
  return
}
// -----
func.func @parts_without_dimensions(%A: memref<2x4x3xf32>, %B: memref<8x16xf32, 3>, %S: memref<f32>, %i: index) {
  %0 = memref.subview %A[0, 0, 1] [1, 4, 1] [1, 1, 1] : memref<2x4x3xf32> to memref<4xf32, strided<[3], offset: 1>>
  %1 = memref.subview %A[0, 0, 1] [1, 4, 1] [1, 1, 1] : memref<2x4x3xf32> to memref<1x4xf32, strided<[12, 3], offset: 1>>
  %2 = memref.subview %A[0, 0, 1] [1, 4, 1] [1, 1, 1] : memref<2x4x3xf32> to memref<4x1xf32, strided<[3, 1], offset: 1>>
  %3 = memref.subview %A[%i, %i, %i] [1, 1, 1] [1, 1, 1] : memref<2x4x3xf32> to memref<f32, strided<[], offset: ?>>
  %4 = memref.subview %B[%i, 0] [1, 16] [1, 1] : memref<8x16xf32, 3> to memref<16xf32, strided<[1], offset: ?>, 3>
  %5 = memref.subview %B[0, %i] [8, 1] [1, 1] : memref<8x16xf32, 3> to memref<8xf32, strided<[16], offset: ?>, 3>
  %6 = memref.subview %B[0, 0] [1, 16] [1, 1] : memref<8x16xf32, 3> to memref<16xf32, 3>
  %7 = memref.subview %S[] [] [] : memref<f32> to memref<f32>
  return
}
// -----
func.func @parts_of_layouts(%A: memref<8x16xf32, affine_map<(i, j) -> (i * 32 + j + 3)>>, %B: memref<8x16xf32, affine_map<(i, j)[p] -> ((i + p) * 2 * p + j)>>, %C: memref<8x16xf32, affine_map<(i, j) -> (i, j)>>) {
  %0 = memref.subview %A[1, 2] [2, 4] [1, 2] : memref<8x16xf32, affine_map<(i, j) -> (i * 32 + j + 3)>> to memref<2x4xf32, strided<[32, 2], offset: 37>>
  %1 = memref.subview %B[0, 2] [2, 4] [1, 2] : memref<8x16xf32, affine_map<(i, j)[p] -> ((i + p) * 2 * p + j)>> to memref<2x4xf32, strided<[?, 2], offset: ?>>
  %2 = memref.subview %C[0, 2] [2, 4] [1, 1] : memref<8x16xf32, affine_map<(i, j) -> (i, j)>> to memref<2x4xf32, strided<[16, 1], offset: 2>>
  return
}
// -----
gpu.module @kernels {
  gpu.func @two(%A: memref<?xf32>, %i: index) -> (f32, index) {
    %j = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
    %a = memref.load %A[%j] : memref<?xf32>
    gpu.return %a, %j : f32, index
  }
  gpu.func @one(%x: f32) -> f32 {
    gpu.return {note = "x"} %x : f32
  }
  gpu.func @none(%x: f32) {
    gpu.return {note}
  }
}
// -----
func.func @mapped(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
    scf.reduce
  } {mapping = [#gpu.loop_dim_map<bound = (d0) -> (d0), map = (d0)[s0] -> (d0 * 2 + s0), processor = thread_x>, #gpu.loop_dim_map<map = (d0) -> (d0), processor = sequential, bound = (d0) -> (d0 floordiv 4)>]}
  gpu.barrier
  "foo"() {m = #gpu<loop_dim_map<map = (d0) -> (d0), processor = block_z, bound = (d0) -> (d0)>>} : () -> ()
  return
}
// -----
llvm.func @scalars(%a: i32, %x: f32, %h: f16) {
  %0 = llvm.intr.bitreverse(%a) : (i32) -> i32
  %1 = llvm.intr.bswap(%0) : (i32) -> i32
  %2 = llvm.intr.ctpop(%1) : (i32) -> i32
  %3 = llvm.intr.smin(%0, %1) : (i32, i32) -> i32
  %4 = llvm.intr.smax(%2, %3) : (i32, i32) -> i32
  %5 = llvm.intr.umin(%3, %4) : (i32, i32) -> i32
  %6 = llvm.intr.umax(%4, %5) {note} : (i32, i32) -> (i32)
  %7 = llvm.intr.sadd.sat(%5, %6) : (i32, i32) -> i32
  %8 = llvm.intr.uadd.sat(%6, %7) : (i32, i32) -> i32
  %9 = llvm.intr.ssub.sat(%7, %8) : (i32, i32) -> i32
  %10 = llvm.intr.usub.sat(%8, %9) : (i32, i32) -> i32
  %11 = llvm.intr.sshl.sat(%9, %10) : (i32, i32) -> i32
  %12 = llvm.intr.ushl.sat(%10, %11) : (i32, i32) -> i32
  %13 = llvm.intr.fshl(%10, %11, %12) : (i32, i32, i32) -> i32
  %14 = llvm.intr.fshr(%11, %12, %13) : (i32, i32, i32) -> i32
  %15 = llvm.intr.log10(%x) : (f32) -> f32
  %16 = llvm.intr.nearbyint(%15) : (f32) -> f32
  %17 = llvm.intr.rint(%16) : (f32) -> f32
  %18 = llvm.intr.round(%h) : (f16) -> f16
  %19 = llvm.intr.roundeven(%17) {fastmathFlags = #llvm.fastmath<nnan, ninf>, note = 1} : (f32) -> f32
  %20 = llvm.intr.trunc(%19) : (f32) -> f32
  %21 = llvm.intr.maximum(%x, %20) : (f32, f32) -> f32
  %22 = llvm.intr.minimum(%x, %21) {fastmathFlags = #llvm.fastmath<fast>} : (f32, f32) -> f32
  %23 = llvm.intr.fmuladd(%x, %21, %22) : (f32, f32, f32) -> f32
  %24 = llvm.intr.powi(%23, %14) {fastmathFlags = #llvm.fastmath<contract>} : (f32, i32) -> f32
  %25 = llvm.intr.lrint(%24) : (f32) -> i64
  %26 = llvm.intr.llrint(%24) : (f32) -> i64
  %27 = llvm.intr.lround(%24) : (f32) -> i32
  %28 = llvm.intr.llround(%24) : (f32) -> i64
  llvm.return
}
// -----
llvm.func @intrinsics_that_xdsl_has(%x: f64) {
  %0 = llvm.intr.fabs(%x) : (f64) -> f64
  %1 = llvm.intr.sqrt(%0) {fastmathFlags = #llvm.fastmath<fast>} : (f64) -> f64
  %2 = llvm.intr.pow(%0, %1) : (f64, f64) -> f64
  %3 = llvm.intr.maxnum(%1, %2) : (f64, f64) -> f64
  %4 = llvm.intr.copysign(%2, %3) : (f64, f64) -> f64
  %5 = llvm.intr.fma(%2, %3, %4) : (f64, f64, f64) -> f64
  llvm.return
}
// -----
func.func @vectors_of_llvm(%v: vector<4xf32>, %w: vector<[4]xi32>, %i: i16) -> f32 {
  %0 = llvm.intr.trunc(%v) : (vector<4xf32>) -> vector<4xf32>
  %1 = llvm.intr.umin(%w, %w) : (vector<[4]xi32>, vector<[4]xi32>) -> vector<[4]xi32>
  %2 = llvm.intr.powi(%0, %i) : (vector<4xf32>, i16) -> vector<4xf32>
  %3 = llvm.intr.vector.reduce.fmax(%2) {fastmathFlags = #llvm.fastmath<nnan>} : (vector<4xf32>) -> f32
  %4 = llvm.intr.vector.reduce.fmin(%2) : (vector<4xf32>) -> f32
  %5 = llvm.intr.vector.reduce.fmaximum(%2) : (vector<4xf32>) -> f32
  %6 = llvm.intr.vector.reduce.fminimum(%2) : (vector<4xf32>) -> f32
  return %6 : f32
}
