// What is added to integers has the same sum in any order: threads add up parts of it.
// RUN: polyir-cc --optimize="threads=2 machine=%S/../../machines/256.json" %s -o %t.c 2>&1 | filecheck %s --check-prefix SUMMARY
// RUN: grep -v CHECK %t.c | filecheck %s

// SUMMARY: polyir-cc: 3 of 4 loop nests transformed ({{.*}}), 1 best as it is

// A condition on data decides what is added.
// CHECK-LABEL: int primes(
// CHECK: #pragma omp parallel for
// CHECK-NEXT: for (long t0 = 0; t0 < 2; t0++) {
// CHECK-NEXT: count_partial[t0][0] = 0;
// CHECK: count_partial[t0][0] = (int)((unsigned int)count_partial[t0][0]
// CHECK-NEXT: + (prime_local != 0 ? 1 : 0));
// CHECK: count = (int)((unsigned int)count
// CHECK-NEXT: + ((unsigned int)count_partial[0][0] + count_partial[1][0]));
int primes(int n) {
  int count = 0;
  for (int i = 2; i < n; i++) {
    int prime = 1;
    for (int j = 2; j * j <= i; j++)
      if (i % j == 0) {
        prime = 0;
        break;
      }
    if (prime) count++;
  }
  return count;
}

// A loop is part of what is added, with numbers of its own.
// CHECK-LABEL: long triangles(
// CHECK: #pragma omp parallel for schedule(dynamic)
// CHECK: found_local = 0;
// CHECK-NEXT: if (edges[i][j] != 0) {
// CHECK-NEXT: for (long k = 0; k < 100; k++) {
// CHECK: }
// CHECK: found_0_partial[t0][0] = (long)((unsigned long)found_0_partial[t0][0] + found_local);
long triangles(int n, const char (*edges)[100]) {
  long found = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (edges[i][j])
        for (int k = 0; k < 100; k++) found += edges[i][k] & edges[j][k];
  return found;
}

// CHECK-LABEL: int longest(
// CHECK: #pragma omp parallel for
// CHECK: most_partial[t0][0] = -2147483647 - 1;
// CHECK: most_partial[t0][0] = {{t.* > t.* \? t.* : t.*}};
int longest(int n) {
  int most = 0;
  for (int i = 1; i < n; i++) {
    long x = i;
    int steps = 0;
    while (x != 1) {
      x = x % 2 ? 3 * x + 1 : x / 2;
      steps++;
    }
    if (steps > most) most = steps;
  }
  return most;
}

// Floating-point numbers have another sum in another order.
// CHECK-LABEL: double sum(
// CHECK-NOT: #pragma omp
// CHECK: }
double sum(int n, int m, const double *a) {
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) s += a[i * m + j];
  return s;
}
