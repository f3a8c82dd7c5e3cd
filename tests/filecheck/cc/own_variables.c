// What an iteration has for itself is a variable of the innermost loop that needs it, or an array.
// RUN: polyir-cc --optimize="strategy=private threads=2" %s 2>/dev/null | filecheck %s
#define N 200
static double in[N + 2][N + 2], w[3][3], out[N][N];

// CHECK-LABEL: void convolution
// CHECK: #pragma omp parallel for
// CHECK-NEXT: for (long i = 0; i < 200; i++) {
// CHECK-NEXT: for (long j = 0; j < 200; j++) {
// CHECK-NEXT: double s_local = 0.0;
// CHECK-NEXT: for (long u = 0; u < 3; u++) {
// CHECK-NEXT: for (long v = 0; v < 3; v++) {
// CHECK-NEXT: s_local += in[i + u][j + v] * w[u][v];
// CHECK: out[i][j] = s_local;
void convolution(void) {
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double s = 0;
      for (int u = 0; u < 3; u++)
        for (int v = 0; v < 3; v++)
          s += in[i + u][j + v] * w[u][v];
      out[i][j] = s;
    }
#pragma endscop
}

// CHECK-LABEL: void small
// CHECK: for (long j = 0; j < 200; j++) {
// CHECK-NEXT: double row_local[4]
// CHECK: for (long k = 0; k < 4; k++) {
void small(void) {
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double row[4];
      for (int k = 0; k < 4; k++) row[k] = in[i][j] * k;
      for (int k = 0; k < 4; k++) out[i][j] += row[3 - k] * row[k];
    }
#pragma endscop
}

// Each iteration of the parallel loop needs a whole line.
// CHECK-LABEL: void lines
// CHECK: #pragma omp parallel for
// CHECK-NEXT: for (long i = 0; i < 200; i++) {
// CHECK-NEXT: double line_local[200]
void lines(void) {
#pragma scop
  double line[N];
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) line[j] = in[i][j] * 2;
    for (int j = 0; j < N; j++) out[i][j] = line[N - 1 - j] + line[j];
  }
#pragma endscop
}
