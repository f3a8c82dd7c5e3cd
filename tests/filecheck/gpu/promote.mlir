// RUN: polyir-opt --pluto-schedule --map-to-gpu="shared=auto registers=auto" --remarks --emit=poly %s 2>&1 | filecheck %s
// RUN: polyir-opt --pluto-schedule --map-to-gpu="shared=auto registers=auto" --lower-poly %s | filecheck %s --check-prefix CODE
// RUN: polyir-opt --time-limit=0 --pluto-schedule --map-to-gpu --lower-poly %s | filecheck %s --check-prefix CODE
// RUN: polyir-opt --pluto-schedule --map-to-gpu="shared=none registers=none" --lower-poly %s | filecheck %s --check-prefix NONE
// RUN: polyir-opt --pluto-schedule --map-to-gpu="grid=4,4 shared=auto registers=auto" --emit=poly --remarks %s 2>&1 | filecheck %s --check-prefix GRID
// RUN: polyir-opt --pluto-schedule --map-to-gpu="shared=auto registers=auto" --lower-poly --gpu-outline --convert-affine-to-scf %s | mlir-opt-19 --verify-each

// Each thread sums up four elements in registers; a block has tiles of both factors.
func.func @product(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %0 = arith.mulf %a, %b : f64
        %1 = arith.addf %c, %0 : f64
        affine.store %1, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// CHECK:      remark: [gpu-promote] S0: of A, a block keeps 32 x 32 elements in shared memory, 8192 bytes (A_shared), copied in
// CHECK-NEXT: remark: [gpu-promote] S0: of B, a block keeps 32 x 32 elements in shared memory, 8192 bytes (B_shared), copied in
// CHECK-NEXT: remark: [gpu-promote] S0: of C, a thread keeps 4 elements in registers (C_private), copied in and out
// CHECK-NEXT: remark: [gpu-synchronise] a barrier after each iteration of loop 3 around S0, A_in, B_in
// CHECK-NEXT: remark: [gpu-synchronise] a barrier before S0
// CHECK:      poly.local_array @A_shared workgroup : memref<32x32xf64>
// CHECK:      poly.local_array @C_private private : memref<4xf64>
// CHECK:      poly.mark #poly.kernel<block [32, 8]>
// CHECK:        poly.band {{.*}}loop_attributes [{{\[}}#poly.map<block y>], [#poly.map<block x>]]
// CHECK-NEXT:     poly.mark #poly.local<@C_private {{.*}} C_private[{{.*}}floor
// CHECK:            poly.filter {{.*}}C_in
// CHECK-NEXT:         poly.band {{.*}} coincident [true, true] loops [unroll, unroll] loop_attributes [{{\[}}#poly.map<thread y>], [#poly.map<thread x>]]
// CHECK:              poly.mark #poly.local<@A_shared
// CHECK-NEXT:           poly.mark #poly.local<@B_shared
// CHECK:                  poly.filter {{.*}}A_in
// CHECK-NEXT:               poly.band {{.*}} loop_attributes [{{\[}}#poly.map<thread y>], [#poly.map<thread x>]]
// CHECK:                  poly.band {{.*}} loops [default, unroll, unroll] loop_attributes {{\[\[}}], [#poly.map<thread y>], [#poly.map<thread x>]]

// CODE:       gpu.launch
// CODE-DAG:     %C_private = memref.alloca() : memref<4xf64>
// CODE-DAG:     %A_shared = memref.alloca() : memref<32x32xf64, #gpu.address_space<workgroup>>
// CODE-DAG:     %B_shared = memref.alloca() : memref<32x32xf64, #gpu.address_space<workgroup>>
// CODE:         affine.store {{.*}}, %C_private[3] : memref<4xf64>
// CODE:         affine.for %tk = 0 to %n step 32 {
// CODE:           affine.for [[ROW:%.*]] = %ty to
// CODE-NEXT:        affine.load %A_dev[%by * 32 + [[ROW]], %tx + %tk]
// CODE-NEXT:        affine.store {{.*}}, %A_shared{{\[}}[[ROW]], %tx] : memref<32x32xf64, #gpu.address_space<workgroup>>
// CODE:           affine.for [[ROW:%.*]] = %ty to
// CODE-NEXT:        affine.load %B_dev[%tk + [[ROW]], %tx + %bx * 32]
// CODE-NEXT:        affine.store {{.*}}, %B_shared{{\[}}[[ROW]], %tx]
// CODE:           {{^ *}}gpu.barrier
// CODE:             affine.for %k
// CODE-NEXT:          affine.load %A_shared[%ty, %k - %tk]
// CODE-NEXT:          affine.load %B_shared[%k - %tk, %tx]
// CODE-NEXT:          affine.load %C_private[0]
// CODE:               affine.load %A_shared[%ty + 24, %k - %tk]
// CODE:               affine.load %C_private[3]
// CODE:           {{^ *}}gpu.barrier
// CODE:         affine.load %C_private[0]
// CODE-NEXT:    affine.store {{.*}}, %C_dev[%ty + %by * 32, %tx + %bx * 32]

// NONE-NOT:   memref.alloca
// NONE-NOT:   gpu.barrier
// NONE:       gpu.terminator

// A block runs several tiles one after the other: its memory is used again.
// GRID:      remark: [gpu-synchronise] a barrier after each iteration of loop 2 around S0
// GRID-NEXT: remark: [gpu-synchronise] a barrier after each iteration of loop 3 around S0, A_in, B_in
// GRID-NEXT: remark: [gpu-synchronise] a barrier before S0
