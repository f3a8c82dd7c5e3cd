// Variables that are declared before the region, but of which each iteration may have its own.
// RUN: polyir-cc --inspect-wavefronts --remarks %s 2> %t.err | grep -v CHECK | filecheck %s
// RUN: filecheck %s --check-prefix REMARK < %t.err

// REMARK: index_array_variables.c:17:{{[0-9]+}}: remark: [inspect-wavefronts] each iteration has its own sum

// CHECK: sweep_executor(
// CHECK: #pragma omp parallel for
// CHECK: const long i = order
// CHECK-NEXT: double sum = 0.0;
// CHECK-LABEL: void sweep(
// CHECK: (void)sum;
void sweep(long n, const int *start, const int *col, double *restrict x) {
  double sum;
  int c;
#pragma scop
  for (long i = 0; i < n; i++) {
    sum = 0.0;
    for (int k = start[i]; k < start[i + 1]; k++) {
      c = col[k];
      sum += x[c];
    }
    x[i] -= sum;
  }
#pragma endscop
}
