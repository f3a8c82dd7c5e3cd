// RUN: polyir-opt --register-tile="rows=2 vectors=1 width=4 masked=true tiles=4,8,4" --vectorize --pack=ahead=true --remarks %s 2>&1 | filecheck %s
// RUN: polyir-opt --register-tile="rows=2 vectors=1 width=4 masked=true tiles=4,8,4" --vectorize --pack=ahead=true --emit=c %s | filecheck %s --check-prefix TEXT
// RUN: polyir-opt --register-tile="rows=2 vectors=1 width=4 masked=true tiles=4,8,4" --vectorize --pack=ahead=true --emit=llvm %s | filecheck %s --check-prefix LLVM
// RUN: polyir-opt --register-tile="rows=2 vectors=1 width=4 masked=true tiles=4,8,4" --vectorize --pack=ahead=true %s | polyir-opt --emit=c | filecheck %s --check-prefix TEXT
// RUN: polyir-opt --register-tile="rows=2 vectors=1 width=4 masked=true tiles=4,8,4" --vectorize --pack %s | filecheck %s --check-prefix NONE

// The block that the next iteration of the loop over rows starts with is fetched ahead, and, a row
// in each block, what the next tile packs.
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

// CHECK: remark: [pack] packs 2 elements in each iteration of %{{.+}}, %k in %A_packed, fetched one tile ahead
// CHECK: remark: [pack] packs 4 elements in each iteration of %{{.+}}, %k in %B_packed{{$}}
// CHECK: remark: [pack] fetches 2 vectors of the next block ahead
// CHECK:      %next = affine.min affine_map<(d0, d1, d2)[s0] -> (d0 + (d1 - d2) floordiv 4 + 4, s0 - 1)> (%[[I:.+]], %[[J:.+]], %[[TJ:.+]])[%n]
// CHECK-NEXT: %next_1 = affine.min affine_map<(d0, d1)[s0] -> (d0 + 2, d1 + 3, s0 - 1)> (%[[I]], %{{.+}})[%n]
// CHECK-NEXT: memref.prefetch %C[%next_1, %[[J]]], write, locality<3>, data : memref<?x?xf64>
// CHECK:      %[[ROW:.+]] = arith.addi %next_1, %{{.+}} : index
// CHECK-NEXT: memref.prefetch %C[%[[ROW]], %[[J]]], write, locality<3>, data : memref<?x?xf64>
// CHECK-NEXT: affine.for %k
// CHECK-NEXT: memref.prefetch %A[%next, %k{{.*}}], read, locality<2>, data : memref<?x?xf64>

// TEXT: __builtin_prefetch(p, 1, 3);
// TEXT: __builtin_prefetch(p, 0, 2);
// TEXT: const int64_t next = polyir_min(ti2 + polyir_floordiv(tj2 - tj, 4) + 4, n - 1);
// TEXT-NEXT: const int64_t next_1 = polyir_min(polyir_min(ti2 + 2, ti + 3), n - 1);
// An address may be outside of the array, where C has no elements.
// TEXT-NEXT: polyir_prefetch_written_3((double *)((char *)C + (int64_t)sizeof *C * next_1
// TEXT-NEXT: + (int64_t)sizeof **C * tj2));
// TEXT-NEXT: polyir_prefetch_written_3((double *)((char *)C + (int64_t)sizeof *C * (next_1 + 1)
// TEXT: for (int64_t k
// TEXT: polyir_prefetch_2((double *)((char *)A + (int64_t)sizeof *A * next

// LLVM: call void @"llvm.prefetch.p0"(ptr %{{.*}}, i32 1, i32 3, i32 1)

// NONE-NOT: memref.prefetch
