// RUN: polyir-opt --sparse-tile="tile=50 sweeps=3" --remarks %s 2>&1 | filecheck %s
// RUN: polyir-opt --sparse-tile="tile=50 sweeps=3 parallel=false" %s | filecheck %s --check-prefix SERIAL
// RUN: polyir-opt --sparse-tile="tile=50 sweeps=3 numbering=coloured" --emit=c %s | filecheck %s --check-prefix COLOURED
// RUN: polyir-opt --sparse-tile="tile=50 sweeps=3 order=wavefronts" --emit=c %s | filecheck %s --check-prefix ORDER

// Figures 15.25 to 15.29: Gauss-Seidel on a matrix in CSR form, three convergence iterations at a
// time. The tiles grow from blocks of 50 unknowns in the second one.
func.func @gauss_seidel(%t: index, %n: index, %rp: memref<?xindex>, %ci: memref<?xindex>, %v: memref<?xf64>, %x: memref<?xf64>, %b: memref<?xf64>) {
  %c1 = arith.constant 1 : index
  affine.for %s = 0 to %t {
    affine.for %i = 0 to %n {
      %lo = affine.load %rp[%i] : memref<?xindex>
      %hi = affine.load %rp[%i + 1] : memref<?xindex>
      %b0 = affine.load %b[%i] : memref<?xf64>
      %sum = scf.for %k = %lo to %hi step %c1 iter_args(%a = %b0) -> f64 {
        %c = memref.load %ci[%k] : memref<?xindex>
        %xv = memref.load %x[%c] : memref<?xf64>
        %vv = memref.load %v[%k] : memref<?xf64>
        %m = arith.mulf %vv, %xv : f64
        %r = arith.subf %a, %m : f64
        scf.yield %r : f64
      }
      affine.store %sum, %x[%i] : memref<?xf64>
    }
  }
  return
}

// CHECK: remark: [sparse-tile] the inspector runs at the start of the kernel

// CHECK-LABEL: func.func @gauss_seidel_inspector(
// CHECK-SAME:    %iterations: memref<?xindex>, %starts: memref<?xindex>, %wavefronts: memref<index>, %order: memref<?xindex>, %fronts: memref<?xindex>)
// CHECK:       %[[FIFTY:.+]] = arith.constant 50 : index
// CHECK:       %[[BLOCKS:.+]] = arith.ceildivsi %{{.+}}, %[[FIFTY]]
// CHECK:       %x_read = memref.alloc(
// CHECK:       %x_written = memref.alloc(
// CHECK:       %tile_of = memref.alloc(

// The seed.
// CHECK:       scf.for %[[T:t.*]] = {{.*}} {
// CHECK:         %[[BLOCK:.+]] = arith.divui %[[T]], %{{.+}}
// CHECK-NEXT:    memref.store %[[BLOCK]], %tile_of

// The accesses of the seed.
// CHECK:       scf.for %[[K0:k.*]] = {{.*}} {
// CHECK-NEXT:    %[[C0:c.*]] = memref.load %ci[%[[K0]]]
// CHECK-NEXT:    %[[R0:.+]] = memref.load %x_read[%[[C0]]]
// CHECK-NEXT:    %[[LOWER:.+]] = arith.minsi %[[R0]], %{{.+}}
// CHECK-NEXT:    memref.store %[[LOWER]], %x_read[%[[C0]]]

// Backwards: the lowest tile of those that depend on an iteration. The elements that a row reads
// have writers, and the one that it writes has readers and a writer.
// CHECK:       %[[LO:lo.*]] = memref.load %rp[
// CHECK:       %[[HI:hi.*]] = memref.load %rp[
// CHECK:       scf.for %[[K:k.*]] = %[[LO]] to %[[HI]]
// CHECK-NEXT:    %[[C:c.*]] = memref.load %ci[%[[K]]]
// CHECK-NEXT:    %[[W:.+]] = memref.load %x_written[%[[C]]]
// CHECK-NEXT:    %[[OLD:.+]] = memref.load %current[]
// CHECK-NEXT:    %[[NEW:.+]] = arith.minsi %[[OLD]], %[[W]]
// CHECK-NEXT:    memref.store %[[NEW]], %current[]
// CHECK:       memref.load %x_written[
// CHECK:       memref.load %x_read[
// CHECK:       memref.store %[[TILE:.+]], %tile_of[
// CHECK:       arith.minsi %{{.+}}, %[[TILE]]
// CHECK-NEXT:  memref.store %{{.+}}, %x_read[
// CHECK:       memref.store %[[TILE]], %x_written[

// Forwards: the highest tile of those that an iteration depends on.
// CHECK:       arith.maxsi
// CHECK:       memref.store %[[LATER:.+]], %tile_of[
// CHECK:       arith.maxsi %{{.+}}, %[[LATER]]
// CHECK-NEXT:  memref.store %{{.+}}, %x_read_{{.+}}[

// The schedule function, and the wavefronts of tiles.
// CHECK:       memref.store %{{.+}}, %starts[
// CHECK:       memref.store %{{.+}}, %iterations[
// CHECK:       memref.store %{{.+}}, %wavefronts[]
// CHECK:       memref.store %{{.+}}, %fronts[
// CHECK:       memref.store %{{.+}}, %order[

// CHECK-LABEL: func.func @gauss_seidel_executor(
// CHECK:       %[[SIZE:.+]] = arith.muli
// CHECK-NEXT:  scf.for %[[FIRST:.+]] = %{{.+}} to %{{.+}} step %[[SIZE]] {
// CHECK:         %[[END:.+]] = arith.minsi
// CHECK:         scf.for %[[WAVEFRONT:.+]] = {{.*}} {
// CHECK:           scf.parallel (%[[Q:.+]]) =
// CHECK-NEXT:        %[[NUMBER:.+]] = memref.load %order_{{.+}}[%[[Q]]]
// CHECK-NEXT:        scf.for %[[S:.+]] = %[[FIRST]] to %[[END]] step
// CHECK-NEXT:          %[[SWEEP:.+]] = arith.subi %[[S]], %[[FIRST]]
// CHECK:               %[[CELLS:.+]] = arith.muli %[[NUMBER]], %{{.+}}
// CHECK-NEXT:          arith.addi %[[CELLS]], %[[SWEEP]]
// CHECK:               scf.for %[[P:.+]] = {{.*}} {
// CHECK-NEXT:            %[[I:.+]] = memref.load %iterations_{{.+}}[%[[P]]]
// CHECK-NEXT:            memref.load %rp_{{.+}}[%[[I]]]
// CHECK:                 memref.store %{{.+}}, %x_{{.+}}[%[[I]]]

// CHECK-LABEL: func.func @gauss_seidel(
// CHECK:       func.call @gauss_seidel_inspector(
// CHECK-NEXT:  func.call @gauss_seidel_executor(

// SERIAL-LABEL: func.func @gauss_seidel_inspector(
// SERIAL-SAME:    %iterations: memref<?xindex>, %starts: memref<?xindex>, %tiles: memref<index>)
// SERIAL-NOT:   %wavefront
// SERIAL-LABEL: func.func @gauss_seidel_executor(
// SERIAL-NOT:   scf.parallel
// SERIAL:       %[[TILES:.+]] = memref.load %tiles_{{.+}}[]
// SERIAL:       scf.for %tile{{.*}} = %{{.+}} to %[[TILES]]

// Blocks that share an element have different colours, which are bits here.
// COLOURED:      taken = taken | x_writers[
// COLOURED:      for (int64_t c = {{.+}}; c < 62; c++)
// COLOURED:      numbers[b] = [[COLOUR:.+]];
// COLOURED:      x_readers[{{.+}}] = x_readers[{{.+}}] | [[BIT:.+]];
// COLOURED:      x_writers[{{.+}}] = x_writers[{{.+}}] | [[BIT]];
// COLOURED:      numbers[order_{{.+}}[b]] = b;
// COLOURED:      tile_of[{{.+}}] = numbers[

// The iterations are put into the tiles in the order of their wavefronts.
// ORDER:      int64_t *restrict [[ORDER:order.*]] = malloc(
// ORDER:      const int64_t [[I:.+]] = [[ORDER]][{{.+}}];
// ORDER-NEXT: for (int64_t s = 0; s < 3; s++) {
// ORDER-NEXT: const int64_t [[CELL:.+]] = 3 * tile_of[3 * [[I]] + s] + s;
// ORDER-NEXT: const int64_t [[PLACE:.+]] = places{{.*}}[[[CELL]]];
// ORDER-NEXT: iterations[[[PLACE]]] = [[I]];
