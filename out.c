// y = A x for a matrix in compressed rows (CSR). Its rows are parallel, whatever the index arrays.
static __attribute__((__noinline__, __aligned__(64))) void spmv_original(int n, const int *rowptr, const int *col, const double *restrict v,
          const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) {
    double sum = 0.0;
    for (int k = rowptr[i]; k < rowptr[i + 1]; k++)
      sum += v[k] * x[col[k]];
    y[i] = sum;
  }
}

void spmv(int n, const int *rowptr, const int *col, const double *restrict v,
          const double *restrict x, double *restrict y) {
  if (n >= 8660) {
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
      double sum_local = 0.0;
      const long t = (long)rowptr[i];
      const long t_1 = (long)rowptr[i + 1];
      for (long k = t; k < t_1; k++) {
        sum_local += v[k] * x[col[k]];
      }
      y[i] = sum_local;
    }
  } else {
    spmv_original(n, rowptr, col, v, x, y);
  }
}
