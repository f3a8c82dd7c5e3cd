// RUN: polyir-opt --reorder-iterations --split-input-file --emit=c %s | filecheck %s
// RUN: polyir-opt --reorder-iterations=sorting --split-input-file --emit=c %s | filecheck %s --check-prefix=ALL

// Each row of a sparse matrix is computed as it was: there is nothing to allow.
// CHECK: void product_inspector(
// CHECK: keys[
// CHECK: order[
// CHECK: void product_executor(
// CHECK: for (int64_t t = 0; t < order_0; t++) {
// CHECK-NEXT: const int64_t i = order[t];
// CHECK: y[i] = sum;
func.func @product(%n: index, %rowptr: memref<?xindex>, %col: memref<?xindex>, %x: memref<?xf64>, %y: memref<?xf64>) {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : index
  affine.for %i = 0 to %n {
    %first = affine.load %rowptr[%i] : memref<?xindex>
    %end = affine.load %rowptr[%i + 1] : memref<?xindex>
    %sum = scf.for %k = %first to %end step %one iter_args(%part = %zero) -> f64 {
      %c = memref.load %col[%k] : memref<?xindex>
      %v = memref.load %x[%c] : memref<?xf64>
      %more = arith.addf %part, %v : f64
      scf.yield %more : f64
    }
    affine.store %sum, %y[%i] : memref<?xf64>
  }
  return
}

// -----

// Two sorts: first by the elements of %q, then by those of %p.
// ALL: void scatter_inspector(
// ALL: const int64_t [[Q:.*]] = q[
// ALL: key = {{.*}}[[Q]]
// ALL: order[
// ALL: const int64_t [[P:.*]] = p[
// ALL: key = {{.*}}[[P]]
// ALL: order[
// ALL: void scatter_executor(
// ALL: A[p_sorted[t]] = B[q_sorted[t]];
func.func @scatter(%n: index, %p: memref<?xindex> {poly.index_array = #poly.index_array<injective>}, %q: memref<?xindex>, %A: memref<?xf64>, %B: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %pi = affine.load %p[%i] : memref<?xindex>
    %qi = affine.load %q[%i] : memref<?xindex>
    %old = memref.load %A[%pi] : memref<?xf64>
    %v = memref.load %B[%qi] : memref<?xf64>
    memref.store %v, %A[%pi] : memref<?xf64>
  }
  return
}

// -----

// The counter is not an element of an index array: iterations are sorted by %p alone.
// ALL: void own_inspector(
// ALL-NOT: key = {{.*}} ? t_1 :
// ALL: const int64_t [[P:.*]] = p[
// ALL: key = {{.*}}[[P]]
// ALL: void own_executor(
func.func @own(%n: index, %p: memref<?xindex>, %A: memref<?xf64>, %B: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    %pi = affine.load %p[%i] : memref<?xindex>
    %v = memref.load %A[%pi] : memref<?xf64>
    %sum = arith.addf %a, %v : f64
    affine.store %sum, %B[%i] : memref<?xf64>
  }
  return
}
