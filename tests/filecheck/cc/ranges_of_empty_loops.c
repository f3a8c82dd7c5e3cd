// RUN: polyir-cc --pluto-schedule --mark-parallel %s 2>&1 | grep -v CHECK | filecheck %s

// Where a loop is empty, what it would have accessed counts for the ranges, but no address outside of
// an array is computed: with k = -2, 2 * k + 1 is no subscript.

// CHECK: polyir_disjoint(&C[polyir_max(polyir_min(polyir_min((long)k + 2, (long)i + 2), 27), 0)][polyir_max(polyir_min(polyir_min((long)2 * k + 1, (long)i + 2), 27), 0)],
struct grid { int n; double *v; };
int K[28];
signed char C[28][28];

void table(struct grid *g, int k, int i) {
#pragma scop
  for (long j = k; j < g->n; j += 2)
    K[j + 2] = C[j + 2][2 * j + 1];
  g->v[i] = C[i + 2][i + 2];
#pragma endscop
}
