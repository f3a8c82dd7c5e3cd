// RUN: polyir-opt --isl-schedule --map-to-gpu=sequential=device --lower-poly %s | filecheck %s
// RUN: polyir-opt --isl-schedule --map-to-gpu="grid=2 sequential=device" --lower-poly %s | filecheck %s --check-prefix GRID
// RUN: polyir-opt --isl-schedule --map-to-gpu=sequential=device --lower-poly --convert-affine-to-scf %s | mlir-opt-19 --verify-each

// Each thread runs one iteration; %out is not copied in, since all of it is written.
func.func @scale(%in: memref<1000xf64>, %out: memref<1000xf64>) {
  affine.for %i = 0 to 1000 {
    %0 = affine.load %in[%i] : memref<1000xf64>
    %1 = arith.mulf %0, %0 : f64
    affine.store %1, %out[%i] : memref<1000xf64>
  }
  return
}

// CHECK-LABEL: func.func @scale
// CHECK-DAG:   %in_dev = gpu.alloc{{ *}}() : memref<1000xf64>
// CHECK-DAG:   %out_dev = gpu.alloc{{ *}}() : memref<1000xf64>
// CHECK-NEXT:  gpu.memcpy %in_dev, %in
// CHECK-NOT:   gpu.memcpy %out_dev
// CHECK:       gpu.launch blocks(%bx, %by, %bz) in ({{.*}}) threads(%tx, %ty, %tz) in ({{.*}}) {
// CHECK-NEXT:    affine.if affine_set<()[s0, s1] : (s0 + s1 * 256 <= 999)>()[%tx, %bx] {
// CHECK-NEXT:      %[[V:.*]] = affine.load %in_dev[%tx + %bx * 256] : memref<1000xf64>
// CHECK-NEXT:      %[[SQUARE:.*]] = arith.mulf %[[V]], %[[V]] : f64
// CHECK-NEXT:      affine.store %[[SQUARE]], %out_dev[%tx + %bx * 256] : memref<1000xf64>
// CHECK:         gpu.terminator
// CHECK:       gpu.memcpy %out, %out_dev
// CHECK-NEXT:  gpu.dealloc %in_dev
// CHECK-NEXT:  gpu.dealloc %out_dev

// GRID-LABEL: func.func @scale
// GRID:         gpu.launch
// GRID:           affine.for {{.*}}[%bx] to {{.*}}[%tx] step 512

// Nothing is parallel: a kernel of one thread.
func.func @sum(%n: index, %in: memref<?xf64>, %sum: memref<f64>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %in[%i] : memref<?xf64>
    %1 = affine.load %sum[] : memref<f64>
    %2 = arith.addf %0, %1 : f64
    affine.store %2, %sum[] : memref<f64>
  }
  return
}

// CHECK-LABEL: func.func @sum
// CHECK:         %[[SIZE:.*]] = memref.dim %in
// CHECK:         gpu.alloc{{ *}}(%[[SIZE]]) : memref<?xf64>
// CHECK:         gpu.launch
// CHECK-NEXT:      affine.for %i = 0 to %n
