// Pointers that may lead to the same memory get a check; the original statements follow it.
// RUN: polyir-cc --passes=poly-raise %s | grep -v CHECK | filecheck %s
// RUN: polyir-cc --passes=poly-raise --assume-no-alias %s | grep -v CHECK | grep -v ASSUMED | filecheck %s --check-prefix ASSUMED
#include <stdlib.h>
struct image { double *pixels; int width; };
static double table[100];
static int limit = 100;

// CHECK: static inline int polyir_disjoint(
// ASSUMED-NOT: polyir_disjoint(

// CHECK: void parameters_original(int n, double *a, double *b) {
// CHECK-NEXT: /* kept */ for (int i = 1; i < n; i++)
// CHECK-NEXT: a[i] = b[i - 1];
// CHECK-NEXT: }
// CHECK-LABEL: void parameters(
void parameters(int n, double *a, double *b) {
// CHECK: if (n >= 2 &&
// CHECK-NEXT: polyir_disjoint(&b[0], &b[(long)n - 2] + 1, &a[1], &a[(long)n - 1] + 1)) {
// CHECK-NEXT: for (long i = 1; i < n; i++) {
// CHECK-NEXT: a[i] = b[i - 1];
// CHECK: } else {
// CHECK-NEXT: parameters_original(n, a, b);
// CHECK-NEXT: }
#pragma scop
  /* kept */ for (int i = 1; i < n; i++)
    a[i] = b[i - 1];
#pragma endscop
}

// CHECK-LABEL: void restricted
// CHECK-NOT: polyir_disjoint
void restricted(int n, double *restrict a, double *b) {
#pragma scop
  for (int i = 1; i < n; i++)
    a[i] = b[i - 1];
#pragma endscop
}

// A pointer that is made from a restrict pointer leads to the same memory.
// CHECK-LABEL: void based_on_restrict
// CHECK: if (n >= 1 &&
// CHECK-NEXT: polyir_disjoint(&b[0], &b[(long)n - 1] + 1, &a[0], &a[(long)n - 1] + 1)) {
void based_on_restrict(int n, double *restrict a) {
  double *b = a + n;
#pragma scop
  for (int i = 0; i < n; i++)
    a[i] = b[i];
#pragma endscop
}

// The bound may be what the pointer leads to.
// CHECK-LABEL: void global_bound
// CHECK: if (limit >= 1 &&
// CHECK-NEXT: polyir_disjoint(&limit, &limit + 1, &a[0], &a[(long)limit - 1] + 1)) {
void global_bound(int *a) {
#pragma scop
  for (int i = 0; i < limit; i++)
    a[i] = i;
#pragma endscop
}

// A pointer in memory is read only if the loop would read it. Other types do not alias.
// CHECK-LABEL: void members
// CHECK: if (to->width >= 1) {
// CHECK-NEXT: if (polyir_disjoint(&from->pixels[0], &from->pixels[(long)to->width - 1] + 1,
// CHECK-NEXT: &to->pixels[0], &to->pixels[(long)to->width - 1] + 1)) {
void members(struct image *to, struct image *from) {
#pragma scop
  for (int i = 0; i < to->width; i++)
    to->pixels[i] = from->pixels[i];
#pragma endscop
}

// New memory that no other pointer leads to, and a local array whose address stays inside.
// CHECK-LABEL: double fresh
// CHECK-NOT: polyir_disjoint
double fresh(int n, double *a) {
  double *new = malloc(100 * sizeof(double)), *old = malloc(100 * sizeof(double)), own[100];
#pragma scop
  for (int i = 0; i < n; i++) {
    own[i] = a[i];
    new[i] = own[i];
    old[n - i] = new[i];
  }
#pragma endscop
  double result = old[1] + new[2];
  free(new);
  free(old);
  return result;
}

// The address of an array gets out of sight.
// CHECK-LABEL: double passed_on
// CHECK: if (n >= 1 &&
// CHECK-NEXT: polyir_disjoint(&a[0], &a[(long)n - 1] + 1, &own[0], &own[(long)n - 1] + 1)) {
double *pass(double *);
double passed_on(int n) {
  double own[100], *a = pass(own);
#pragma scop
  for (int i = 0; i < n; i++)
    own[i] = a[i];
#pragma endscop
  return own[1];
}

// The range of an array of the file is at most the whole array.
// CHECK-LABEL: void whole_object
// CHECK: if (n >= 1 &&
// CHECK-NEXT: polyir_disjoint(&a[0], &a[(long)n - 1] + 1, &table[0], &table[99] + 1)) {
void whole_object(int n, double *a, const int *which) {
#pragma scop
  for (int i = 0; i < n; i++)
    table[which[i]] = a[i];
#pragma endscop
}
