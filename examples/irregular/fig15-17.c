// Figure 15.17: a loop that writes A[p[i]] and reads A[i]. It is parallel if it reads no element
// that it writes, and writes none twice; a test of p at run time can find out.
void scatter(int n, const int *p, const double *restrict b, double *restrict A) {
#pragma scop
  for (int i = 0; i < n; i++)
    A[p[i]] = A[i] + b[i];
#pragma endscop
}
