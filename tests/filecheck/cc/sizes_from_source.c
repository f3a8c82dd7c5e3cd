// What conditions, assertions and declared arrays let expect of sizes. They are not promises.
// RUN: polyir-cc --optimize=machine=generic --remarks %s 2>&1 | filecheck %s
// RUN: polyir-cc --passes= --emit=loops %s 2>&1 | filecheck %s --check-prefix=LOOPS
#include <assert.h>
#include <stdlib.h>

struct image { int rows; };
static double table[700];

// CHECK: remark: [optimize] sizes: n = 99 (from conditions)
// LOOPS: func.func @asserted{{.*}}(%n: index {polyir.min_size = 6 : index, polyir.max_size = 99 : index}
void asserted(int n, double *restrict a) {
  assert(n < 100 && 5 < n);
  for (int i = 0; i < n; i++)
    a[i] *= 2;
}

// CHECK: remark: [optimize] sizes: q_rows = 5000 (from conditions)
// LOOPS: func.func @returned{{.*}}(%q_rows: index {polyir.min_size = 5000 : index}
void returned(struct image *q, double *restrict a) {
  if (q->rows < 5000)
    abort();
  for (int i = 0; i < q->rows; i++)
    a[i] *= 2;
}

// CHECK: remark: [optimize] sizes: n = 16 (from conditions)
// CHECK: remark: [optimize] sizes: n = 1000 (assumed)
// LOOPS: func.func @tested{{.*}}(%n{{.*}}: index {polyir.max_size = 16 : index}
// LOOPS: func.func @tested{{.*}}(%n{{.*}}: index {polyir.min_size = 17 : index}
void tested(int n, double *restrict a) {
  if (!(n > 16)) {
    for (int i = 0; i < n; i++)
      a[i] *= 2;
  } else {
    for (int i = 0; i < n; i++)
      a[i] *= 3;
  }
}

// What changes has no known bounds, and neither has another variable.
// CHECK: remark: [optimize] sizes: n = 1000 (assumed)
// CHECK: remark: [optimize] sizes: m = 1000 (assumed)
void changed(int n, int m, double *restrict a) {
  assert(n < 10 && m < 10);
  n = (int)a[0];
  for (int i = 0; i < n; i++)
    a[i] *= 2;
  {
    int m = (int)a[1];
    for (int i = 0; i < m; i++)
      a[i] *= 2;
  }
}

// CHECK: remark: [optimize] sizes: n = 700 (from arrays), m = 16 (from arrays), k = 300 (from arrays)
// LOOPS: func.func @declared{{.*}}%a{{.*}}: memref<?x16xf64> {polyir.sizes = array<i64: 300, 0>}
void declared(int n, int m, int k, double a[300][16]) {
  for (int i = 0; i < n; i++)
    table[i] = i;
  for (int i = 0; i < k; i++)
    for (int j = 0; j < m; j++)
      a[i][j] += 1;
}
