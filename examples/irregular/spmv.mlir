// y = A x for a matrix in compressed rows (CSR). Its rows are parallel, whatever the index arrays.
func.func @spmv(%n: index, %rowptr: memref<?xindex>, %col: memref<?xindex>, %v: memref<?xf64>,
                %x: memref<?xf64>, %y: memref<?xf64>) {
  %one = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    %first = affine.load %rowptr[%i] : memref<?xindex>
    %end = affine.load %rowptr[%i + 1] : memref<?xindex>
    %sum = scf.for %k = %first to %end step %one iter_args(%part = %zero) -> f64 {
      %c = memref.load %col[%k] : memref<?xindex>
      %value = memref.load %v[%k] : memref<?xf64>
      %other = memref.load %x[%c] : memref<?xf64>
      %product = arith.mulf %value, %other : f64
      %next = arith.addf %part, %product : f64
      scf.yield %next : f64
    }
    affine.store %sum, %y[%i] : memref<?xf64>
  }
  return
}
