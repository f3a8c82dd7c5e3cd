// The tests of sizes and of aliases declare different variables.
// RUN: polyir-cc --optimize=threads=2 %s -o %t.c
// RUN: grep -v CHECK %t.c | filecheck %s
// CHECK: const long t = (long)(int)(g->size - 1);
// CHECK-NEXT: if ((long)(int)(g->size - 1) >= {{[0-9]+}} &&
// CHECK-NEXT: t >= 0 &&
struct G { int n; long size; };
int f(long *l, int *q, struct G *g, int k) {
  int i = 1;
#pragma scop
  for (int i = g->size - 1; i >= 0; i--) {
    l[2 * i + 1] = 7L * ((q[k - i + 14] ^ (i & 7))) % 100003;
  }
#pragma endscop
  return i;
}
