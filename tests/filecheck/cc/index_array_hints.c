// What to use where index arrays are in the way, and where there is nothing to inspect.
// RUN: not polyir-cc --pluto-schedule %s -o %t.c 2>&1 | filecheck %s
// RUN: not polyir-cc --optimize=threads=2 %s -o %t.c 2>&1 | filecheck %s --check-prefix CHOSEN
// RUN: not polyir-cc --inspect-wavefronts %s -o %t.c 2>&1 | filecheck %s --check-prefix READER
// RUN: sed '/pragma/d' %s > %t.detected.c && polyir-cc --optimize=threads=2 --remarks %t.detected.c -o %t.c 2>&1 | filecheck %s --check-prefix DETECTED

// CHECK: index_array_hints.c:22:{{[0-9]+}}: warning: region not transformed: the start of 'k' is not affine
// CHECK: index_array_hints.c:33:{{[0-9]+}}: warning: region not transformed: the start of 'k' is not affine
// CHECK: index_array_hints.c:19:{{[0-9]+}}: note: passes for index arrays take these loops: --poly-raise=data-loops --privatize --promote --mark-parallel
// CHECK: index_array_hints.c:31:{{[0-9]+}}: note: passes for index arrays take these loops: --inspect-wavefronts
// CHOSEN-NOT: --poly-raise
// CHOSEN: index_array_hints.c:33:{{[0-9]+}}: warning: region not transformed: the start of 'k' is not affine
// CHOSEN: index_array_hints.c:31:{{[0-9]+}}: note: passes for index arrays take these loops: --inspect-wavefronts
// CHOSEN: polyir-cc: 1 of 2 regions transformed (private, parallel), 1 left
// READER: warning: [inspect-wavefronts] nothing to do: no loop writes elements by index arrays; for loops that only read by them, there is --poly-raise=data-loops --privatize --promote --mark-parallel
// DETECTED: note: passes for index arrays take these loops: --inspect-wavefronts
// DETECTED: polyir-cc: 1 of 2 loop nests transformed (private, parallel), 1 left
void product(long n, const int *start, const int *col, const double *restrict x, double *restrict y) {
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
