// Numbers in memory are only read before a region where the program reads them.
// RUN: not polyir-cc --pluto-schedule %s 2>/dev/null | grep -v CHECK | filecheck %s
// RUN: not polyir-cc --pluto-schedule --strict %s 2>&1 | filecheck %s --check-prefix REFUSED
struct grid { int n, m; double *v; };
static double A[64][64], p[64], x[64];

// The first bound is always read, and so can be all of the structure.
// CHECK-LABEL: void outermost
// CHECK-NOT: if
// CHECK: const int g_m = g->m;
// CHECK-NEXT: const int g_n = g->n;
// CHECK-NEXT: for (long i = 0; i < g_m; i++) {
// CHECK-NEXT: for (long j = 0; j < g_n; j++) {
void outermost(struct grid *g) {
#pragma scop
  for (int i = 0; i < g->m; i++)
    for (int j = 0; j < g->n; j++)
      A[i][j] += 0.5;
#pragma endscop
}

// Each bound is read where the ones before it have iterations; otherwise, nothing is to do.
// CHECK-LABEL: void inner
// CHECK: if (k >= 1 && ext[0] >= 1) {
// CHECK-NEXT: const int ext_0 = ext[0];
// CHECK-NEXT: const int ext_1 = ext[1];
// CHECK-NEXT: for (long i = 0; i < k; i++) {
// CHECK-NOT: else
void inner(int k, int *ext) {
#pragma scop
  for (int i = 0; i < k; i++)
    for (int j = 0; j < ext[0]; j++)
      for (int l = 0; l < ext[1]; l++)
        A[i][j + l] += 0.5;
#pragma endscop
}

// What is known inside the condition is not tested again.
// CHECK-LABEL: void condition
// CHECK: if (k >= 4) {
// CHECK-NEXT: const int lim_1 = lim[1];
// CHECK-NEXT: for (long i = 0; i < 8; i++) {
// CHECK-NEXT: p[i] += (double)(int)(lim_1 + i);
// CHECK-NOT: else
void condition(int k, int *lim) {
#pragma scop
  if (k > 3)
    for (int i = 0; i < 8; i++)
      p[i] += lim[1] + i;
#pragma endscop
}

// The original is executed where the number is not read.
// CHECK-LABEL: void partly(
// CHECK: if (k >= 4) {
// CHECK: } else {
// CHECK-NEXT: partly_original(k, lim);
void partly(int k, int *lim) {
#pragma scop
  for (int i = 0; i < 8; i++) {
    p[i] += i;
    if (k > 3)
      for (int j = 0; j < *lim; j++)
        A[i][j] += i;
  }
#pragma endscop
}

// What is read where data says so is read there.
// CHECK-LABEL: void data
// CHECK: for (long i = 0; i < 8; i++) {
// CHECK-NEXT: if (x[i] > 0.0) {
// CHECK-NEXT: p[i] += (double)g->n;
void data(struct grid *g) {
#pragma scop
  for (int i = 0; i < 8; i++)
    if (x[i] > 0)
      p[i] += g->n;
#pragma endscop
}

// The addresses for the check of aliases are in memory themselves.
// CHECK-LABEL: void addresses
// CHECK: if (k >= 1) {
// CHECK-NEXT: if (g->n >= 1 &&
// CHECK-NEXT: polyir_disjoint(&g->v[0], &g->v[(long)g->n - 1] + 1,
void addresses(int k, struct grid *g, double *to) {
#pragma scop
  for (int i = 0; i < k; i++)
    for (int j = 0; j < g->n; j++)
      to[j + i] += g->v[j];
#pragma endscop
}

// REFUSED: early_reads.c:97:9: error: region not transformed: whether the region reads from '*g' is not known before it
void unknown(int k, struct grid *g, double *to) {
#pragma scop
  for (int i = 0; i < k; i++)
    if (x[i] > 0)
      to[i] = g->v[i];
#pragma endscop
}
