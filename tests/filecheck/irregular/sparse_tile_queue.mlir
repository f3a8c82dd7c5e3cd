// RUN: polyir-opt --sparse-tile="tile=50 sweeps=3 run=queue" %s | filecheck %s
// RUN: polyir-opt --sparse-tile="tile=50 sweeps=3 run=queue" --emit=c %s | filecheck %s --check-prefix C
// RUN: polyir-opt --sparse-tile="tile=50 sweeps=3 run=queue" --emit=llvm %s | filecheck %s --check-prefix LLVM
// RUN: polyir-opt --sparse-tile="tile=50 sweeps=3 reorder=true" --emit=c %s | filecheck %s --check-prefix REORDER
// RUN: not polyir-opt --sparse-tile="run=queue parallel=false" %s 2>&1 | filecheck %s --check-prefix SERIAL

// SERIAL: error: run=queue is for tiles in parallel, but there is parallel=false

// Figure 15.25 in short: tiles run as soon as those that they depend on have ended.
func.func @gauss_seidel(%t: index, %n: index, %rp: memref<?xindex>, %ci: memref<?xindex>, %x: memref<?xf64>) {
  %c1 = arith.constant 1 : index
  affine.for %s = 0 to %t {
    affine.for %i = 0 to %n {
      %lo = affine.load %rp[%i] : memref<?xindex>
      %hi = affine.load %rp[%i + 1] : memref<?xindex>
      %zero = arith.constant 0.0 : f64
      %sum = scf.for %k = %lo to %hi step %c1 iter_args(%a = %zero) -> f64 {
        %c = memref.load %ci[%k] : memref<?xindex>
        %xv = memref.load %x[%c] : memref<?xf64>
        %r = arith.addf %a, %xv : f64
        scf.yield %r : f64
      }
      affine.store %sum, %x[%i] : memref<?xf64>
    }
  }
  return
}

// CHECK-LABEL: func.func @gauss_seidel_inspector(
// CHECK-SAME:    %tiles: memref<index>, %edges: memref<?xindex>, %successors: memref<?xindex>, %predecessors: memref<?xindex>)

// Both ways to grow are at the same time, and so are the searches for edges and the sort.
// CHECK:       scf.parallel (%[[HALF:part.*]]) =
// CHECK:         arith.cmpi eq, %[[HALF]]
// CHECK:         arith.cmpi eq, %[[HALF]]
// CHECK:       scf.parallel (%[[PART:part.*]]) =
// CHECK:         arith.cmpi eq, %[[PART]]

// From the last writer of an element, which is of the step before if it comes after this iteration.
// CHECK:         %[[WRITER:.+]] = memref.load %x_written{{.*}}[
// CHECK:         arith.cmpi ne, %[[WRITER]]
// CHECK:         memref.load %tile_of[
// CHECK:         memref.store %{{.+}}, %iterations[

// CHECK:       memref.store %{{.+}}, %successors[
// CHECK:       memref.store %{{.+}}, %predecessors[
// CHECK:       memref.store %{{.+}}, %edges[

// CHECK-LABEL: func.func @gauss_seidel_executor(
// CHECK:       %[[QUEUE:queue.*]] = memref.alloc(
// CHECK:       %[[WAITS:waits_for.*]] = memref.alloc(
// CHECK:       %[[PLACES:places.*]] = memref.alloc(
// CHECK:       scf.for %[[FIRST:first.*]] =
// CHECK:         scf.parallel (%turn) =
// CHECK:           %[[PLACE:.+]] = memref.atomic_rmw addi %{{.+}}, %[[PLACES]][%{{.+}}] : (i64, memref<?xi64>) -> i64
// CHECK:           memref.atomic_rmw addi %{{.+}}, %[[QUEUE]][
// CHECK:           %{{.+}} = scf.while
// CHECK:             arith.cmpi eq
// CHECK:             memref.atomic_rmw addi %{{.+}}, %[[QUEUE]][
// CHECK:           scf.for %{{.+}} = %[[FIRST]] to
// CHECK:           memref.atomic_rmw addi %{{.+}}, %[[WAITS]][
// CHECK:           arith.cmpi eq
// CHECK:           scf.if
// CHECK:             memref.atomic_rmw addi %{{.+}}, %[[PLACES]][
// CHECK:             memref.atomic_rmw assign %{{.+}}, %[[QUEUE]][

// C: return __atomic_fetch_add(array + place, value, __ATOMIC_ACQ_REL);
// C: #pragma omp parallel for schedule(dynamic)
// C: const int64_t [[PLACE:.+]] = polyir_atomic_addi(places, 0, 1);
// C: while ([[TILE:.+]] == -1) {
// C: = polyir_atomic_addi(waits_for, [[NEXT:.+]], -1);
// C: polyir_atomic_assign(queue, {{.+}}, [[NEXT]]);

// LLVM: atomicrmw xchg ptr %{{.+}}, i64 %{{.+}} acq_rel
// LLVM: atomicrmw add ptr %{{.+}}, i64 %{{.+}} acq_rel

// The unknowns by colour, and the schedule function with their numbers.
// REORDER:      x_readers[{{.+}}] = x_readers[{{.+}}] | [[BIT:.+]];
// REORDER:      unknowns[{{.+}}] = {{.+}};
// REORDER:      const int64_t [[I:.+]] = unknowns[
// REORDER:      iterations[{{.+}}] = {{.+}};
