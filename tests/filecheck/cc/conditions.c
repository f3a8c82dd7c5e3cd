// An affine condition below one on data, and a condition on constants that is not an affine one.
// RUN: not polyir-cc --passes=poly-raise %s 2>&1 | grep -v CHECK | filecheck %s
void nested(int n, int x, float *restrict a, float *restrict b) {
// CHECK: if (a[i] > b[i]) {
// CHECK-NEXT: b[i] = a[i];
// CHECK: if (a[3] > b[3]) {
// CHECK-NEXT: b[3] = a[3];
// CHECK: } else if (b[3] < 9.0f) {
// CHECK-NEXT: b[3] = 0.0f;
#pragma scop
  for (int i = 0; i < n; i++)
    if (a[i] > b[i]) {
      if (x > i)
        b[i] = a[i];
    } else if (i == 3 && b[i] < 9.0f)
      b[i] = 0.0f;
#pragma endscop
}

int constants(void) {
  int k = 5;
// CHECK: #pragma scop
#pragma scop
  if ((1 < 2) < 3)
    k = 1;
#pragma endscop
  return k;
}
