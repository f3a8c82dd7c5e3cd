// RUN: polyir-opt --isl-schedule=outer-coincidence --gpu-kernels --emit=poly --remarks %s 2>&1 | filecheck %s
// RUN: polyir-opt --isl-schedule=outer-coincidence --gpu-tile=8 --emit=poly --remarks %s 2>&1 | filecheck %s --check-prefix TILE
// RUN: polyir-opt --isl-schedule=outer-coincidence --gpu-tile=8 --gpu-map="block=8,4 grid=16" --emit=poly --remarks %s 2>&1 | filecheck %s --check-prefix MAP
// RUN: polyir-opt --pluto-schedule --gpu-kernels --emit=none --remarks %s 2>&1 | filecheck %s --check-prefix WAVES
// RUN: not polyir-opt --gpu-map="block=64,32" %s 2>&1 | filecheck %s --check-prefix LARGE
// RUN: not polyir-opt --gpu-map="block=8,8,65" %s 2>&1 | filecheck %s --check-prefix DEEP
// RUN: not polyir-opt --gpu-map="grid=0" %s 2>&1 | filecheck %s --check-prefix GRID
// RUN: not polyir-opt --gpu-tile=0 %s 2>&1 | filecheck %s --check-prefix TILES

// The host runs the loop over time, and each of its iterations launches two kernels.
func.func @smooth(%steps: index, %n: index, %a: memref<?x?xf64>, %b: memref<?x?xf64>) {
  affine.for %t = 0 to %steps {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
        %0 = affine.load %a[%i - 1, %j] : memref<?x?xf64>
        %1 = affine.load %a[%i, %j + 1] : memref<?x?xf64>
        %2 = arith.addf %0, %1 : f64
        affine.store %2, %b[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
        %0 = affine.load %b[%i, %j] : memref<?x?xf64>
        affine.store %0, %a[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// CHECK:      remark: [gpu-kernels] S0: a kernel with 2 parallel loops, inside 1 loop of the host
// CHECK-NEXT: remark: [gpu-kernels] S1: a kernel with 2 parallel loops, inside 1 loop of the host
// CHECK:      poly.band {{.*}} {
// CHECK:      poly.mark #poly.kernel {
// CHECK-NEXT:   poly.band {{.*}} permutable coincident [true, true]
// CHECK:      poly.mark #poly.kernel {
// CHECK-NEXT:   poly.band {{.*}} permutable coincident [true, true]

// TILE:       remark: [gpu-tile] tiled 2 loops around S0 by 8 x 8
// TILE:       poly.mark #poly.kernel {
// TILE-NEXT:    poly.band {{.*}}(i - (i) mod 8){{.*}}(j - (j) mod 8){{.*}} coincident [true, true] {
// TILE-NEXT:      poly.band {{.*}} coincident [true, true]

// MAP:        remark: [gpu-map] S0: blocks of 8 x 4 threads
// MAP:        poly.mark #poly.kernel<block [8, 4] grid [16]> {
// MAP-NEXT:     poly.band {{.*}} coincident [true, true] loop_attributes {{\[\[}}#poly.map<block y>], [#poly.map<block x>]] {
// MAP-NEXT:       poly.band {{.*}} coincident [true, true] loop_attributes {{\[\[}}#poly.map<thread y>], [#poly.map<thread x>]]

// No member of the band is parallel: the host runs wavefronts.
// WAVES:      remark: [gpu-kernels] S0, S1: a kernel with 2 parallel loops, inside 1 loop of the host

// LARGE: error: {{.*}}a block has at most 1024 threads: block=64,32 has 2048
// DEEP: error: {{.*}}a block has at most 1024 x 1024 x 64 threads: block=8,8,65
// GRID: error: {{.*}}grid takes up to three sizes of 1 or more: grid=0
// TILES: error: {{.*}}tile sizes must be 1 or more: tile=0
