// RUN: polyir-opt --isl-schedule --map-to-gpu="tile=7 block=5,3 shared=none registers=none" --lower-poly %s | filecheck %s
// RUN: polyir-opt --isl-schedule --map-to-gpu="tile=7 block=5,3 grid=2 shared=none registers=none" --lower-poly %s | filecheck %s --check-prefix GRID
// RUN: polyir-opt --isl-schedule --map-to-gpu="tile=4 block=5 shared=none registers=none" --lower-poly %s | filecheck %s --check-prefix SMALL
// RUN: polyir-opt --isl-schedule --map-to-gpu="tile=7 block=5,3 grid=2 shared=none registers=none" --lower-poly --convert-affine-to-scf %s | mlir-opt-19 --verify-each

// In a tile from 7 b on, thread t runs 7 b + t, 7 b + t + 5, ...
func.func @copy(%n: index, %in: memref<?x?xf64>, %out: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %0 = affine.load %in[%i, %j] : memref<?x?xf64>
      affine.store %0, %out[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// CHECK-LABEL: func.func @copy
// CHECK:       gpu.launch
// CHECK-NEXT:    affine.for %[[I:.*]] = affine_map<()[s0, s1] -> (s0 + s1 * 7)>()[%ty, %by] to min affine_map<()[s0, s1] -> (s0, s1 * 7 + 7)>()[%n, %by] step 3 {
// CHECK-NEXT:      affine.for %[[J:.*]] = affine_map<()[s0, s1] -> (s0 + s1 * 7)>()[%tx, %bx] to min affine_map<()[s0, s1] -> (s0, s1 * 7 + 7)>()[%n, %bx] step 5 {
// CHECK-NEXT:        affine.load %in_dev[%[[I]], %[[J]]]
// CHECK-NOT:     affine.if

// Of the tiles along j, a block runs every second one.
// GRID-LABEL: func.func @copy
// GRID:       gpu.launch
// GRID-NEXT:    affine.for %[[TJ:.*]] = affine_map<()[s0] -> (s0 * 7)>()[%bx] to {{.*}} step 14 {
// GRID-NEXT:      affine.for %[[I:.*]] = affine_map<()[s0, s1] -> (s0 + s1 * 7)>()[%ty, %by] to min {{.*}} step 3 {
// GRID-NEXT:        affine.for %[[J:.*]] = affine_map<(d0)[s0] -> (s0 + d0)>(%[[TJ]])[%tx] to min affine_map<(d0)[s0] -> (s0, d0 + 7)>(%[[TJ]])[%n] step 5 {
// GRID-NEXT:          affine.load %in_dev[%[[I]], %[[J]]]

// In tiles that are smaller than blocks, a thread runs one iteration, or none.
// SMALL-LABEL: func.func @copy
// SMALL:       gpu.launch
// SMALL-NEXT:    affine.if affine_set<()[s0, s1, s2] : (s0 <= 3, s1 - s0 - s2 * 4 >= 1)>()[%tx, %n, %bx] {
// SMALL-NEXT:      affine.for %[[I:.*]] = {{.*}} {
// SMALL-NEXT:        affine.load %in_dev[%[[I]], %tx + %bx * 4]

// The blocks begin at the first tile that has something to do, which the host computes.
func.func @triangle(%n: index, %a: memref<?x?xf64>) {
  affine.for %k = 0 to %n {
    affine.for %i = affine_map<(d0) -> (d0 + 1)>(%k) to %n {
      %0 = affine.load %a[%i, %k] : memref<?x?xf64>
      %1 = affine.load %a[%k, %k] : memref<?x?xf64>
      %2 = arith.divf %0, %1 : f64
      affine.store %2, %a[%i, %k] : memref<?x?xf64>
      affine.for %j = affine_map<(d0) -> (d0 + 1)>(%k) to %n {
        %3 = affine.load %a[%k, %j] : memref<?x?xf64>
        %4 = arith.mulf %2, %3 : f64
        %5 = affine.load %a[%i, %j] : memref<?x?xf64>
        %6 = arith.subf %5, %4 : f64
        affine.store %6, %a[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// CHECK-LABEL: func.func @triangle
// CHECK:       %first_x = affine.apply affine_map<(d0) -> (d0 - (d0 * 6 + 5) floordiv 7)>{{ *}}(%[[K:.*]])
// CHECK:       gpu.launch
// CHECK-NEXT:    affine.for {{.*}} step 5 {
// CHECK-NEXT:      affine.load %a_dev[%[[K]], %{{.*}}]

// GRID-LABEL: func.func @triangle
// GRID:       %first_x = affine.apply
// GRID:       gpu.launch blocks(%[[B:[a-z0-9_]+]], 
// GRID-NEXT:    affine.for %{{.*}} = affine_map<(d0)[s0] -> (s0 * 7 + d0 * 7)>(%first_x)[%[[B]]] to {{.*}} step 14 {
