// The first and the last element of arrays are minima, maxima and choices.
// RUN: polyir-cc --passes=poly-raise %s | grep -v CHECK | filecheck %s
static int clamp(int v, int low, int high) { return v < low ? low : (v > high ? high : v); }

// An element apart from a loop that may be empty.
// CHECK-LABEL: void first_apart
// CHECK: if (polyir_disjoint(&r[0], &r[polyir_max(0, (long)n - 1)] + 1,
// CHECK-NEXT: &y[0], &y[polyir_max(0, (long)n - 1)] + 1)) {
void first_apart(int n, double r[40], double y[40]) {
#pragma scop
  y[0] = -r[0];
  for (int k = 1; k < n; k++)
    y[k] = r[k];
#pragma endscop
}

// Clamped rows of an image, in one range for both reads.
// CHECK-LABEL: void border
// CHECK: if (h >= 1 && w >= 1 &&
// CHECK-NEXT: polyir_disjoint(&in[0], &in[((long)h - 1) * w + (long)w - 1] + 1,
// CHECK-NEXT: &out[0], &out[((long)h - 1) * w + (long)w - 1] + 1)) {
// CHECK: out[y * w + x] = in[polyir_max(0, y - 1) * w + x]
void border(const float *in, float *out, int h, int w) {
#pragma scop
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      out[y * w + x] = in[clamp(y - 1, 0, h - 1) * w + x] + in[clamp(y + 1, 0, h - 1) * w + x];
#pragma endscop
}

// A neighbour around the border is a choice.
// CHECK-LABEL: void periodic
// CHECK: polyir_disjoint(&r[0], &r[(long)n - 1] + 1, &y[0], &y[(long)n - 1] + 1)) {
void periodic(int n, const double *r, double *y) {
#pragma scop
  for (int i = 0; i < n; i++)
    y[i] = r[i == 0 ? n - 1 : i - 1];
#pragma endscop
}

// An array that is accessed under a condition is only tested where it holds; two that are only
// read are not tested.
// CHECK-LABEL: void seldom
// CHECK: if (n >= 1 &&
// CHECK-NEXT: polyir_disjoint(&r[0], &r[(long)n - 1] + 1, &y[0], &y[(long)n - 1] + 1) &&
// CHECK-NEXT: (k <= 3 ||
// CHECK-NEXT: polyir_disjoint(&y[0], &y[(long)n - 1] + 1, &s[0], &s[(long)n - 1] + 1))) {
void seldom(int n, int k, const double *r, double *y, const double *s) {
#pragma scop
  for (int i = 0; i < n; i++) {
    y[i] = r[i];
    if (k > 3)
      y[i] += s[i];
  }
#pragma endscop
}

// Many parts have the range around the ranges of all of them.
// CHECK-LABEL: void parts
// CHECK: polyir_disjoint(&r[polyir_min(2, (long)41 - l)],
// CHECK-SAME: &r[polyir_max(polyir_max(35, (long)n - 1), (long)m - 2)] + 1,
void parts(int n, int m, int l, double *r, double *y) {
#pragma scop
  for (int i = 2; i < n; i++)
    y[i] = r[i];
  for (int i = 20; i < m; i++)
    y[i] += r[i - 1];
  for (int i = 5; i < l; i++)
    y[2 * i] += r[40 - i];
#pragma endscop
}

// The calls of a function are inlined, and nothing else calls it.
static int up(int v, int high) { return v + 1 > high ? high : v + 1; }

// CHECK-LABEL: void restricted
// CHECK-NOT: polyir_disjoint
// CHECK: (void)up; // Its calls are inlined.
// CHECK: for (long i = 1; i < (long)n - 2; i++) {
// CHECK-NEXT: y[i] = r[i + 1] + r[i - 1];
void restricted(int n, const double *restrict r, double *restrict y) {
#pragma scop
  for (int i = 0; i < n; i++)
    y[i] = r[up(i, n - 1)] + r[i ? i - 1 : 0];
#pragma endscop
}
