// Pointers that may lead to one memory, where index arrays decide what is accessed.
// RUN: not polyir-cc --inspect-wavefronts %s 2> %t.err | grep -v CHECK | filecheck %s
// RUN: filecheck %s --check-prefix REFUSED < %t.err

// The subscripts are those of one time step.
// CHECK: static void tested_subscripts(
// CHECK-NOT: for (long s
// CHECK: const long t = 0 < steps ? n : 0;
// CHECK: #pragma omp parallel for
// CHECK-NEXT: for (long part = 0; part < 64; part++) {
// CHECK: for (long i = {{.*}}; i < {{.*}}; i++) {
// CHECK: x_last_1 = polyir_max(x_last_1,
// CHECK: *x_last = polyir_max(*x_last, found[part][
// CHECK-LABEL: void tested(
// CHECK: tested_subscripts(p, n, steps, &x_first, &x_last);
// CHECK-NEXT: if (steps >= 1 && n >= 1 &&
// CHECK-NEXT: polyir_disjoint(&x[x_first], &x[x_last] + 1, &b[0], &b[n - 1] + 1)) {
// CHECK: tested_executor(
// CHECK: } else {
// CHECK-NEXT: tested_original(n, steps, p, b, x);

// REFUSED: index_array_aliases.c:33:{{[0-9]+}}: warning: region not transformed: '{{[xb]}}' may point to memory that the region accesses under another name; which elements the region accesses is not known before it, and no test can find out: an element is accessed outside of a loop (declare pointers as restrict, or give --assume-no-alias)
void tested(long n, long steps, const int *p, const double *b, double *x) {
#pragma scop
  for (long s = 0; s < steps; s++)
    for (long i = 0; i < n; i++)
      x[p[i]] = x[i] * 0.5 + b[i];
#pragma endscop
}

void refused(long n, const int *p, const double *b, double *x) {
#pragma scop
  x[0] = 0.0;
  for (long i = 0; i < n; i++)
    x[p[i]] = x[i] * 0.5 + b[i];
#pragma endscop
}
