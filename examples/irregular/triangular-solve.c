// The solution x of L x = b for a lower triangular matrix in compressed rows (CSR), whose diagonal
// is apart: d_inv has the reciprocals.
void triangular_solve(int n, const int *rowptr, const int *col, const double *restrict v,
                      const double *restrict d_inv, const double *restrict b, double *restrict x) {
#pragma scop
  for (int i = 0; i < n; i++) {
    double sum = b[i];
    for (int k = rowptr[i]; k < rowptr[i + 1]; k++)
      sum -= v[k] * x[col[k]];
    x[i] = sum * d_inv[i];
  }
#pragma endscop
}
