// A function that the parser cannot read is skipped, and so is one that needs such a type.
// RUN: not polyir-cc --passes=poly-raise %s 2>&1 | grep -v CHECK | filecheck %s
static double A[100];
typedef float vector __attribute__((vector_size(16)));
static vector sum(vector a, vector b) { return a + b; }

// CHECK: unreadable.c:24:1: warning: function skipped: the declaration at {{.*}}unreadable.c:4 cannot be parsed
// CHECK: unreadable.c:37:41: warning: function skipped: cannot parse this C: before: volatile
// CHECK: unreadable.c:42:1: warning: function skipped: cannot parse this C: Invalid expression

// Only the prototype of `sum` has the type.
// CHECK: static double readable(int n) {
// CHECK: for (long i = 0; i < n; i++) {
// CHECK: A[i] = {{.*}};
static double readable(int n) {
  (void)sum;
#pragma scop
  for (int i = 0; i < n; i++)
    A[i] = 0.5;
#pragma endscop
  return A[1];
}
// CHECK: static void uses_vector(int n) {
static void uses_vector(int n) {
  vector a = {0, 1, 2, 3}, b = sum(a, a);
// CHECK: #pragma scop
// CHECK-NEXT: for (int i = 0; i < n; i++)
#pragma scop
  for (int i = 0; i < n; i++)
    A[i] += b[1];
#pragma endscop
}

// CHECK: for (int i = 0; i < n; i++) { __asm__ volatile
static void assembler(int n) {
#pragma scop
  for (int i = 0; i < n; i++) { __asm__ volatile ("" : "+m"(A[i])); }
#pragma endscop
}

// CHECK: for (int i = 0; i < (n ?: 3); i++)
static void omitted(int n) {
#pragma scop
  for (int i = 0; i < (n ?: 3); i++)
    A[i] = 2;
#pragma endscop
}
