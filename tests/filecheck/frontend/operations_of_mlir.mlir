// Operations of MLIR that xDSL lacks or reads in the generic form only are read and printed.
// RUN: polyir-opt --allow-unregistered-dialect %s | filecheck %s
// RUN: polyir-opt --allow-unregistered-dialect %s | polyir-opt --allow-unregistered-dialect | filecheck %s
// RUN: polyir-opt --allow-unregistered-dialect %s | mlir-opt-19 --allow-unregistered-dialect -o /dev/null
// RUN: polyir-opt --allow-unregistered-dialect --print-op-generic %s | mlir-opt-19 --allow-unregistered-dialect -o /dev/null
// RUN: xdsl-opt --allow-unregistered-dialect %s | filecheck %s

// CHECK: memref.global @elsewhere : memref<20xf64>{{$}}
memref.global @elsewhere : memref<20xf64>

// CHECK-LABEL: @unregistered
func.func @unregistered(%Au: memref<10xf32>) {
  affine.for %iu = 0 to 10 {
    // CHECK: "foo"(%iu) {map = affine_map<(d0)[s0] -> (d0 mod s0)>, set = affine_set<(d0) : (d0 >= 1)>} : (index) -> ()
    "foo"(%iu) {map = affine_map<(d0)[s0] -> (d0 mod s0)>, set = affine_set<(d0) : (d0 - 1 >= 0)>} : (index) -> ()
  }
  return
}

// CHECK-LABEL: @semi_affine
func.func @semi_affine(%Av: memref<500xf64>, %nv: index) {
  affine.for %iv = 0 to 20 {
    // CHECK: affine.apply affine_map<(d0)[s0] -> (d0 mod (s0 + 1) - s0 * 2)>
    %xv = affine.apply affine_map<(d0)[s0] -> (d0 mod (s0 + 1) - s0 * 2)>(%iv)[%nv]
    // CHECK: affine.load %Av[%iv * symbol(%nv) + 3]
    %av = affine.load %Av[symbol(%nv) * %iv + 3] : memref<500xf64>
    // CHECK: affine.store %av, %Av[%iv floordiv symbol(%nv)]
    affine.store %av, %Av[%iv floordiv symbol(%nv)] : memref<500xf64>
    // CHECK: affine.for %jv = 0 to affine_map<(d0)[s0] -> (d0 ceildiv s0)>(%iv)[%nv] {
    affine.for %jv = 0 to affine_map<(d0)[s0] -> (d0 ceildiv s0)>(%iv)[%nv] {
      // CHECK: affine.if affine_set<(d0)[s0] : (d0 * s0 >= 4)>(%jv)[%nv] {
      affine.if affine_set<(d0)[s0] : (d0 * s0 - 4 >= 0)>(%jv)[%nv] {
      }
    }
  }
  return
}

// CHECK-LABEL: @dma
func.func @dma(%Aw: memref<40x128xf32>, %nw: index) {
  %tag = memref.alloc() : memref<1xi32>
  %buffer = memref.alloc() : memref<2x128xf32, 2>
  affine.for %iw = 0 to 8 {
    // CHECK: affine.dma_start %Aw[%iw, %iw + 1], %buffer[%iw mod 2, 0], %tag[0], %nw : memref<40x128xf32>, memref<2x128xf32, 2 : i64>, memref<1xi32>
    affine.dma_start %Aw[%iw, %iw + 1], %buffer[%iw mod 2, 0], %tag[0], %nw : memref<40x128xf32>, memref<2x128xf32, 2>, memref<1xi32>
    // CHECK: affine.dma_start %Aw[%iw, %iw], %buffer[0, 0], %tag[0], %nw, %nw, %nw :
    affine.dma_start %Aw[%iw, %iw], %buffer[0, 0], %tag[0], %nw, %nw, %nw : memref<40x128xf32>, memref<2x128xf32, 2>, memref<1xi32>
    // CHECK: "affine.dma_start"({{.*}}) {src_map = affine_map<() -> (0, 0)>, dst_map = affine_map<() -> (0, 0)>, tag_map = affine_map<() -> (0)>, last} :
    "affine.dma_start"(%Aw, %buffer, %tag, %nw) {src_map = affine_map<() -> (0, 0)>, dst_map = affine_map<() -> (0, 0)>, tag_map = affine_map<() -> (0)>, last} : (memref<40x128xf32>, memref<2x128xf32, 2>, memref<1xi32>, index) -> ()
    // CHECK: affine.dma_wait %tag[0], %nw : memref<1xi32>
    affine.dma_wait %tag[0], %nw : memref<1xi32>
  }
  return
}

// CHECK-LABEL: @index
func.func @index(%ax: index, %bx: index) -> index {
  // CHECK: %cx = arith.constant 4 : index
  %cx = index.constant 4
  // CHECK: %tx = arith.constant true
  %tx = index.bool.constant true
  // CHECK: arith.muli %ax, %bx : index
  %0 = index.mul %ax, %bx
  // CHECK: arith.ceildivsi
  %1 = index.ceildivs %0, %cx
  // CHECK: arith.maxui
  %2 = index.maxu %1, %bx
  // CHECK: arith.cmpi sgt, %{{.*}}, %ax : index
  %3 = index.cmp sgt(%2, %ax)
  return %2 : index
}

// CHECK-LABEL: @atomic
func.func @atomic(%Ay: memref<10x4xf32>, %xy: f32, %yy: f32, %iy: index) {
  // CHECK: memref.atomic_rmw addf %xy, %Ay[%iy, %iy] : (f32, memref<10x4xf32>) -> f32
  %0 = memref.atomic_rmw addf %xy, %Ay[%iy, %iy] : (f32, memref<10x4xf32>) -> f32
  // CHECK: arith.remf %xy, %yy : f32
  %1 = arith.remf %xy, %yy : f32
  return
}

// CHECK-LABEL: @attributes
func.func @attributes(%Az: memref<4x6xf32>, %xz: f32) {
  affine.parallel (%iz, %jz) = (0, 0) to (2, 3) {
    scf.execute_region {
      affine.store %xz, %Az[%iz, %jz] : memref<4x6xf32>
      // CHECK: scf.yield
      scf.yield
    }
  // CHECK: } {unrolled = true}
  } {unrolled = true}
  return
}
