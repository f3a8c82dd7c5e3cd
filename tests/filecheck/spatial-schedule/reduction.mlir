// The updates have no order, but no two may run at once: no dependence makes their loop sequential.
// RUN: polyir-opt --poly-dependences=reassociate=true --spatial-schedule=target=gpu --emit=poly --remarks %s 2>&1 | filecheck %s

// CHECK: remark: [spatial-schedule] band of 1 for S0: no parallel members
// CHECK: poly.band "[n] -> [{ S0[i] -> [(i)] }]" permutable{{$}}
func.func @sum(%n: index, %A: memref<?xi64>, %s: memref<i64>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xi64>
    %t = affine.load %s[] : memref<i64>
    %u = arith.addi %t, %a : i64
    affine.store %u, %s[] : memref<i64>
  }
  return
}
