// RUN: polyir-opt --reorder-data --remarks %s 2>&1 | filecheck %s
// RUN: polyir-opt --reorder-data=breadth-first --emit=c %s | filecheck %s --check-prefix=SEARCH
// RUN: polyir-opt --reorder-data=cuthill-mckee --emit=c %s | filecheck %s --check-prefix=MCKEE
// RUN: polyir-opt --reorder-data="method=partition part=100" --emit=c %s | filecheck %s --check-prefix=PARTS
// RUN: polyir-opt --reorder-data=given --emit=c %s | filecheck %s --check-prefix=GIVEN
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

// Elements are found at most once, from a queue or as the next candidate.
// SEARCH: static void forces_breadth_first(
// SEARCH: for (int64_t step = 0; step < 2 * elements_0; step++) {
// SEARCH: if (t < count) {
// SEARCH: neighbours[
// SEARCH: if (is_found[
// SEARCH: elements[t_5] = t_4;
// SEARCH: forces_inspector(
// SEARCH: neighbours[
// SEARCH: forces_breadth_first(starts, {{.*}}, neighbours, {{.*}}, elements, elements_0);
// SEARCH: places[elements[[[T:t_[0-9]+]]]] = [[T]];
// SEARCH: left_updated[

// Neighbours are sorted by their own number of neighbours; there are two searches, of which the
// second one begins where the first one ended, and the order is backwards.
// MCKEE: static void forces_cuthill_mckee(
// MCKEE: by_degree[
// MCKEE: ordered[[[T:t_[0-9]+]]] = [[E:t_[0-9]+]];
// MCKEE: elements[{{t_[0-9]+}}] = {{t_[0-9]+}};
// MCKEE: by_degree[{{t_[0-9]+}}] = {{t_[0-9]+}};
// MCKEE: elements[[[T:t_[0-9]+]]] = by_degree[[[LAST:t_[0-9]+]] - [[T]]];

// A search begins anew when the part is full.
// PARTS: static void forces_partition(
// PARTS: for (int64_t step = 0; step < 3 * elements_0; step++) {
// PARTS: if ([[N:t_[0-9]+]] - begin == 100) {
// PARTS-NEXT: begin = [[N]];
// PARTS-NEXT: head = [[N]];

// Somebody else defines the function, which gets all elements in their old order; what is no
// element, or comes twice, has no place.
// GIVEN: void forces_order(
// GIVEN-NOT: {
// GIVEN: void forces_inspector(
// GIVEN: elements[e] = e;
// GIVEN: forces_order(starts, {{.*}}, neighbours, {{.*}}, elements, elements_0);
// GIVEN: places[e] = -1;
// GIVEN: if (({{.*}} >= 0) & ({{.*}} < places_0)) {

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
