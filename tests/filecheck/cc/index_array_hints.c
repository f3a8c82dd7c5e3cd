// What to use where index arrays are in the way, and where there is nothing to inspect.
// RUN: not polyir-cc %s -o %t.c 2>&1 | filecheck %s
// RUN: not polyir-cc --inspect-wavefronts %s -o %t.c 2>&1 | filecheck %s --check-prefix READER
// RUN: not polyir-cc --assume-no-alias %s -o %t.p.c 2>&1 | filecheck %s --check-prefix REFUSED
// RUN: grep -v "RUN:\|REFUSED\|CHECK\|PARALLEL" %t.p.c | filecheck %s --check-prefix PARALLEL
// RUN: sed '/pragma/d' %s > %t.detected.c && polyir-cc %t.detected.c -o %t.c 2>&1 | filecheck %s --check-prefix DETECTED

// CHECK: index_array_hints.c:24:{{[0-9]+}}: warning: region not transformed: 'x' may point to memory that the region accesses under another name
// CHECK: index_array_hints.c:34:{{[0-9]+}}: warning: region not transformed: the start of 'k' is not affine
// CHECK: index_array_hints.c:20:{{[0-9]+}}: note: passes for index arrays take these loops: --poly-raise=data-loops --privatize --promote --mark-parallel
// CHECK: index_array_hints.c:32:{{[0-9]+}}: note: passes for index arrays take these loops: --inspect-wavefronts
// READER: warning: [inspect-wavefronts] nothing to do: no loop writes elements by index arrays; for loops that only read by them, there is --poly-raise=data-loops --privatize --promote --mark-parallel
// REFUSED: warning: region not transformed: the start of 'k' is not affine
// PARALLEL: void product(
// PARALLEL: #pragma omp parallel for
// DETECTED: note: passes for index arrays take these loops: --poly-raise=data-loops
// DETECTED: note: passes for index arrays take these loops: --inspect-wavefronts
// DETECTED: polyir-cc: 0 of 2 loop nests transformed, 2 left; first: {{.*}}: 'x' may point to memory
void product(long n, const int *start, const int *col, const double *x, double *y) {
#pragma scop
  for (long i = 0; i < n; i++) {
    double sum = 0.0;
    for (int k = start[i]; k < start[i + 1]; k++)
      sum += x[col[k]];
    y[i] = sum;
  }
#pragma endscop
}

void sweep(long n, const int *start, const int *col, double *restrict x) {
  // Each row needs those before.
#pragma scop
  for (long i = 0; i < n; i++)
    for (int k = start[i]; k < start[i + 1]; k++)
      x[i] -= x[col[k]];
#pragma endscop
}
