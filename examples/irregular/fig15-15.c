// Figure 15.15: one array with two index arrays. Which iterations depend on each other is known
// once p and q are.
void update(int n, const int *p, const int *q, const double *restrict b, double *restrict A) {
#pragma scop
  for (int i = 0; i < n; i++)
    A[p[i]] = A[q[i]] + b[i];
#pragma endscop
}
