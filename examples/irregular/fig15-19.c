// Figure 15.19: a loop that writes A[p[i]] and reads A[q[i]] in another statement. To test whether
// any p[i] is some q[j] takes more time than the loop, unless the test has a table of elements.
void scatter_gather(int n, const int *p, const int *q, const double *restrict b,
                    double *restrict c, double *restrict A) {
#pragma scop
  for (int i = 0; i < n; i++) {
    A[p[i]] = b[i];
    c[i] = A[q[i]] + c[i];
  }
#pragma endscop
}
