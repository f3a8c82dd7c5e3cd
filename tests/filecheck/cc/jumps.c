// `continue` is a condition around the rest of the body.
// RUN: polyir-cc --passes=poly-raise %s | filecheck %s

// CHECK-LABEL: void skipped(
// CHECK: for (long i = 0; i < n; i++) {
// CHECK-NEXT: A[i] = 0.0;
// CHECK-NEXT: if (i >= 5) {
// CHECK-NEXT: for (long j = 0; j < n; j++) {
// CHECK-NEXT: A[i] += B[j];
// CHECK: }
void skipped(int n, double *restrict A, double *restrict B) {
#pragma scop
  for (int i = 0; i < n; i++) {
    A[i] = 0.0;
    if (i < 5)
      continue;
    for (int j = 0; j < n; j++)
      A[i] += B[j];
  }
#pragma endscop
}

// What follows both branches is written in both.
// CHECK-LABEL: void in_branches(
// CHECK: if (B[i] > 0.0) {
// CHECK-NEXT: A[i] = 1.0;
// CHECK: if (!(B[i] > 2.0)) {
// CHECK: B[i] = 3.0;
// CHECK-NEXT: }
// CHECK-NEXT: } else {
// CHECK-NEXT: B[i] = 3.0;
void in_branches(int n, double *restrict A, double *restrict B) {
#pragma scop
  for (int i = 0; i < n; i++) {
    if (B[i] > 0.0) {
      A[i] = 1.0;
      if (B[i] > 2.0)
        continue;
      A[i] = 2.0;
    }
    B[i] = 3.0;
  }
#pragma endscop
}
