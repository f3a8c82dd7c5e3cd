// RUN: polyir-opt --feautrier-schedule --distribute-memory="data=distributed" %s | filecheck %s
// RUN: polyir-opt --feautrier-schedule --distribute-memory="data=distributed" --emit=c %s | filecheck %s --check-prefix=C
// RUN: polyir-opt --feautrier-schedule --distribute-memory="data=distributed" %s | polyir-opt --emit=c - | filecheck %s --check-prefix=C
// RUN: polyir-opt --feautrier-schedule --distribute-memory="data=distributed replicate=A" %s | filecheck %s --check-prefix=WHOLE

// Each rank passes its part of A and B. Their rows are divided as the loop over i is; the first rank
// also has the row before the loop, and the last one the row after it.

// CHECK-LABEL: func.func @smooth_part(%steps: index, %n: index, %rank: index, %ranks: index, %part: memref<4x2xindex>)
// CHECK: %blocks = memref.alloc(%ranks
// CHECK: memref.dealloc %blocks

// What a rank passes, and another one reads first, is known from both: the halo is sent.
// CHECK-LABEL: func.func private @smooth_transfer_scatter(
// CHECK-SAME: %own_part0b0{{[_0-9]*}}: index, %own_part0e0{{[_0-9]*}}: index, %peer_d0b0{{[_0-9]*}}: index, %peer_d0e0{{[_0-9]*}}: index

// CHECK-LABEL: func.func private @smooth_transfer_gather(
// CHECK-SAME: %own_d0b0{{[_0-9]*}}: index, %own_d0e0{{[_0-9]*}}: index, %peer_part0b0{{[_0-9]*}}: index, %peer_part0e0{{[_0-9]*}}: index

// An array has the extents of its part, not those of the type before.
// CHECK-LABEL: func.func @smooth(%steps
// CHECK-SAME: %A{{[_0-9]*}}: memref<?x?xf64>, %B{{[_0-9]*}}: memref<?x?xf64>) attributes {polyir.part = @smooth_part}
// CHECK: cf.assert {{.*}}, "extent 0 of A is not that of the rank's part"
// CHECK: func.call @smooth_transfer_scatter({{.*}} %A{{[_0-9]*}},
// CHECK: mpi.irecv
// CHECK: mpi.isend
// CHECK: mpi.waitall
// CHECK: func.call @smooth_step_P0(
// CHECK: func.call @smooth_transfer_gather(
// CHECK: mpi.waitall
// CHECK-NOT: mpi.send

// C: void smooth_part(
// C-NEXT: int64_t steps, int64_t n, int64_t rank, int64_t ranks, int64_t part[restrict 4][2]) {
// C: {{^}}void smooth(
// C: polyir_assert(A_0 ==
// C-NEXT: "extent 0 of A is not that of the rank's part");

// Of an array that all ranks pass whole, each takes what it needs, and all get what was written.
// WHOLE-LABEL: func.func private @smooth_transfer_scatter(
// WHOLE-SAME: %own_rank0{{[_0-9]*}}: index
// WHOLE-SAME: %peer_rank0{{[_0-9]*}}: index
// WHOLE: %[[OTHER:.*]] = arith.subi %peer_rank0{{[_0-9]*}}, %own_rank0{{[_0-9]*}} : index
// WHOLE: arith.cmpi eq, %[[OTHER]], %
func.func @smooth(%steps: index, %n: index, %A: memref<?x100xf64>, %B: memref<?x100xf64>) {
  affine.for %t = 0 to %steps {
    affine.for %i = 1 to %n {
      affine.for %j = 0 to 100 {
        %up = affine.load %A[%i - 1, %j] : memref<?x100xf64>
        %down = affine.load %A[%i + 1, %j] : memref<?x100xf64>
        %sum = arith.addf %up, %down : f64
        affine.store %sum, %B[%i, %j] : memref<?x100xf64>
      }
    }
    affine.for %i = 1 to %n {
      affine.for %j = 0 to 100 {
        %b = affine.load %B[%i, %j] : memref<?x100xf64>
        affine.store %b, %A[%i, %j] : memref<?x100xf64>
      }
    }
  }
  return
}
