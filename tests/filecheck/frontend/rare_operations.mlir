// Operations of vector, memref, scf, tensor and transform that xDSL lacks have MLIR's syntax.
// RUN: polyir-opt %s | filecheck %s
// RUN: polyir-opt %s | polyir-opt | filecheck %s
// RUN: polyir-opt --print-op-generic %s | polyir-opt | filecheck %s
// RUN: polyir-opt %s | mlir-opt-19 -o /dev/null
// RUN: polyir-opt --print-op-generic %s | mlir-opt-19 -o /dev/null
// RUN: xdsl-opt %s | filecheck %s

// CHECK-LABEL: @shapes
func.func @shapes(%v: vector<8xf32>, %vv: vector<4x8xf32>, %f: f32, %n: index) {
  // CHECK: vector.shape_cast %vv : vector<4x8xf32> to vector<32xf32>
  %0 = vector.shape_cast %vv : vector<4x8xf32> to vector<32xf32>
  // CHECK: vector.transpose %vv, [1, 0] : vector<4x8xf32> to vector<8x4xf32>
  %1 = vector.transpose %vv, [1, 0] : vector<4x8xf32> to vector<8x4xf32>
  // CHECK: vector.extractelement %v[%n : index] : vector<8xf32>
  %2 = vector.extractelement %v[%n : index] : vector<8xf32>
  // CHECK: vector.insertelement %f, %v[%n : index] : vector<8xf32>
  %3 = vector.insertelement %f, %v[%n : index] : vector<8xf32>
  // CHECK: vector.extract_strided_slice %v {offsets = [2 : i64], sizes = [4 : i64], strides = [1 : i64]} : vector<8xf32> to vector<4xf32>
  %4 = vector.extract_strided_slice %v {offsets = [2], sizes = [4], strides = [1]} : vector<8xf32> to vector<4xf32>
  // CHECK: vector.insert_strided_slice %4, %vv {offsets = [0 : i64, 0 : i64], strides = [1 : i64]} : vector<4xf32> into vector<4x8xf32>
  %5 = vector.insert_strided_slice %4, %vv {offsets = [0, 0], strides = [1]} : vector<4xf32> into vector<4x8xf32>
  // CHECK: vector.interleave %v, %v : vector<8xf32> -> vector<16xf32>
  %6 = vector.interleave %v, %v : vector<8xf32> -> vector<16xf32>
  // CHECK: vector.constant_mask [4 : i64] : vector<8xi1>
  %7 = vector.constant_mask [4] : vector<8xi1>
  // CHECK: vector.step : vector<4xindex>
  %8 = vector.step : vector<4xindex>
  // CHECK: vector.vscale
  %9 = vector.vscale
  // CHECK: arith.select %7, %v, %v : vector<8xi1>, vector<8xf32>
  %10 = arith.select %7, %v, %v : vector<8xi1>, vector<8xf32>
  // CHECK: arith.index_cast %8 : vector<4xindex> to vector<4xi64>
  %11 = arith.index_cast %8 : vector<4xindex> to vector<4xi64>
  return
}

// CHECK-LABEL: @products
func.func @products(%a2: vector<4x8xf32>, %b2: vector<8x4xf32>, %c2: vector<4x4xf32>, %r2: vector<8xf32>, %g2: f32) {
  // CHECK: vector.contract {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %a2, %b2, %c2 : vector<4x8xf32>, vector<8x4xf32> into vector<4x4xf32>
  %u2x0 = vector.contract {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} %a2, %b2, %c2 : vector<4x8xf32>, vector<8x4xf32> into vector<4x4xf32>
  // CHECK: vector.outerproduct %r2, %r2 {kind = #vector.kind<add>} : vector<8xf32>, vector<8xf32>
  %u2x1 = vector.outerproduct %r2, %r2 : vector<8xf32>, vector<8xf32>
  // CHECK: vector.outerproduct %r2, %g2, %r2 {kind = #vector.kind<mul>} : vector<8xf32>, f32
  %u2x2 = vector.outerproduct %r2, %g2, %r2 {kind = #vector.kind<mul>} : vector<8xf32>, f32
  // CHECK: vector.multi_reduction <add>, %a2, %r2 [0 : i64] : vector<4x8xf32> to vector<8xf32>
  %u2x3 = vector.multi_reduction <add>, %a2, %r2 [0] : vector<4x8xf32> to vector<8xf32>
  // CHECK: vector.scan <add>, %a2, %r2 {inclusive = false, reduction_dim = 0 : i64} : vector<4x8xf32>, vector<8xf32>
  %u2x4:2 = vector.scan <add>, %a2, %r2 {inclusive = false, reduction_dim = 0 : i64} : vector<4x8xf32>, vector<8xf32>
  return
}

// CHECK-LABEL: @masked
func.func @masked(%A3: memref<64xf32>, %i3: index, %k3: vector<8xi32>, %m3: vector<8xi1>, %v3: vector<8xf32>) {
  // CHECK: vector.gather %A3[%i3] [%k3], %m3, %v3 : memref<64xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  %u3x0 = vector.gather %A3[%i3] [%k3], %m3, %v3 : memref<64xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  // CHECK: vector.scatter %A3[%i3] [%k3], %m3, %u3x0 : memref<64xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32>
  vector.scatter %A3[%i3] [%k3], %m3, %u3x0 : memref<64xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32>
  // CHECK: vector.expandload %A3[%i3], %m3, %v3 : memref<64xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  %u3x1 = vector.expandload %A3[%i3], %m3, %v3 : memref<64xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  // CHECK: vector.compressstore %A3[%i3], %m3, %u3x1 : memref<64xf32>, vector<8xi1>, vector<8xf32>
  vector.compressstore %A3[%i3], %m3, %u3x1 : memref<64xf32>, vector<8xi1>, vector<8xf32>
  // CHECK: vector.mask %m3 {
  // CHECK-NEXT: vector.reduction <add>, %v3 : vector<8xf32> into f32
  // CHECK-NEXT: } : vector<8xi1> -> f32
  %u3x2 = vector.mask %m3 { vector.reduction <add>, %v3 : vector<8xf32> into f32 } : vector<8xi1> -> f32
  return
}

// CHECK-LABEL: @memory
func.func @memory(%A4: memref<4x8xf32>, %U4: memref<*xf32>, %s4: memref<1xindex>, %i4: index) -> index {
  // CHECK: memref.transpose %A4 (d0, d1) -> (d1, d0) : memref<4x8xf32> to memref<8x4xf32, strided<[1, 8]>>
  %u4x0 = memref.transpose %A4 (i, j) -> (j, i) : memref<4x8xf32> to memref<8x4xf32, strided<[1, 8]>>
  // CHECK: memref.generic_atomic_rmw %A4[%i4, %i4] : memref<4x8xf32> {
  %u4x1 = memref.generic_atomic_rmw %A4[%i4, %i4] : memref<4x8xf32> {
  ^bb0(%old4: f32):
    %new4 = arith.addf %old4, %old4 : f32
    // CHECK: memref.atomic_yield %new4 : f32
    memref.atomic_yield %new4 : f32
  }
  // CHECK: memref.prefetch %A4[%i4, %i4], read, locality<3>, data : memref<4x8xf32>
  memref.prefetch %A4[%i4, %i4], read, locality<3>, data : memref<4x8xf32>
  // CHECK: memref.reshape %A4(%s4) : (memref<4x8xf32>, memref<1xindex>) -> memref<?xf32>
  %u4x2 = memref.reshape %A4(%s4) : (memref<4x8xf32>, memref<1xindex>) -> memref<?xf32>
  // CHECK: memref.rank %U4 : memref<*xf32>
  %u4x3 = memref.rank %U4 : memref<*xf32>
  // CHECK: index.sizeof
  %u4x4 = index.sizeof
  return %u4x3 : index
}

// CHECK-LABEL: @loops
func.func @loops(%n5: index, %t5: tensor<64xf32>, %p5: tensor<1xf32>, %more5: i1, %h5: f32) -> tensor<64xf32> {
  // CHECK: scf.forall (%i5) in (%n5) {
  // CHECK-NEXT: scf.forall.in_parallel {
  scf.forall (%i5) in (%n5) {
  }
  // CHECK: %r5 = scf.forall (%j5, %k5) = (0, %n5) to (64, %n5) step (1, 2) shared_outs(%o5 = %t5) -> (tensor<64xf32>) {
  %r5 = scf.forall (%j5, %k5) = (0, %n5) to (64, %n5) step (1, 2) shared_outs(%o5 = %t5) -> (tensor<64xf32>) {
    // CHECK-NEXT: scf.forall.in_parallel {
    scf.forall.in_parallel {
      // CHECK-NEXT: tensor.parallel_insert_slice %p5 into %o5[%j5] [1] [1] : tensor<1xf32> into tensor<64xf32>
      tensor.parallel_insert_slice %p5 into %o5[%j5] [1] [1] : tensor<1xf32> into tensor<64xf32>
    }
  // CHECK: } {note = 1 : i32}
  } {note = 1 : i32}
  // CHECK: scf.while () : () -> () {
  scf.while : () -> () {
    scf.condition(%more5)
  } do {
    scf.yield
  }
  // CHECK: tensor.generate %n5 {
  %gen5 = tensor.generate %n5 {
  ^bb0(%i5: index):
    tensor.yield %h5 : f32
  } : tensor<?xf32>
  // CHECK: tensor.rank %gen5 : tensor<?xf32>
  %k5 = tensor.rank %gen5 : tensor<?xf32>
  return %r5 : tensor<64xf32>
}

// CHECK-LABEL: @sizes
func.func @sizes(%n6: index, %m6: index, %t6: tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  affine.for %i6 = 0 to %n6 {
    %A6 = memref.alloc(%n6, %m6) : memref<?x?xf32>
    %B6 = memref.cast %A6 : memref<?x?xf32> to memref<?x4xf32>
    %s6 = memref.dim %B6, %c0 : memref<?x4xf32>
    // CHECK: affine.for %{{.*}} = 0 to %s6
    affine.for %j6 = 0 to %s6 {
    }
    %d6 = tensor.dim %t6, %c0 : tensor<?xf32>
    // CHECK: affine.for %{{.*}} = 0 to %d6
    affine.for %j6 = 0 to %d6 {
    }
  }
  return
}

// CHECK-LABEL: @intrinsics
func.func @intrinsics(%a7: i32, %x7: f32, %v7: vector<4xf32>) -> f32 {
  // CHECK: %b7 = llvm.intr.smin(%a7, %a7) : (i32, i32) -> i32
  %b7 = llvm.intr.smin(%a7, %a7) : (i32, i32) -> i32
  // CHECK: llvm.intr.usub.sat(%a7, %b7) {note} : (i32, i32) -> i32
  %c7 = llvm.intr.usub.sat(%a7, %b7) {note} : (i32, i32) -> i32
  // CHECK: llvm.intr.roundeven(%x7) : (f32) -> f32
  %y7 = llvm.intr.roundeven(%x7) {fastmathFlags = #llvm.fastmath<none>} : (f32) -> f32
  // CHECK: llvm.intr.fmuladd(%x7, %y7, %y7) {fastmathFlags = #llvm.fastmath<fast>} : (f32, f32, f32) -> f32
  %z7 = llvm.intr.fmuladd(%x7, %y7, %y7) {fastmathFlags = #llvm.fastmath<fast>} : (f32, f32, f32) -> f32
  // CHECK: llvm.intr.powi(%z7, %c7) : (f32, i32) -> f32
  %p7 = llvm.intr.powi(%z7, %c7) : (f32, i32) -> f32
  // CHECK: llvm.intr.lround(%p7) : (f32) -> i64
  %l7 = llvm.intr.lround(%p7) : (f32) -> i64
  // CHECK: llvm.intr.vector.reduce.fmaximum(%v7) : (vector<4xf32>) -> f32
  %m7 = llvm.intr.vector.reduce.fmaximum(%v7) : (vector<4xf32>) -> f32
  return %m7 : f32
}
