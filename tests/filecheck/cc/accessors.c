// Functions that read and write one element, and those that compilers have for bits.
// RUN: polyir-cc --pluto-schedule --mark-parallel %s | grep -v CHECK | filecheck %s
typedef struct {
  int rows, columns;
  double *data;
} matrix;

static inline double get(const matrix *m, int i, int j) { return m->data[i * m->columns + j]; }
static inline void set(matrix *m, int i, int j, double v) { m->data[i * m->columns + j] = v; }

// CHECK-LABEL: void smooth(
// CHECK: #pragma omp parallel for
// CHECK: b->data[i * b->columns + j] = (a->data[(i - 1) * a->columns + j]
void smooth(const matrix *a, matrix *b) {
#pragma scop
  for (int i = 1; i < a->rows - 1; i++)
    for (int j = 1; j < a->columns - 1; j++)
      set(b, i, j, (get(a, i - 1, j) + get(a, i + 1, j) + get(a, i, j - 1)) / 3);
#pragma endscop
}

// CHECK-LABEL: void distances(
// CHECK: #pragma omp parallel for
// CHECK: d[i] = __builtin_popcountl({{.*}}) + __builtin_ctz({{.*}});
void distances(int n, const unsigned long *restrict a, const unsigned long *restrict b,
               int *restrict d) {
#pragma scop
  for (int i = 0; i < n; i++)
    d[i] = __builtin_popcountl(a[i] ^ b[i]) + __builtin_ctz((unsigned)b[i] | 1);
#pragma endscop
}
