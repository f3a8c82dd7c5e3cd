// RUN: polyir-opt %s | filecheck %s
// RUN: polyir-opt %s | polyir-opt | filecheck %s
// RUN: polyir-opt %s -t mlir --print-op-generic | polyir-opt | filecheck %s

// CHECK: module attributes {gpu.container_module} {
module attributes {gpu.container_module} {
  // CHECK-NEXT: gpu.module @kernels {
  gpu.module @kernels {
    // CHECK-NEXT: gpu.func @all([[N:%.*]]: index, [[A:%.*]]: memref<?x?xf64>)
    // CHECK-SAME: workgroup([[S:%[a-z_0-9]+]] : memref<32x33xf64, #gpu.address_space<workgroup>>, {{%[a-z_0-9]+}} : memref<8xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
    // CHECK-SAME: private([[P:%.*]] : memref<4xf64, #gpu.address_space<private>>) kernel
    // CHECK-SAME: attributes {known_block_size = array<i32: 32, 4, 1>, known_grid_size = array<i32: 8, 1, 1>} {
    gpu.func @all(%n: index, %A: memref<?x?xf64>) workgroup(%s : memref<32x33xf64, #gpu.address_space<workgroup>>, %u : memref<8xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) private(%p : memref<4xf64, #gpu.address_space<private>>) kernel attributes {known_block_size = array<i32: 32, 4, 1>, known_grid_size = array<i32: 8, 1, 1>} {
      // CHECK-NEXT: [[BX:%.*]] = gpu.block_id x
      // CHECK-NEXT: [[TX:%.*]] = gpu.thread_id x
      // CHECK-NEXT: {{%.*}} = gpu.block_dim y
      // CHECK-NEXT: {{%.*}} = gpu.grid_dim z upper_bound 64 {x}
      %bx = gpu.block_id x
      %tx = gpu.thread_id x
      %sy = gpu.block_dim y
      %gz = gpu.grid_dim z upper_bound 64 {x}
      // CHECK-NEXT: affine.for [[I:%.*]] = 0 to [[TX]] {
      affine.for %i = 0 to %tx {
        // CHECK-NEXT: [[V:%.*]] = affine.load [[A]][{{.*}}[[BX]]{{.*}} * 32 + {{.*}}[[TX]]{{.*}}, [[I]] + {{.*}}[[N]]{{.*}}] : memref<?x?xf64>
        %v = affine.load %A[symbol(%bx) * 32 + symbol(%tx), %i + symbol(%n)] : memref<?x?xf64>
        // CHECK-NEXT: affine.store [[V]], [[S]][{{.*}}[[TX]]{{.*}}, [[I]]] : memref<32x33xf64, #gpu.address_space<workgroup>>
        affine.store %v, %s[%tx, %i] : memref<32x33xf64, #gpu.address_space<workgroup>>
        // CHECK-NEXT: affine.store [[V]], [[P]][[[I]]] : memref<4xf64, #gpu.address_space<private>>
        affine.store %v, %p[%i] : memref<4xf64, #gpu.address_space<private>>
      }
      // CHECK: gpu.barrier
      // CHECK-NEXT: gpu.return
      gpu.barrier
      gpu.return
    }
    // CHECK: gpu.func @result([[X:%.*]]: f32) -> (f32) {
    // CHECK-NEXT: gpu.return [[X]] : f32
    gpu.func @result(%a: f32) -> f32 {
      gpu.return %a : f32
    }
    gpu.func @f() kernel {
      gpu.return
    }
  }

  // CHECK: func.func @host([[N:%.*]]: index, [[M:%.*]]: i64, [[W:%.*]]: i32, [[A:%.*]]: memref<?x?xf64>) {
  func.func @host(%n: index, %m: i64, %w: i32, %A: memref<?x?xf64>) {
    // CHECK-NEXT: [[D:%.*]] = gpu.alloc([[N]], [[N]]) : memref<?x?xf64>
    %D = gpu.alloc(%n, %n) : memref<?x?xf64>
    // CHECK-NEXT: gpu.memcpy [[D]], [[A]] : memref<?x?xf64>, memref<?x?xf64>
    gpu.memcpy %D, %A : memref<?x?xf64>, memref<?x?xf64>
    // CHECK-NEXT: gpu.launch_func @kernels::@all blocks in ([[N]], [[N]], [[N]]) threads in ([[N]], [[N]], [[N]]) args([[N]] : index, [[D]] : memref<?x?xf64>)
    gpu.launch_func @kernels::@all blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%n : index, %D : memref<?x?xf64>)
    // CHECK-NEXT: gpu.launch_func @kernels::@f clusters in ([[M]], [[M]], [[M]]) blocks in ([[M]], [[M]], [[M]]) threads in ([[M]], [[M]], [[M]]) : i64 dynamic_shared_memory_size [[W]] {x}
    gpu.launch_func @kernels::@f clusters in (%m, %m, %m) blocks in (%m, %m, %m) threads in (%m, %m, %m) : i64 dynamic_shared_memory_size %w {x}
    // CHECK-NEXT: [[T:%.*]] = gpu.wait async
    %t = gpu.wait async
    // CHECK-NEXT: [[U:%.*]] = gpu.launch_func async [[[T]]] @kernels::@f blocks in
    %u = gpu.launch_func async [%t] @kernels::@f blocks in (%n, %n, %n) threads in (%n, %n, %n)
    // CHECK-NEXT: gpu.wait [[[T]], [[U]]]
    gpu.wait [%t, %u]
    // CHECK-NEXT: {{%.*}}, {{%.*}} = gpu.alloc async [[[T]]] () : memref<8xf64>
    %E, %v = gpu.alloc async [%t] () : memref<8xf64>
    // CHECK-NEXT: {{%.*}} = gpu.alloc host_shared () {x} : memref<8xf64>
    %F = gpu.alloc host_shared () {x} : memref<8xf64>
    // CHECK-NEXT: {{%.*}} = gpu.memcpy async [[[T]]] [[A]], [[D]] : memref<?x?xf64>, memref<?x?xf64>
    %y = gpu.memcpy async [%t] %A, %D : memref<?x?xf64>, memref<?x?xf64>
    // CHECK-NEXT: gpu.dealloc [[D]] : memref<?x?xf64>
    gpu.dealloc %D : memref<?x?xf64>
    // CHECK-NEXT: gpu.launch blocks([[BX:%[a-z_0-9]+]], [[BY:%[a-z_0-9]+]], [[BZ:%[a-z_0-9]+]]) in ([[GX:%[a-z_0-9]+]] = [[N]], {{%[a-z_0-9]+}} = [[N]], {{%[a-z_0-9]+}} = [[N]])
    // CHECK-SAME: threads([[TX:%[a-z_0-9]+]], [[TY:%[a-z_0-9]+]], [[TZ:%[a-z_0-9]+]]) in ([[SX:%[a-z_0-9]+]] = [[N]], {{%[a-z_0-9]+}} = [[N]], {{%[a-z_0-9]+}} = [[N]])
    // CHECK-SAME: dynamic_shared_memory_size [[W]] workgroup([[S:%[a-z_0-9]+]] : memref<32xf64, #gpu.address_space<workgroup>>) {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) dynamic_shared_memory_size %w workgroup(%s : memref<32xf64, #gpu.address_space<workgroup>>) {
      // CHECK-NEXT: affine.for [[I:%.*]] = 0 to [[TX]] {
      affine.for %i = 0 to %tx {
        // CHECK-NEXT: [[V:%.*]] = affine.load [[A]][{{.*}}[[BX]]{{.*}} * 32 + {{.*}}[[TY]]{{.*}}, [[I]]] : memref<?x?xf64>
        %v1 = affine.load %A[symbol(%bx) * 32 + symbol(%ty), %i] : memref<?x?xf64>
        // CHECK-NEXT: affine.store [[V]], [[S]][[[I]]] : memref<32xf64, #gpu.address_space<workgroup>>
        affine.store %v1, %s[%i] : memref<32xf64, #gpu.address_space<workgroup>>
      }
      // CHECK: gpu.terminator
      // CHECK-NEXT: } {x}
      gpu.terminator
    } {x}
    return
  }
}
