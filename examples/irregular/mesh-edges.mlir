// The edges of an unstructured mesh, as in a flow solver such as airfoil: each edge has two nodes,
// and a flux between them, which is added to the residual of one and taken from that of the other.
func.func @mesh_edges(%edges: index, %node: memref<?x2xindex>, %weight: memref<?xf64>,
                      %q: memref<?x4xf64>, %residual: memref<?x4xf64>) {
  affine.for %e = 0 to %edges {
    %a = affine.load %node[%e, 0] : memref<?x2xindex>
    %b = affine.load %node[%e, 1] : memref<?x2xindex>
    %w = affine.load %weight[%e] : memref<?xf64>
    affine.for %c = 0 to 4 {
      %qa = memref.load %q[%a, %c] : memref<?x4xf64>
      %qb = memref.load %q[%b, %c] : memref<?x4xf64>
      %difference = arith.subf %qa, %qb : f64
      %flux = arith.mulf %w, %difference : f64
      %ra = memref.load %residual[%a, %c] : memref<?x4xf64>
      %ra_new = arith.addf %ra, %flux : f64
      memref.store %ra_new, %residual[%a, %c] : memref<?x4xf64>
      %rb = memref.load %residual[%b, %c] : memref<?x4xf64>
      %rb_new = arith.subf %rb, %flux : f64
      memref.store %rb_new, %residual[%b, %c] : memref<?x4xf64>
    }
  }
  return
}
