// A loop that becomes one in the new order of an array is no longer there for its own arrays.
// RUN: polyir-opt --reorder-data --emit=none --remarks %s 2>&1 | filecheck %s
// RUN: polyir-opt --reorder-data --emit=c %s | gcc -std=c99 -fopenmp -Wall -Wextra -Werror -x c -c - -o %t.o

// CHECK: reorder_data_once.mlir:8:3: remark: [reorder-data] the inspector runs
// CHECK: reorder_data_once.mlir:14:5: remark: [reorder-data] loop left: it runs in the order of other arrays already
func.func @once(%n: index, %steps: index, %p: memref<?xindex>, %q: memref<?xindex>, %Y: memref<?xi64>, %w: memref<?xi64>) {
  affine.for %s = 0 to %steps {
    affine.for %i = 0 to %n {
      %to = affine.load %p[%i] : memref<?xindex>
      %value = affine.load %w[%i] : memref<?xi64>
      memref.store %value, %Y[%to] : memref<?xi64>
    }
    affine.for %j = 0 to %n {
      %from = affine.load %q[%j] : memref<?xindex>
      %x = memref.load %w[%from] : memref<?xi64>
      %y = affine.load %Y[%j] : memref<?xi64>
      %sum = arith.addi %y, %x : i64
      affine.store %sum, %Y[%j] : memref<?xi64>
    }
  }
  return
}
