// What each iteration adds a constant to is a function of the counters.
// RUN: polyir-cc --pluto-schedule --tile=8 --mark-parallel %s 2>/dev/null | grep -v CHECK | filecheck %s
#define N 20
static float v[400], o[400];

// CHECK-LABEL: int constant
// CHECK: #pragma omp parallel for
// CHECK: o[pos + 20 * m + n] = v[pos + 20 * m + n] * 2.0f + (float)(int)m;
// CHECK: pos = (long)pos + 400;
int constant(void) {
  int pos = 0;
#pragma scop
  for (int m = 0; m < N; m++)
    for (int n = 0; n < N; n++) {
      o[pos] = v[pos] * 2 + m;
      pos++;
    }
#pragma endscop
  return pos;
}

// A row for each iteration of the outer loop. The last value is not used.
// CHECK-LABEL: void header
// CHECK-NOT: if (
// CHECK: #pragma omp parallel for
// CHECK: o[i * m + j + pos] += v[j];
// CHECK-NOT: pos =
// CHECK: }
void header(int n, int m, int pos) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++, pos++)
      o[pos] += v[j];
#pragma endscop
}

// Inside an expression, with a row that may be longer than what is packed of it.
// CHECK-LABEL: int pack
// CHECK: if (lda >= m) {
// CHECK: #pragma omp parallel for
// CHECK: packed[i * m + j + t] = a[i * lda + j];
// CHECK: t = t + {{.*}};
// CHECK-NEXT: } else {
// CHECK-NEXT: for (int i = 0; i < n; i++)
int pack(int n, int m, int lda, const float *restrict a, float *restrict packed) {
  int t = 0;
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      packed[t++] = a[i * lda + j];
#pragma endscop
  return t;
}

// A pointer is an array with a counter in its subscripts; whether it leads into another is checked.
// CHECK-LABEL: float *pointers
// CHECK: if (n >= 1 && m >= 1 &&
// CHECK-NEXT: polyir_disjoint(&from[0], &from[{{.*}}] + 1,
// CHECK-NEXT: &to[0], &to[{{.*}}] + 1)) {
// CHECK: #pragma omp parallel for
// CHECK: to[i * m + j] = from[i * m + j] * 2.0f;
// CHECK: to += {{.*}};
float *pointers(int n, int m, float *to, const float *from) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      *to++ = *from++ * 2;
#pragma endscop
  return to;
}

// An unsigned integer may wrap around, and this is not a function of the counters: memory.
// CHECK-LABEL: unsigned wraps
// CHECK: w = {{.*}}w + 1
// CHECK-LABEL: int triangle
// CHECK: t += 1;
unsigned wraps(int n, unsigned w) {
#pragma scop
  for (int i = 0; i < n; i++)
    o[w++ % 8] = i;
#pragma endscop
  return w;
}
int triangle(int n) {
  int t = 0;
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      o[t++] = i;
#pragma endscop
  return t;
}
