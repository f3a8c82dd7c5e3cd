// The loops of which nothing is known stay.
// RUN: not polyir-cc --passes=mark-parallel %s | filecheck %s
// RUN: not polyir-cc --detect --passes=mark-parallel %s | filecheck %s
// RUN: polyir-cc --emit=loops %s 2>/dev/null | filecheck %s --check-prefix LOOPS

// CHECK: void scatter
// CHECK: #pragma polyir index_array(p: injective, range(0, 2 * n))
// CHECK: #pragma omp parallel for
// CHECK-NEXT: for (
// CHECK-NEXT: a[(long)p[i]] = 2.0;
// LOOPS: func.func @scatter(%n: index, %p: memref<?xi32> {poly.index_array = #poly.index_array<injective, range = "[arg0] -> { [x] : 0 <= x < 2arg0 }">}, %a{{.*}}: memref<?xf64>)
void scatter(int n, double *restrict a, const int *restrict p) {
#pragma polyir index_array(p: injective, range(0, 2 * n))
#pragma scop
  for (int i = 0; i < n; i++)
    a[p[i]] = 2.0;
#pragma endscop
}

// The pragma is for its block, and constants have their values; the region does not use `last`.
// LOOPS: func.func @blocks(%{{n.*}}: index, %{{p.*}}: memref<?xi32> {poly.index_array = #poly.index_array<increasing, range = "{ [x] : x >= 3 }">}, %a{{.*}}: memref<?xf64>)
// LOOPS: func.func @blocks_{{[0-9]+}}(%{{[^{]*}})
enum { FIRST = 3 };
void blocks(int n, int last, double *restrict a, const int *restrict p) {
  {
#pragma polyir index_array(p: increasing, range(FIRST, last))
#pragma scop
    for (int i = 0; i < n; i++)
      a[p[i]] = 2.0;
#pragma endscop
  }
#pragma scop
  for (int i = 0; i < n; i++)
    a[p[i]] = 2.0;
#pragma endscop
}

// The pragmas are about the parameters, not about the variables of the block.
// LOOPS: func.func @other_variables(%{{[^{]*}})
void other_variables(int n, double *restrict a, const int *restrict p, const int *restrict q) {
#pragma polyir index_array(p: injective)
#pragma polyir index_array(q: range(0, n))
  {
    const int *restrict p = q;
    long n = 2;
#pragma scop
    for (int i = 0; i < n; i++)
      a[p[i]] = a[q[i]];
#pragma endscop
  }
}
