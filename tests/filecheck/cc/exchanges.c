// RUN: polyir-cc --quiet --detect --pluto-schedule --tile=32 %s -o %t.c && grep -v CHECK %t.c | filecheck %s && gcc -fsyntax-only -Wall -Wextra -Werror -Wno-unknown-pragmas %t.c

// Pointers that each iteration exchanges: two iterations at a time know which array is which.
// After them, the pointers are exchanged as often as the loop does that.

// CHECK-LABEL: double heat(
// CHECK:     for (long {{.+}} += 32) {
// CHECK:       b[t3 - t] = 0.5 * a[t3 - t - 1] + 0.5 * a[t3 - t + 1];
// CHECK-NEXT:  a[t3 - t - 1] = 0.5 * b[t3 - t - 2] + 0.5 * b[t3 - t];
// CHECK:     for (int t = 0; t < steps; t++)
// CHECK-NEXT:     {
// CHECK-NEXT:       double *old = a;
// CHECK-NEXT:       a = b;
// CHECK-NEXT:       b = old;
// CHECK-NEXT:     }
// CHECK-NEXT:   } else {
double heat(int n, int steps, double *a, double *b) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      b[i] = 0.5 * a[i - 1] + 0.5 * a[i + 1];
    double *old = a;
    a = b;
    b = old;
  }
  return a[0] + b[n - 1];
}

// What is declared around the loop is what it was, and the counter is where it ends.
// CHECK-LABEL: int planes(
// CHECK:       for (t = steps; t > 0; t--)
// CHECK-NEXT:  {
// CHECK-NEXT:    k = now;
// CHECK-NEXT:    now = next;
// CHECK-NEXT:    next = k;
// CHECK-NEXT:  }
// CHECK:       return
int planes(int n, int steps, int now, int next, double u[2][n]) {
  int t, k = 0;
  for (t = steps; t > 0; t--) {
    for (int i = 1; i < n - 1; i++)
      u[next][i] = u[now][i - 1] + u[now][i + 1];
    k = now;
    now = next;
    next = k;
  }
  return now + 3 * next + 5 * k + t;
}

// One of them is changed in another way, too.
// CHECK-LABEL: void moved(
// CHECK: for (int t = 0; t < steps; t++) {
// CHECK: b = old + 1;
void moved(int n, int steps, double *a, double *b) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      b[i] = a[i - 1];
    double *old = a;
    a = b;
    b = old + 1;
  }
}
