// Where k < m does not hold, too much is not known to be read: the new statements are for the rest, which does not access `u`.
// RUN: polyir-cc --isl-schedule --mark-parallel %s | grep -v CHECK | filecheck %s
struct grid {
  double x;
  double *v;
};
int table[40][40];

// CHECK: if (m >= (long)k + 1 &&
// CHECK: polyir_disjoint(&table[0][0], &table[0][8] + 1, &u[0], &u[0] + 1)
// CHECK: #pragma omp parallel for
// CHECK-NEXT: for (long i = 0; i < 9; i++) {
// CHECK-NEXT: g->v[i] +=
void update(unsigned *u, struct grid *g, double (*R)[28], int k, int m) {
#pragma scop
  for (int i = 0; i < 9; i++) {
    if (k < m)
      g->v[i] += 0.01 * table[0][i];
    else
      u[2 * i + 1] = u[2 * i + 1] * 3u + (table[k - i + 14][k - i + 14] > (int)(R[i][i] > 100 ? 100 : R[i][i]) ? 3 : 4);
  }
#pragma endscop
}
