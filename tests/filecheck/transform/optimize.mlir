// RUN: polyir-opt --split-input-file --optimize="machine=%S/Inputs/four_cores.json" --remarks --emit=poly %s 2>&1 | filecheck %s
// RUN: polyir-opt --split-input-file --optimize="machine=%S/Inputs/four_cores.json threads=1" --emit=c %s 2>&1 | filecheck %s --check-prefix=ALONE
// RUN: polyir-opt --split-input-file --optimize="machine=%S/Inputs/four_cores.json" --emit=c %s | filecheck %s --check-prefix=EMIT
// RUN: polyir-opt --split-input-file --optimize="machine=%S/Inputs/four_cores.json strategy=tiles" --emit=mlir %s | filecheck %s --check-prefix=TILES
// RUN: not polyir-opt --optimize=0 %s 2>&1 | filecheck %s --check-prefix=THREADS
// RUN: not polyir-opt --optimize=machine=none.json %s 2>&1 | filecheck %s --check-prefix=MACHINE

// THREADS: error: threads must be 1 or more: threads=0
// MACHINE: error: cannot read the machine 'none.json': No such file or directory

// Threads share the rows of tiles, and blocks stay in registers.
func.func @product(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %p = arith.mulf %a, %b : f64
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// CHECK: remark: [optimize] for 4 cores, caches of 32 KiB, 1 MiB, 16 MiB, 32 vector registers of 512 bits
// CHECK: optimize.mlir:12:1: remark: [optimize] original: {{[0-9.e+]+}} ms; cycles: compute {{.*}}; limited by {{.*}}
// CHECK: remark: [optimize] packed-blocks with tiles of {{[0-9x or]+}}: {{[0-9.e+]+}} ms; cycles: compute {{.*}}; limited by {{.*}}; {{[0-9]+}} parallel regions of 4 threads: {{.*}} cycles
// CHECK: remark: [optimize] chosen: packed-blocks, {{.*}} times as fast as the original order
// CHECK: remark: [pluto-schedule]
// CHECK: remark: [pack] packs 24 elements

// TILES-LABEL: func.func @product
// TILES: affine.parallel (%ti) = (0) to (symbol(%n)) step (32)
// TILES: affine.vector_load %C[%ti2 + 7, %tj2 + 16] : memref<?x?xf64>, vector<8xf64>

// ALONE-LABEL: void product(
// ALONE-NOT: omp parallel
// ALONE: polyir_f64x8 c = 

// EMIT-LABEL: void product(
// EMIT: polyir_f64x8 c = polyir_masked_load_f64x8((double *)((char *)C

// -----

// Each iteration needs the one before: nothing is faster, and there is no parallel region.
func.func @prefix(%n: index, %A: memref<?xf64>) {
  affine.for %i = 1 to %n {
    %a = affine.load %A[%i - 1] : memref<?xf64>
    %b = affine.load %A[%i] : memref<?xf64>
    %s = arith.addf %a, %b : f64
    affine.store %s, %A[%i] : memref<?xf64>
  }
  return
}

// CHECK: remark: [optimize] original: {{.*}} ms
// CHECK: remark: [optimize] chosen: original
// CHECK-LABEL: func.func @prefix
// CHECK: poly.band "[n] -> [{ S0[i] -> [(i)] }]"{{$}}

// EMIT-LABEL: void prefix(
// EMIT: for (int64_t i = 1; i < n; i++) {
// EMIT-NEXT: A[i] = A[i - 1] + A[i];

// -----

// A parallel region would take longer than so little work.
func.func @little(%A: memref<100xf64>) {
  affine.for %i = 0 to 100 {
    %a = affine.load %A[%i] : memref<100xf64>
    %s = arith.addf %a, %a : f64
    affine.store %s, %A[%i] : memref<100xf64>
  }
  return
}

// CHECK: remark: [optimize] chosen: original
// CHECK-LABEL: func.func @little
// CHECK-NOT: #poly.parallel
