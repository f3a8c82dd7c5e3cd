// PageRank by links: page i gives each page that it links to, col[k] for k from rowptr[i] to before
// rowptr[i + 1], an equal share of its rank.
func.func @pagerank(%steps: index, %n: index, %base: f64, %damping: f64, %rowptr: memref<?xindex>,
                    %col: memref<?xindex>, %share: memref<?xf64>, %rank: memref<?xf64>,
                    %next: memref<?xf64>) {
  %one = arith.constant 1 : index
  affine.for %s = 0 to %steps {
    affine.for %i = 0 to %n {
      affine.store %base, %next[%i] : memref<?xf64>
    }
    affine.for %i = 0 to %n {
      %old = affine.load %rank[%i] : memref<?xf64>
      %part = affine.load %share[%i] : memref<?xf64>
      %damped = arith.mulf %damping, %part : f64
      %given = arith.mulf %old, %damped : f64
      %first = affine.load %rowptr[%i] : memref<?xindex>
      %end = affine.load %rowptr[%i + 1] : memref<?xindex>
      scf.for %k = %first to %end step %one {
        %c = memref.load %col[%k] : memref<?xindex>
        %sum = memref.load %next[%c] : memref<?xf64>
        %new = arith.addf %sum, %given : f64
        memref.store %new, %next[%c] : memref<?xf64>
      }
    }
    affine.for %i = 0 to %n {
      %new = affine.load %next[%i] : memref<?xf64>
      affine.store %new, %rank[%i] : memref<?xf64>
    }
  }
  return
}
