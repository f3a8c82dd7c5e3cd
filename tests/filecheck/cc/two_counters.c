// Loops with several counters are loops over one; the others are affine functions of it.
// RUN: polyir-cc --passes=poly-raise %s 2>&1 | grep -v CHECK | filecheck %s
enum { STRIDE = 3 };
static const int two = 2;
static double A[100], B[100];

// CHECK: int both(int n) {
// CHECK: for (long i = 0; i < n; i++) {
// CHECK-NEXT: A[i] = B[n - i];
// CHECK-NEXT: }
// CHECK-NEXT: j = (int)(n - polyir_max(n, 0));
int both(int n) {
  int i, j;
#pragma scop
  for (i = 0, j = n; i < n; i++, j--)
    A[i] = B[j];
#pragma endscop
  return j;
}

// The condition may use both.
// CHECK: void reverse(int n) {
// CHECK: for (long i = 0; i < polyir_floordiv(n, 2); i++) {
// CHECK-NEXT: A[i] = A[n - i - 1];
void reverse(int n) {
#pragma scop
  for (int i = 0, j = n - 1; i < j; i++, j--)
    A[i] = A[j];
#pragma endscop
}

// CHECK: void constants(int n) {
// CHECK: for (long i = 0; i < n; i += 2) {
// CHECK: for (long i = 0; i < n; i += 3) {
// CHECK-NEXT: A[i] = {{.*}};
// CHECK: for (long i = 0; i < n; i += 4) {
void constants(int n) {
  const int four = 2 * two;
#pragma scop
  for (int i = 0; i < n; i += two)
    A[i] = 1;
  for (int i = 0; i < n; i = STRIDE + i)
    A[i] = 2;
  for (int i = 0; i < n; i += four)
    A[i] = 3;
#pragma endscop
}

// Steps at the end of the body.
// CHECK: void at_the_end(int n) {
// CHECK: for (long i = 0; i < n; i++) {
// CHECK-NEXT: A[3 * i + 1] = B[i];
// CHECK-NEXT: }
void at_the_end(int n) {
  int i, k;
#pragma scop
  for (i = k = 0; i < n;) {
    A[1 + k] = B[i];
    k += 3;
    ++i;
  }
#pragma endscop
}

// What does not change by a constant is a statement of the loop.
// CHECK: void statement(int n, double x, double h) {
// CHECK: x = 0.5;
// CHECK-NEXT: for (long i = 0; i < n; i++) {
// CHECK-NEXT: A[i] = x;
// CHECK-NEXT: x += h;
void statement(int n, double x, double h) {
  int i;
#pragma scop
  for (i = 0, x = 0.5; i < n; i++, x += h)
    A[i] = x;
#pragma endscop
}
