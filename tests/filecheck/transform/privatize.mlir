// RUN: polyir-opt --privatize --emit=poly %s | filecheck %s
// RUN: polyir-opt --privatize --mark-parallel --emit=none --remarks %s 2>&1 | filecheck %s --check-prefix PARALLEL
// RUN: polyir-opt --privatize=loops=all --emit=none --remarks %s 2>&1 | filecheck %s --check-prefix ALL
// RUN: polyir-opt --privatize=carried,out --emit=none %s 2>&1 | filecheck %s --check-prefix REFUSED
// RUN: polyir-opt --pluto-schedule --privatize --emit=none --remarks %s 2>&1 | filecheck %s --check-prefix SCHEDULED
// RUN: not polyir-opt --privatize=temq %s 2>&1 | filecheck %s --check-prefix UNKNOWN
// RUN: not polyir-opt --privatize=loops=some %s 2>&1 | filecheck %s --check-prefix OPTION

// `temp` is used by two nests without a common value; in the first, loop 2 is serialised by it
// alone, in the second no loop is. `carried` takes a value from one iteration to the next.
func.func @rows(%m: index, %n: index, %A: memref<?x?xf64>, %out: memref<?xf64>) {
  %zero = arith.constant 0.0 : f64
  %temp = memref.alloca() : memref<f64>
  %carried = memref.alloca() : memref<f64>
  affine.store %zero, %carried[] : memref<f64>
  affine.for %i = 1 to %m {
    affine.for %j = 2 to %n {
      %0 = affine.load %A[%i - 1, %j] : memref<?x?xf64>
      affine.store %0, %temp[] : memref<f64>
      affine.for %k = 0 to 3 {
        %1 = affine.load %temp[] : memref<f64>
        %2 = arith.addf %1, %0 : f64
        affine.store %2, %temp[] : memref<f64>
      }
      %3 = affine.load %temp[] : memref<f64>
      affine.store %3, %A[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %n {
    %4 = affine.load %A[0, %i] : memref<?x?xf64>
    affine.store %4, %temp[] : memref<f64>
    %5 = affine.load %carried[] : memref<f64>
    %6 = affine.load %temp[] : memref<f64>
    %7 = arith.addf %5, %6 : f64
    affine.store %7, %carried[] : memref<f64>
    affine.store %7, %out[%i] : memref<?xf64>
  }
  return
}

// CHECK:      %[[SECOND:.*]] = memref.alloca() : memref<f64>
// CHECK:      %[[CARRIED:.*]] = memref.alloca() : memref<f64>
// CHECK:      %[[SIZE:.*]] = affine.max affine_map<(d0) -> (d0 - 2, 1)>(%n)
// CHECK-NEXT: %[[FIRST:.*]] = memref.alloc(%[[SIZE]]) : memref<?xf64>
// CHECK-NEXT: poly.scop
// CHECK:      poly.stmt @S1 {{.*}} (%{{.*}}, %[[J1:.*]]) {
// CHECK:        affine.store %{{.*}}, %[[FIRST]][%[[J1]] - 2] : memref<?xf64>
// CHECK:      poly.stmt @S2 {{.*}} (%{{.*}}, %[[J2:.*]], %{{.*}}) {
// CHECK:        affine.load %[[FIRST]][%[[J2]] - 2] : memref<?xf64>
// CHECK:        affine.store %{{.*}}, %[[FIRST]][%[[J2]] - 2] : memref<?xf64>
// CHECK:      poly.stmt @S3 {{.*}} (%{{.*}}, %[[J3:.*]]) {
// CHECK:        affine.load %[[FIRST]][%[[J3]] - 2] : memref<?xf64>
// CHECK:      poly.stmt @S4
// CHECK:        affine.store %{{.*}}, %[[SECOND]][] : memref<f64>
// CHECK:      memref.dealloc %[[FIRST]] : memref<?xf64>

// PARALLEL: remark: [privatize] split temp into 2 temporaries that share no value
// PARALLEL: remark: [privatize] temp has a copy for each iteration of loop 2: memref<?xf64>
// PARALLEL: remark: [mark-parallel] loop 2 around S1, S2, S3 is parallel

// ALL: remark: [privatize] temp has a copy for each iteration of loop 1, 2: memref<?x?xf64>
// ALL: remark: [privatize] temp_0 has a copy for each iteration of loop 1: memref<?xf64>

// REFUSED: privatize.mlir:15:3: warning: [privatize] out is not a temporary: it is not allocated in the function
// REFUSED-NEXT: privatize.mlir:15:3: warning: [privatize] carried was not privatized: each loop that reuses its memory carries one of its values, or is sequential anyway: S5[0] must run before S5[1] (m = 0, n = 2)

// SCHEDULED: remark: [privatize] temp has a copy for each iteration of loop {{[0-9]}}: memref<?xf64>

// UNKNOWN: error: pass 'privatize': there is no array 'temq'; did you mean 'temp'?

// OPTION: error: option 'loops' of pass 'privatize' cannot be 'some' (one of: needed, all)
