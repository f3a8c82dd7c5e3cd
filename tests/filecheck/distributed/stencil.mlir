// RUN: polyir-opt --feautrier-schedule --distribute-memory %s | filecheck %s
// RUN: polyir-opt --feautrier-schedule --distribute-memory --emit=c %s | filecheck %s --check-prefix=C
// RUN: polyir-opt --feautrier-schedule --distribute-memory %s | polyir-opt --emit=c - | filecheck %s --check-prefix=C

// All ranks run the loop over t. In each iteration, a rank updates its part of B, of which no other
// rank reads anything, then its part of A, of which the next rank reads the last element.

// A part is in memory of its own, from the first element that the rank accesses on.
// CHECK-LABEL: func.func private @smooth_compute_P0(
// CHECK: affine.for %i = max {{.*}}[%own_d0b0] to min {{.*}}[%own_d0e0, %n
// CHECK: affine.load %A{{.*}}[%i - %A{{.*}} - 1]
// CHECK: affine.store %sum, %B{{.*}}[%i - %B

// CHECK-LABEL: func.func private @smooth_step_P0(
// CHECK-NOT: mpi.
// CHECK: func.call @smooth_compute_P0(
// CHECK-NOT: mpi.
// CHECK: func.return

// A block that begins where the own one ends gets one element.
// CHECK-LABEL: func.func private @smooth_transfer_P1(
// CHECK: %[[GAP:.*]] = arith.subi %own_d0e0{{[_0-9]*}}, %peer_d0b0{{[_0-9]*}} : index
// CHECK: arith.cmpi eq, %[[GAP]], %
// CHECK: scf.if
// CHECK-NOT: scf.for %x

// Receives are posted before the computation, and sends after it. Only the ranks whose blocks may
// begin where the own one ends are asked.
// CHECK-LABEL: func.func private @smooth_step_P1(
// CHECK: arith.floordivsi
// CHECK: arith.floordivsi
// CHECK-NEXT: %[[FIRST:.*]] = arith.maxsi
// CHECK-NEXT: arith.addi
// CHECK-NEXT: %[[END:.*]] = arith.minsi
// CHECK: scf.for %other{{[_0-9]*}} = %[[FIRST]] to %[[END]] step
// CHECK: mpi.irecv
// CHECK: func.call @smooth_compute_P1(
// CHECK: func.call @smooth_transfer_P1(
// CHECK: mpi.isend
// CHECK: mpi.waitall
// CHECK: func.call @smooth_transfer_P1(

// CHECK-LABEL: func.func @smooth(%steps
// CHECK: mpi.comm.rank
// CHECK: mpi.comm.size
// CHECK: %blocks = memref.alloc(%ranks
// CHECK: func.call @smooth_transfer_scatter(
// CHECK: mpi.send
// CHECK: mpi.recv
// The first rank uses its arrays in place.
// CHECK: affine.for %step0
// CHECK: scf.if
// CHECK-NEXT: func.call @smooth_step_P0(
// CHECK-NEXT: } else {
// CHECK-NEXT: func.call @smooth_step_P0(
// CHECK: func.call @smooth_step_P1(
// CHECK: func.call @smooth_step_P1(
// CHECK-NOT: smooth_step
// CHECK: func.call @smooth_transfer_gather(
// CHECK: mpi.recv
// CHECK: mpi.send

// C: MPI_Comm_rank(
// C: "%d elements came from rank %d, and %d were expected"
// C: polyir_mpi_check(MPI_Isend(
// C: {{^}}void smooth(
// C: for (int64_t step0 = 0;
// C-NEXT: if (rank == 0) {
// C-NEXT: smooth_step_P0(steps, n, step0, rank, ranks, {{.*}}, A, A_0, B, B_0);
// C-NEXT: } else {
// C-NEXT: smooth_step_P0(steps, n, step0, rank, ranks, {{.*}}, A_1, {{.*}}, B_1, {{.*}});

func.func @smooth(%steps: index, %n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  affine.for %t = 0 to %steps {
    affine.for %i = 1 to %n {
      %left = affine.load %A[%i - 1] : memref<?xf64>
      %here = affine.load %A[%i] : memref<?xf64>
      %sum = arith.addf %left, %here : f64
      affine.store %sum, %B[%i] : memref<?xf64>
    }
    affine.for %i = 1 to %n {
      %b = affine.load %B[%i] : memref<?xf64>
      affine.store %b, %A[%i] : memref<?xf64>
    }
  }
  return
}
