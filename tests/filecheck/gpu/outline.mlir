// RUN: polyir-opt --gpu-outline %s --split-input-file | filecheck %s
// RUN: polyir-opt --gpu-outline --remarks %s --split-input-file 2>&1 >%t | filecheck %s --check-prefix=REMARK

// Constants and sums are computed in the kernel, divisions on the host.
func.func @one(%n: index, %m: index, %k: index, %l: index, %x: f64, %A: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : index
  %size = arith.constant 32 : index
  %two = arith.constant 2.0 : f64
  %blocks = affine.apply affine_map<()[s0] -> (s0 ceildiv 32)>()[%n]
  %last = affine.apply affine_map<()[s0] -> (s0 - 1)>()[%n]
  %sum = arith.addi %n, %m : index
  %other = arith.addi %k, %l : index
  %half = affine.apply affine_map<()[s0] -> (s0 floordiv 2)>()[%m]
  %extent = memref.dim %A, %c0 : memref<?xf64>
  %A_dev = gpu.alloc(%extent) : memref<?xf64>
  gpu.memcpy %A_dev, %A : memref<?xf64>, memref<?xf64>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %size, %sy = %one, %sz = %one) {
    %p = memref.alloca() : memref<4xf64>
    %q = memref.alloca() : memref<2xf64, #gpu.address_space<private>>
    affine.for %i = 0 to %last {
      %tile = memref.alloca() {alignment = 16 : i64} : memref<32xf64, #gpu.address_space<workgroup>>
      %v = affine.load %A_dev[symbol(%bx) * 32 + symbol(%tx) + symbol(%half)] : memref<?xf64>
      %w = arith.mulf %v, %two : f64
      %y = arith.addf %w, %x : f64
      affine.store %y, %tile[symbol(%tx)] : memref<32xf64, #gpu.address_space<workgroup>>
      affine.store %y, %q[0] : memref<2xf64, #gpu.address_space<private>>
      affine.store %y, %p[0] : memref<4xf64>
      gpu.barrier
    }
    %total = arith.muli %gx, %sx : index
    affine.for %i = 0 to %total {
      affine.store %x, %A_dev[%i + symbol(%sum) + symbol(%other)] : memref<?xf64>
    }
    gpu.terminator
  }
  gpu.memcpy %A, %A_dev : memref<?xf64>, memref<?xf64>
  gpu.dealloc %A_dev : memref<?xf64>
  return
}
// CHECK: module attributes {gpu.container_module} {
// CHECK-NEXT: gpu.module @one_kernels {
// With %n and %m, %last and %sum can be computed; %other would need two more arguments.
// CHECK-NEXT: gpu.func @one_0([[N:%.*]]: index, [[M:%.*]]: index, [[X:%.*]]: f64, [[OTHER:%.*]]: index, [[HALF:%.*]]: index, [[A:%.*]]: memref<?xf64>)
// CHECK-SAME: workgroup([[TILE:%[a-z0-9_]+]] : memref<32xf64, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK-SAME: private([[Q:%[a-z0-9_]+]] : memref<2xf64, #gpu.address_space<private>>)
// CHECK-SAME: kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
// CHECK-NEXT: [[BX:%.*]] = gpu.block_id x
// CHECK-NEXT: [[TX:%.*]] = gpu.thread_id x
// CHECK-NEXT: [[GX:%.*]] = gpu.grid_dim x
// CHECK-NEXT: [[SX:%.*]] = arith.constant 32 : index
// CHECK-NEXT: [[TWO:%.*]] = arith.constant 2.000000e+00 : f64
// CHECK-NEXT: [[LAST:%.*]] = affine.apply affine_map<()[s0] -> (s0 - 1)> ()[[[N]]]
// CHECK-NEXT: [[SUM:%.*]] = arith.addi [[N]], [[M]] : index
// CHECK-NEXT: [[P:%.*]] = memref.alloca() : memref<4xf64>
// CHECK-NEXT: affine.for [[I:%.*]] = 0 to [[LAST]] {
// CHECK-NEXT: [[V:%.*]] = affine.load [[A]][{{.*}}[[BX]]{{.*}} * 32 + {{.*}}[[TX]]{{.*}} + {{.*}}[[HALF]]{{.*}}] : memref<?xf64>
// CHECK-NEXT: [[W:%.*]] = arith.mulf [[V]], [[TWO]] : f64
// CHECK-NEXT: [[Y:%.*]] = arith.addf [[W]], [[X]] : f64
// CHECK-NEXT: affine.store [[Y]], [[TILE]][{{.*}}[[TX]]{{.*}}] : memref<32xf64, #gpu.address_space<workgroup>>
// CHECK-NEXT: affine.store [[Y]], [[Q]][0] : memref<2xf64, #gpu.address_space<private>>
// CHECK-NEXT: affine.store [[Y]], [[P]][0] : memref<4xf64>
// CHECK-NEXT: gpu.barrier
// CHECK: [[TOTAL:%.*]] = arith.muli [[GX]], [[SX]] : index
// CHECK-NEXT: affine.for [[J:%.*]] = 0 to [[TOTAL]] {
// CHECK-NEXT: affine.store [[X]], [[A]][[[J]] + {{.*}}[[SUM]]{{.*}} + {{.*}}[[OTHER]]{{.*}}] : memref<?xf64>
// CHECK: gpu.return
// CHECK: func.func @one([[N:%.*]]: index, [[M:%.*]]: index, [[K:%.*]]: index, [[L:%.*]]: index, [[X:%.*]]: f64, [[A:%.*]]: memref<?xf64>) {
// CHECK: [[ONE:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[SIZE:%.*]] = arith.constant 32 : index
// CHECK-NEXT: [[BLOCKS:%.*]] = affine.apply affine_map<()[s0] -> (s0 ceildiv 32)> ()[[[N]]]
// CHECK-NEXT: [[OTHER:%.*]] = arith.addi [[K]], [[L]] : index
// CHECK-NEXT: [[HALF:%.*]] = affine.apply affine_map<()[s0] -> (s0 floordiv 2)> ()[[[M]]]
// CHECK: [[D:%.*]] = gpu.alloc
// CHECK: gpu.launch_func @one_kernels::@one_0 blocks in ([[BLOCKS]], [[ONE]], [[ONE]]) threads in ([[SIZE]], [[ONE]], [[ONE]]) args([[N]] : index, [[M]] : index, [[X]] : f64, [[OTHER]] : index, [[HALF]] : index, [[D]] : memref<?xf64>)
// CHECK-NEXT: gpu.memcpy

// REMARK: outline.mlir:18:3: remark: [gpu-outline] the kernel @one_0 has 6 arguments

// -----

// Kernels are numbered in the order of the text; each function has a module. No name is taken.
func.func private @sine(f64) -> f64
func.func @helper(%x: f64) -> f64 {
  %y = func.call @sine(%x) : (f64) -> f64
  return %y : f64
}
func.func @two_0(%x: f64) {
  return
}
func.func @two(%n: index, %w: i32, %A: memref<?xf64>) {
  %one = arith.constant 1 : index
  affine.for %t = 0 to %n {
    %from = affine.apply affine_map<(d0) -> (d0 + 1)>(%t)
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %one, %sz = %one) {
      affine.for %i = 0 to %from {
        %v = affine.load %A[%i + symbol(%tx)] : memref<?xf64>
        %y = func.call @helper(%v) : (f64) -> f64
        affine.store %y, %A[%i] : memref<?xf64>
      }
      gpu.terminator
    }
  }
  %start = gpu.wait async
  %end = gpu.launch async [%start] blocks(%bx, %by, %bz) in (%gx = %n, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) dynamic_shared_memory_size %w workgroup(%s : memref<8xf64, #gpu.address_space<workgroup>>) {
    %t = memref.alloca() : memref<4xf64, #gpu.address_space<workgroup>>
    %x = affine.load %s[0] : memref<8xf64, #gpu.address_space<workgroup>>
    affine.store %x, %t[0] : memref<4xf64, #gpu.address_space<workgroup>>
    gpu.terminator
  } {note}
  gpu.wait [%end]
  return
}
// CHECK: gpu.module @two_kernels {
// CHECK-NEXT: gpu.func @two_0_0([[N:%.*]]: memref<?xf64>, [[T:%.*]]: index) kernel {
// CHECK-NEXT: [[TX:%.*]] = gpu.thread_id x
// CHECK-NEXT: [[FROM:%.*]] = affine.apply affine_map<(d0) -> (d0 + 1)> ([[T]])
// CHECK-NEXT: affine.for {{%.*}} = 0 to [[FROM]] {
// CHECK: func.call @helper
// CHECK: gpu.func @two_1() workgroup([[S:%.*]] : memref<8xf64, #gpu.address_space<workgroup>>, [[U:%.*]] : memref<4xf64, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
// CHECK-NEXT: [[X:%.*]] = affine.load [[S]][0]
// CHECK-NEXT: affine.store [[X]], [[U]][0]
// CHECK: func.func @helper
// CHECK: func.func private @sine(f64) -> f64
// CHECK: func.func @two(
// CHECK: affine.for [[T:%.*]] = 0 to
// CHECK-NEXT: gpu.launch_func @two_kernels::@two_0_0 blocks in ({{.*}}) threads in ({{.*}}) args({{%.*}} : memref<?xf64>, [[T]] : index)
// CHECK: [[START:%.*]] = gpu.wait async
// CHECK-NEXT: [[END:%.*]] = gpu.launch_func async [[[START]]] @two_kernels::@two_1 blocks in ({{.*}}) threads in ({{.*}}) dynamic_shared_memory_size {{%.*}} {note}
// CHECK-NEXT: gpu.wait [[[END]]]

// REMARK: outline.mlir:{{[0-9]+}}:5: remark: [gpu-outline] the kernel @two_0_0 has 2 arguments
// REMARK: outline.mlir:{{[0-9]+}}:10: remark: [gpu-outline] the kernel @two_1 has 0 arguments
