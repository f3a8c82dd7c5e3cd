// For which sizes code that was chosen runs.
// RUN: polyir-cc --optimize="threads=2 machine=%S/../../machines/256.json" --remarks %s -o - 2>&1 | grep -v CHECK | filecheck %s

// Temporaries of iterations are in registers there, too: few images are enough, and a small one.
// CHECK: remark: [optimize] chosen: private
// CHECK: remark: [optimize] with n * c * p2 * p3 below {{[0-9]+}}, the original order runs
void pool(int n, int c, int h, int w, const float *x, const float *mean, const float *scale,
          const float *bias, float *y) {
  for (int in = 0; in < n; in++)
    for (int ic = 0; ic < c; ic++)
      for (int i = 0; i < h / 2; i++)
        for (int j = 0; j < w / 2; j++) {
          float best = 0;
          for (int p = 0; p < 2; p++)
            for (int q = 0; q < 2; q++) {
              float v = x[((in * c + ic) * h + 2 * i + p) * w + 2 * j + q];
              v = (v - mean[ic]) * scale[ic] + bias[ic];
              if (v > best)
                best = v;
            }
          y[((in * c + ic) * (h / 2) + i) * (w / 2) + j] = best;
        }
}

// The work of loops from k to n does not grow with n alone.
// CHECK: remark: [optimize] sizes: k = 1000 (assumed), n = 2000 (from conditions)
// CHECK: remark: [optimize] with (n - k) below {{[0-9]+}}, the original order runs
void eliminate(long n, long k, double a[n][n]) {
  for (long i = k + 1; i < n; i++) {
    double m = a[i][k] / a[k][k];
    for (long j = k; j < n; j++)
      a[i][j] -= m * a[k][j];
  }
}

// The threads are awake in a loop when a region begins.
// CHECK: remark: [optimize] private: {{.*}} 1 parallel region of 2 threads: 8.2e+03 cycles
// The code of the second function has that test.
// CHECK: void eliminate(
// CHECK: if (n - k >= {{[0-9]+}}
// CHECK: #pragma omp parallel for
void settle(long n, double a[n][n], double b[n][n], double limit) {
  while (a[0][0] > limit) {
    for (long i = 0; i < n; i++)
      for (long j = 0; j < n; j++)
        b[i][j] = 0.5 * a[i][j] + 1;
    a[0][0] -= b[0][0];
  }
}
