// Figure 15.25: Gauss-Seidel on a matrix in compressed rows (CSR). Row i has the columns col[k] and
// the values v[k] for k from rowptr[i] to before rowptr[i + 1]; one of them is the diagonal.
func.func @gauss_seidel(%sweeps: index, %n: index, %rowptr: memref<?xindex>, %col: memref<?xindex>,
                        %v: memref<?xf64>, %f: memref<?xf64>, %diagonal: memref<?xf64>,
                        %u: memref<?xf64>) {
  %one = arith.constant 1 : index
  affine.for %s = 0 to %sweeps {
    affine.for %i = 0 to %n {
      %first = affine.load %rowptr[%i] : memref<?xindex>
      %end = affine.load %rowptr[%i + 1] : memref<?xindex>
      %fi = affine.load %f[%i] : memref<?xf64>
      affine.store %fi, %u[%i] : memref<?xf64>
      scf.for %k = %first to %end step %one {
        %c = memref.load %col[%k] : memref<?xindex>
        %value = memref.load %v[%k] : memref<?xf64>
        %is_other = arith.cmpi ne, %c, %i : index
        scf.if %is_other {
          %other = memref.load %u[%c] : memref<?xf64>
          %product = arith.mulf %value, %other : f64
          %old = affine.load %u[%i] : memref<?xf64>
          %new = arith.subf %old, %product : f64
          affine.store %new, %u[%i] : memref<?xf64>
        } else {
          affine.store %value, %diagonal[%i] : memref<?xf64>
        }
      }
      %sum = affine.load %u[%i] : memref<?xf64>
      %d = affine.load %diagonal[%i] : memref<?xf64>
      %quotient = arith.divf %sum, %d : f64
      affine.store %quotient, %u[%i] : memref<?xf64>
    }
  }
  return
}
