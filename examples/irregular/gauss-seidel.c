// Figure 15.25: Gauss-Seidel on a matrix in compressed rows (CSR). Row i has the columns col[k] and
// the values v[k] for k from rowptr[i] to before rowptr[i + 1]; one of them is the diagonal.
void gauss_seidel(int sweeps, int n, const int *rowptr, const int *col, const double *restrict v,
                  const double *restrict f, double *restrict diagonal, double *restrict u) {
#pragma scop
  for (int s = 0; s < sweeps; s++)
    for (int i = 0; i < n; i++) {
      u[i] = f[i];
      for (int k = rowptr[i]; k < rowptr[i + 1]; k++) {
        if (col[k] != i)
          u[i] -= v[k] * u[col[k]];
        else
          diagonal[i] = v[k];
      }
      u[i] = u[i] / diagonal[i];
    }
#pragma endscop
}
