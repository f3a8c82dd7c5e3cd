// RUN: polyir-opt --split="statements=S0,S1 condition='i < 5'" --mark-parallel --interchange=S1/0.1,S1/0.0 --print-schedule --emit=none %s 2>&1 | filecheck %s
// RUN: polyir-opt --print-schedule --emit=c %s | filecheck %s --check-prefix PLAIN
// RUN: polyir-opt --isl-schedule --tile=8 --promote="arrays=a loop=S1.2" --print-schedule --emit=none %s | filecheck %s --check-prefix ADDED
// RUN: not polyir-opt --print-schedule=S0 %s 2>&1 | filecheck %s --check-prefix OPTION

func.func @product(%n: index, %a: memref<?x?xf64>, %b: memref<?x?xf64>, %c: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %zero = arith.constant 0.0 : f64
      affine.store %zero, %c[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %n {
        %0 = affine.load %a[%i, %k] : memref<?x?xf64>
        %1 = affine.load %b[%k, %j] : memref<?x?xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %c[%i, %j] : memref<?x?xf64>
        %4 = arith.addf %3, %2 : f64
        affine.store %4, %c[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// CHECK:      // schedule of @product:
// CHECK-NEXT: // sequence
// CHECK-NEXT: //   S0/0, S1/0
// CHECK-NEXT: //     band of 1, permutable
// CHECK-NEXT: //       S0/0.0 S1/0.0: { S{{.*}} -> [(j)]; S{{.*}} -> [(j)] } parallel
// CHECK-NEXT: //       band of 1, permutable
// CHECK-NEXT: //         S0/0.1 S1/0.1: { S{{.*}} -> [(i)]; S{{.*}} -> [(i)] } parallel #poly.parallel
// CHECK-NEXT: //         sequence
// CHECK-NEXT: //           S0/0
// CHECK-NEXT: //           S1/0
// CHECK-NEXT: //             band of 1, permutable
// CHECK-NEXT: //               S1/0.2: { S1[i, j, k] -> [(k)] }
// CHECK-NEXT: //   S0/1, S1/1
// CHECK-NEXT: //     band of 1, permutable
// CHECK-NEXT: //       S0/1.0 S1/1.0: { S{{.*}} -> [(i)]; S{{.*}} -> [(i)] } parallel #poly.parallel

// PLAIN:      // schedule of @product:
// PLAIN-NEXT: // band of 1
// PLAIN-NEXT: //   S0.0 S1.0: { S{{.*}} -> [(i)]; S{{.*}} -> [(i)] }
// PLAIN-NEXT: //   band of 1
// PLAIN-NEXT: //     S0.1 S1.1: { S{{.*}} -> [(j)]; S{{.*}} -> [(j)] }
// PLAIN-NEXT: //     sequence
// PLAIN-NEXT: //       S0
// PLAIN-NEXT: //       S1
// PLAIN-NEXT: //         band of 1
// PLAIN-NEXT: //           S1.2: { S1[i, j, k] -> [(k)] }
// PLAIN-NEXT: #include

// ADDED:      mark #poly.local<@a_local
// ADDED-NEXT: //   extension a_in
// ADDED-NEXT: //     sequence
// ADDED-NEXT: //       a_in

// OPTION: error: pass 'print-schedule' takes no options, got 'S0'
