// RUN: polyir-opt --feautrier-schedule --distribute-memory --emit=mlir %s -o %t.mlir
// RUN: filecheck %s --input-file %t.mlir --check-prefix MLIR
// RUN: polyir-opt %t.mlir --emit=c | filecheck %s --check-prefix C
// RUN: not polyir-opt --feautrier-schedule --distribute-memory --emit=llvm %s 2>&1 | filecheck %s --check-prefix LLVM

// MLIR:     %{{.*}} = "mpi.comm.rank"() : () -> i32
// MLIR:     %{{.*}} = "mpi.comm.size"() : () -> i32
// MLIR:     "mpi.send"(%{{.*}}) : (!llvm.ptr, i32, !mpi.datatype, i32, i32) -> ()

// C:     #include <mpi.h>
// C:     MPI_Comm polyir_communicator = MPI_COMM_NULL;
// C:     void twice(

// LLVM: targets.mlir:{{[0-9]+:[0-9]+}}: error: mpi.comm.rank is not supported by the LLVM target: a program for ranks needs C
func.func @twice(%n: index, %A: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %A[%i] : memref<?xf64>
    %1 = arith.addf %0, %0 : f64
    affine.store %1, %A[%i] : memref<?xf64>
  }
  return
}
