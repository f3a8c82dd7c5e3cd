// Successive over-relaxation (SOR) on a matrix in compressed rows (CSR) without its diagonal, of
// which d_inv has the reciprocals.
void sor(int sweeps, int n, double omega, const int *rowptr, const int *col,
         const double *restrict v, const double *restrict d_inv, const double *restrict b,
         double *restrict x) {
#pragma scop
  for (int s = 0; s < sweeps; s++)
    for (int i = 0; i < n; i++) {
      double sum = b[i];
      for (int k = rowptr[i]; k < rowptr[i + 1]; k++)
        sum -= v[k] * x[col[k]];
      x[i] += omega * (sum * d_inv[i] - x[i]);
    }
#pragma endscop
}
