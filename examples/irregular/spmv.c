// y = A x for a matrix in compressed rows (CSR). Its rows are parallel, whatever the index arrays.
void spmv(int n, const int *rowptr, const int *col, const double *restrict v,
          const double *restrict x, double *restrict y) {
#pragma scop
  for (int i = 0; i < n; i++) {
    double sum = 0.0;
    for (int k = rowptr[i]; k < rowptr[i + 1]; k++)
      sum += v[k] * x[col[k]];
    y[i] = sum;
  }
#pragma endscop
}
