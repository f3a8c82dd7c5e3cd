// The solution x of L x = b for a lower triangular matrix in compressed rows (CSR), whose diagonal
// is apart: d_inv has the reciprocals.
func.func @triangular_solve(%n: index, %rowptr: memref<?xindex>, %col: memref<?xindex>,
                            %v: memref<?xf64>, %d_inv: memref<?xf64>, %b: memref<?xf64>,
                            %x: memref<?xf64>) {
  %one = arith.constant 1 : index
  affine.for %i = 0 to %n {
    %first = affine.load %rowptr[%i] : memref<?xindex>
    %end = affine.load %rowptr[%i + 1] : memref<?xindex>
    %bi = affine.load %b[%i] : memref<?xf64>
    %sum = scf.for %k = %first to %end step %one iter_args(%part = %bi) -> f64 {
      %c = memref.load %col[%k] : memref<?xindex>
      %value = memref.load %v[%k] : memref<?xf64>
      %other = memref.load %x[%c] : memref<?xf64>
      %product = arith.mulf %value, %other : f64
      %rest = arith.subf %part, %product : f64
      scf.yield %rest : f64
    }
    %d = affine.load %d_inv[%i] : memref<?xf64>
    %new = arith.mulf %sum, %d : f64
    affine.store %new, %x[%i] : memref<?xf64>
  }
  return
}
