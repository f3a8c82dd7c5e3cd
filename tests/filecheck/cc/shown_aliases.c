// Aliases that the function itself shows are refused, where the pointer gets its value.
// RUN: not polyir-cc --quiet --strict --passes=poly-raise %s -o /dev/null 2>&1 | filecheck %s
// RUN: not polyir-cc --quiet --strict --passes=poly-raise --assume-no-alias %s -o /dev/null 2>&1 | grep -c points | filecheck %s --check-prefix SHOWN
// SHOWN: 5
static double table[9][9], line[90];
static int total, count;

// CHECK: shown_aliases.c:10:17: error: region not transformed: 'row' points to 'table', and the region accesses both
void row_of_array(int n) {
  double *row = table[4];
#pragma scop
  for (int i = 1; i < n; i++)
    row[i] = table[4][i - 1] + 1.0;
#pragma endscop
}

// CHECK: shown_aliases.c:20:10: error: region not transformed: 'sum' points to 'total', and the region accesses both
void address_of_scalar(int n) {
  int *sum;
  sum = &total;
#pragma scop
  for (int i = 0; i < n; i++) {
    *sum += i;
    line[i] = total;
  }
#pragma endscop
}

// CHECK: shown_aliases.c:32:17: error: region not transformed: 'two' points to the same memory as 'one'
void two_names(int n, double *one) {
  double *copy = one;
  double *two = copy;
#pragma scop
  for (int i = 1; i < n; i++)
    two[i] = one[i - 1];
#pragma endscop
}

// CHECK: shown_aliases.c:41:14: error: region not transformed: 'at' points to 'count', and the region accesses both
void loop_counter(int n) {
  int *at = &count;
#pragma scop
  for (count = 0; count < n; count++)
    line[*at] = 1.0;
#pragma endscop
}

// A bound that a pointer changes.
// CHECK: shown_aliases.c:51:16: error: region not transformed: 'last' points to 'n', and the region accesses both
void bound(int n) {
  int *last = &n;
#pragma scop
  for (int i = 0; i < n; i++)
    *last = 7 - i;
#pragma endscop
}

// What is accessed is not known before the region, and 'where' may lead to anything.
// CHECK: shown_aliases.c:61:9: error: region not transformed: only a replay of its subscripts finds out which elements it accesses, and no loop is parallel
void unknown_range(int n, double *where, const int *which) {
#pragma scop
  for (int i = 0; i < n; i++)
    where[which[i]] = line[i];
#pragma endscop
}
// CHECK-NOT: error
