// RUN: polyir-opt --reorder-data --remarks %s 2>&1 | filecheck %s
// RUN: polyir-opt --reorder-data=breadth-first --emit=c %s | filecheck %s --check-prefix=SEARCH
// RUN: polyir-opt --reorder-data=method=packing --reorder-iterations=reassociate=true --emit=c %s | filecheck %s --check-prefix=SORTED

// CHECK: reorder_data.mlir:{{.*}} remark: [reorder-data] the inspector runs at the start of the kernel

// The inspector numbers elements in the order of their first access, and updates the index arrays.
// CHECK: func.func @forces_inspector(
// CHECK: memref.store %{{.*}}, %places[
// CHECK: memref.store %{{.*}}, %left_updated[
// CHECK: memref.store %{{.*}}, %right_updated[

// CHECK: func.func @forces_executor(
// CHECK: %x_packed = memref.alloc
// CHECK: %f_packed = memref.alloc
// CHECK: affine.for %s =
// The loop over elements is one over places.
// CHECK: scf.for %t
// CHECK-NEXT: %i{{.*}} = memref.load %elements{{.*}}[%t
// CHECK: scf.if
// CHECK: memref.load %x_packed{{.*}}[%t
// CHECK: affine.for %j =
// CHECK: %l{{.*}} = affine.load %left_updated{{.*}}[%j
// CHECK-NEXT: %r{{.*}} = affine.load %right_updated{{.*}}[%j
// CHECK: memref.load %x_packed{{.*}}[%l
// CHECK: memref.store %{{.*}}, %f_packed{{.*}}[%l

// CHECK: func.func @forces(
// CHECK: func.call @forces_inspector(
// CHECK: func.call @forces_executor(

// The queue of the search is the array of elements.
// SEARCH: forces_inspector(
// SEARCH: neighbours
// SEARCH: if (t{{.*}} < count) {
// SEARCH: elements[

// SORTED: forces_executor(
// SORTED: left_updated_sorted
// SORTED: for (int64_t t
// SORTED: f_packed[l] +=
func.func @forces(%steps: index, %n: index, %m: index, %left: memref<?xindex>, %right: memref<?xindex>, %x: memref<?xf64>, %f: memref<?xf64>) {
  affine.for %s = 0 to %steps {
    affine.for %i = 0 to %n {
      %xi = affine.load %x[%i] : memref<?xf64>
      %fi = affine.load %f[%i] : memref<?xf64>
      %sum = arith.addf %xi, %fi : f64
      affine.store %sum, %x[%i] : memref<?xf64>
    }
    affine.for %j = 0 to %m {
      %l = affine.load %left[%j] : memref<?xindex>
      %r = affine.load %right[%j] : memref<?xindex>
      %xl = memref.load %x[%l] : memref<?xf64>
      %xr = memref.load %x[%r] : memref<?xf64>
      %d = arith.subf %xl, %xr : f64
      %fl = memref.load %f[%l] : memref<?xf64>
      %fl2 = arith.addf %fl, %d : f64
      memref.store %fl2, %f[%l] : memref<?xf64>
    }
  }
  return
}
