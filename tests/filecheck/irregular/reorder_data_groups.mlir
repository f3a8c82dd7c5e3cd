// RUN: polyir-opt --reorder-data --emit=c %s | filecheck %s

// Nodes have an order, and cells another one. The index array %cell_of leads from nodes to cells:
// it keeps its order, and gets the new places of cells.
// CHECK: void gather_inspector(
// CHECK: node_updated[e] =
// CHECK-NOT: cell_of_updated[e] =
// CHECK: void gather_inspector_0(
// CHECK: cell_of_updated[e] =

// CHECK: void gather_executor(
// CHECK: const int64_t c = cell_of_updated[node[i]];
// CHECK-NEXT: cells_packed[c] += nodes_packed[node_updated[i]];
// CHECK: void gather(
func.func @gather(%steps: index, %n: index, %node: memref<?xindex>, %cell_of: memref<?xindex>, %nodes: memref<?xf64>, %cells: memref<?xf64>) {
  affine.for %s = 0 to %steps {
    affine.for %i = 0 to %n {
      %k = affine.load %node[%i] : memref<?xindex>
      %c = memref.load %cell_of[%k] : memref<?xindex>
      %v = memref.load %nodes[%k] : memref<?xf64>
      %old = memref.load %cells[%c] : memref<?xf64>
      %new = arith.addf %old, %v : f64
      memref.store %new, %cells[%c] : memref<?xf64>
    }
  }
  return
}
