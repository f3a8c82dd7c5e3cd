// RUN: polyir-opt --pluto-schedule --hexagonal-tile="height=4 width=8 sizes=16" --map-to-gpu="shared=none registers=none" --emit=poly --remarks %s 2>&1 | filecheck %s
// RUN: polyir-opt --pluto-schedule --hexagonal-tile="height=4 width=8 sizes=16" --map-to-gpu="shared=none registers=none" --lower-poly --no-check %s | filecheck %s --check-prefix LAUNCH
// RUN: polyir-opt --pluto-schedule --hexagonal-tile="height=2 width=4 sizes=16" --map-to-gpu="shared=none registers=none" --no-check --emit=none --remarks %s 2>&1 | filecheck %s --check-prefix SMALL
// RUN: polyir-opt --pluto-schedule --hexagonal-tile="height=4 width=8 sizes=16" --map-to-gpu="shared=none registers=none" --lower-poly --no-check --convert-affine-to-scf %s | mlir-opt-19 --verify-each

func.func @stencil(%steps: index, %n: index, %a: memref<?x?xf64>, %b: memref<?x?xf64>) {
  affine.for %t = 0 to %steps {
    affine.for %i = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
      affine.for %j = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
        %0 = affine.load %a[%i - 1, %j] : memref<?x?xf64>
        %1 = affine.load %a[%i + 1, %j] : memref<?x?xf64>
        %2 = affine.load %a[%i, %j - 1] : memref<?x?xf64>
        %3 = affine.load %a[%i, %j + 1] : memref<?x?xf64>
        %4 = arith.addf %0, %1 : f64
        %5 = arith.addf %2, %3 : f64
        %6 = arith.addf %4, %5 : f64
        affine.store %6, %b[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
      affine.for %j = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
        %0 = affine.load %b[%i, %j] : memref<?x?xf64>
        affine.store %0, %a[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// The host runs the waves: two for each tile in time. A block runs one hexagon of a wave, the tiles
// along j one after the other, and the points of a time step in parallel.
// CHECK-NOT:  [gpu-tile]
// CHECK:      remark: [gpu-kernels] S0, S1: a kernel with 1 parallel loop, inside 1 loop of the host
// CHECK-NEXT: remark: [gpu-map] S0, S1: blocks of 16 x 14 threads
// CHECK-NEXT: remark: [gpu-synchronise] a barrier after each iteration of loop 3 around S0, S1
// CHECK-NEXT: remark: [gpu-synchronise] a barrier after each iteration of loop 4 around S0, S1
// CHECK-NEXT: remark: [gpu-synchronise] a barrier before S1
// CHECK:      poly.band "{{.*}}[(-1 + floor((t)/2))]{{.*}} loops [atomic] {
// CHECK-NEXT:   poly.mark #poly.kernel<block [16, 14]> {
// CHECK-NEXT:     poly.band "{{.*}}[(floor((11 - 2t + i - 7*floor((t)/2))/22))]{{.*}} loop_attributes {{\[\[}}#poly.map<block x>]] {
// CHECK-NEXT:       poly.band "{{.*}} mod 16)] : {{.*}} }]" permutable {
// CHECK:              poly.band "{{.*}}[{ S0[t, i, j] -> [(t)]; S1[t, i, j] -> [(t)] }]" permutable loops [atomic] {
// CHECK:                poly.filter "{{.*}} S0[t, i, j] }" {
// CHECK-NEXT:             poly.band "{{.*}} S0[t, i, j] -> [(i)] }, { S0[t, i, j] -> [(j)] }]" {{.*}} loop_attributes {{\[\[}}#poly.map<thread y>], [#poly.map<thread x>]]
// CHECK-NEXT:           }
// CHECK-NEXT:           poly.filter "{{.*}} barrier2[t0, t1, t2, t3] }"
// CHECK-NEXT:           poly.filter "{{.*}} S1[t, i, j] }" {

// LAUNCH:      affine.for %[[WAVE:.*]] = -1 to affine_map<()[s0] -> ((s0 + 1) floordiv 2)>()[%steps] {
// LAUNCH:        %first_x = affine.apply {{.*}}(%[[WAVE]])
// LAUNCH:        gpu.launch blocks(
// LAUNCH:          affine.for %[[TILE:.*]] = 0 to {{.*}} step 16 {
// LAUNCH-NEXT:       affine.for %t = {{.*}} {
// LAUNCH:              memref.store {{.*}}, %b_dev
// LAUNCH:              gpu.barrier
// LAUNCH:              memref.store {{.*}}, %a_dev
// LAUNCH:              gpu.barrier
// LAUNCH:            gpu.barrier
// LAUNCH:          gpu.terminator

// SMALL:      remark: [gpu-map] S0, S1: blocks of 16 x 6 threads
