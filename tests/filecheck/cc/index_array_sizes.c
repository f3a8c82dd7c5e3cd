// How large arrays are: what check-indices knows, and says of what it does not know.
// RUN: not polyir-cc --check-indices %s 2> %t.err | grep -v CHECK | filecheck %s
// RUN: filecheck %s --check-prefix UNKNOWN < %t.err

// CHECK-LABEL: void known(
// CHECK: polyir_assert_report({{.*}} != 1,
// CHECK-NEXT: index_array_sizes.c:24:{{[0-9]+}}: 'p' has %2$lld elements, and the subscript %1$lld is out of bounds\012"
// CHECK: index_array_sizes.c:24:{{[0-9]+}}: 'p' has %1$lld at [%3$lld], but 'x' has %2$lld elements\012"
// CHECK: known_executor(
// CHECK-LABEL: void promised(
// CHECK: index_array_sizes.c:33:{{[0-9]+}}: 'p' has %1$lld at [%3$lld], outside of its range, which ends at %2$lld\012"
// CHECK: promised_executor(

// UNKNOWN: index_array_sizes.c:32:{{[0-9]+}}: warning: [check-indices] nobody knows how large these arrays are: 'p', 'x', 'y' (#pragma polyir array(p: SIZE) says it)
// UNKNOWN: index_array_sizes.c:39:{{[0-9]+}}: warning: [check-indices] nobody knows how large these arrays are: 'p', 'x', 'y'
// UNKNOWN: warning: [check-indices] nothing to do: no loop has index arrays that can be checked
// UNKNOWN: index_array_sizes.c:50:{{[0-9]+}}: warning: [check-indices] nobody knows how large these arrays are: 'p', 'x', 'y'
// UNKNOWN: warning: [check-indices] nothing to do: no loop has index arrays that can be checked
void known(long n, const int *p, const double *restrict x, double *restrict y) {
#pragma polyir array(p: n)
#pragma polyir array(x: 2 * n + 1)
#pragma scop
  for (long i = 0; i < n; i++)
    y[i] = x[p[i]];
#pragma endscop
}

// The facts of the function before are not those of this one.
void promised(long n, const int *p, const double *restrict x, double *restrict y) {
#pragma polyir index_array(p: range(0, n))
#pragma scop
  for (long i = 0; i < n; i++)
    y[i] = x[p[i]];
#pragma endscop
}

void unknown(long n, const int *p, const double *restrict x, double *restrict y) {
#pragma scop
  for (long i = 0; i < n; i++)
    y[i] = x[p[i]];
#pragma endscop
}

// A size is not about another array of this name.
void hidden(long n, const int *p, const double *restrict x, double *restrict y) {
#pragma polyir array(x: n)
  {
    const double *restrict x = y + n;
#pragma scop
    for (long i = 0; i < n; i++)
      y[i] = x[p[i]];
#pragma endscop
  }
}
