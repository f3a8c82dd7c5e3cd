// RUN: polyir-opt --poly-raise --distribute-memory="reassociate=true" %s -o %t.mlir
// RUN: filecheck %s --input-file %t.mlir
// RUN: polyir-opt %t.mlir --emit=c | filecheck %s --check-prefix=C
// RUN: polyir-opt --poly-dependences="reassociate=true" --distribute-memory --remarks --emit=none %s 2>&1 | filecheck %s --check-prefix=REMARKS
// RUN: not polyir-opt --poly-raise --distribute-memory %s 2>&1 | filecheck %s --check-prefix=ORDER

// ORDER: error: the static control part is not distributed: no loop of its schedule is parallel, so that one rank would run all

// REMARKS: remark: [distribute-memory] divided the parallel loop of {{S0, S1|S1, S0}} into tiles of 1; a rank sends nothing
// REMARKS: remark: [distribute-memory] ranks have partial results of S0: MPI combines them by a maximum, and S0_result updates largest
// REMARKS: remark: [distribute-memory] ranks have partial results of S1: MPI combines them by a sum, and S1_result updates sums

// Each rank has partial results of both arrays, of the largest element in an array of one.
// CHECK-LABEL: func.func private @columns_compute_P0(
// CHECK: affine.for %i = max {{.*}}[%own_d0b0] to min {{.*}}[%own_d0e0, %n
// CHECK: arith.maxnumf
// CHECK: affine.store %{{.*}}, %largest_partial{{[_0-9]*}}[-%largest_partial
// CHECK: affine.store %{{.*}}, %sums_partial{{[_0-9]*}}[%j - %sums_partial{{[_0-9]*}}]

// They begin with neutral elements, and all ranks get the sums: they divide the loop that adds them.
// CHECK-LABEL: func.func private @columns_step_P0(
// CHECK: arith.constant 0x7ff8000000000000 : f64
// CHECK: memref.store %{{.*}}, %largest_partial
// CHECK: arith.constant -0.0{{.*}} : f64
// CHECK: memref.store %{{.*}}, %sums_partial
// CHECK: func.call @columns_compute_P0(
// CHECK: "mpi.reduce"(%[[BUFFER:[0-9]+]], %[[BUFFER]], {{.*}}) <{operationtype = !mpi.operation<"maxnumf">}>
// CHECK: "mpi.allreduce"(%{{[^,]*}}, %{{[^,]*}}, %{{[^,)]*}}) <{operationtype = !mpi.operation<"MPI_SUM">
// CHECK: func.return

// What an element was before counts once.
// CHECK-LABEL: func.func private @columns_compute_P1(
// CHECK: affine.load %largest_partial
// CHECK: affine.load %largest{{[_0-9]*}}[]
// CHECK: arith.maxnumf
// CHECK-LABEL: func.func private @columns_step_P1(

// No rank allocates partial results of another step, or twice.
// CHECK-LABEL: func.func @columns(
// CHECK-DAG: memref.alloc() : memref<1xf64>
// CHECK-DAG: %sums_partial{{[_0-9]*}} = memref.alloc(
// CHECK: memref.dealloc %sums_partial
// CHECK: memref.dealloc %largest_partial

// C: static void polyir_mpi_combine_maxnumf_f64(void *in, void *out, int *count, MPI_Datatype *type) {
// C: to[k] = polyir_maxnum_f64(from[k], to[k]);
// C: polyir_mpi_check(MPI_Op_create(polyir_mpi_combine_maxnumf_f64, 1, &operation), "MPI_Op_create");
// C: const void *from = is_root ? MPI_IN_PLACE : buffer + start;
// C: polyir_mpi_check(MPI_Reduce(from, buffer + start, count, MPI_DOUBLE, operation, root, polyir_mpi_ranks()), "MPI_Reduce");
// C: polyir_mpi_check(MPI_Allreduce(MPI_IN_PLACE, buffer + start, count, MPI_DOUBLE, MPI_SUM, polyir_mpi_ranks()), "MPI_Allreduce");
func.func @columns(%n: index, %A: memref<?x?xf64>, %sums: memref<?xf64>, %largest: memref<f64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 100 {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %l = affine.load %largest[] : memref<f64>
      %m = arith.maxnumf %l, %a : f64
      affine.store %m, %largest[] : memref<f64>
      %s = affine.load %sums[%j] : memref<?xf64>
      %t = arith.addf %s, %a : f64
      affine.store %t, %sums[%j] : memref<?xf64>
    }
  }
  return
}
