// Bounds in memory that the region does not write.
// RUN: not polyir-cc --passes=poly-raise %s 2>&1 | grep -v CHECK | filecheck %s
struct sizes { int count, each[3]; };
static double A[100], B[100];
static int size[3];

// CHECK: for (long i = 0; i < size_1; i++) {
void element(void) {
#pragma scop
  for (int i = 0; i < size[1]; i++)
    A[i] = B[i];
#pragma endscop
}

// CHECK: const int p_each_k = p->each[k];
// CHECK-NEXT: for (long i = 0; i < p_each_k; i++) {
void element_of_member(struct sizes *p, int k) {
#pragma scop
  for (int i = 0; i < p->each[k]; i++)
    A[i] = B[i];
#pragma endscop
}

// CHECK: for (long i = 0; i < n_1; i++) {
// CHECK-NEXT: for (long j = 0; j < m_1; j++) {
void pointers(int *n, int *m) {
#pragma scop
  for (int i = 0; i < *n; i++)
    for (int j = 0; j < *m; j++)
      A[i] += B[j];
#pragma endscop
}

// The element may be out of bounds if the outer loop is empty.
// CHECK: #pragma scop
void guarded(int n, int k, int *m) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m[k]; j++)
      A[i] += B[j];
#pragma endscop
}

// The region writes it.
// CHECK: #pragma scop
void written(void) {
#pragma scop
  for (int i = 0; i < size[1]; i++)
    size[i] = 9;
#pragma endscop
}
