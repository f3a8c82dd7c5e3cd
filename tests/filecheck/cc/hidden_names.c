// A parameter that has the name of a variable of the file hides it everywhere.
// RUN: polyir-cc --optimize=threads=2 %s -o %t.c
// RUN: grep -v "CHECK\|RUN" %t.c | filecheck %s
static double x[2000][2000], y[2000][2000];

// Nothing else leads to what a restrict pointer does.
// CHECK: void own(
// CHECK-NOT: polyir_disjoint
// CHECK: #pragma omp parallel for
void own(double (*x)[2000], double (*restrict y)[2000]) {
  for (int i = 0; i < 2000; i++)
    for (int j = 0; j < 2000; j++)
      x[i][j] = y[j][i];
}

// The pointer may lead to the other variable of the file.
// CHECK: void other(
// CHECK: polyir_disjoint(&y[0][0], &y[1999][1999] + 1, &x[0][0], &x[1999][1999] + 1)
void other(double (*x)[2000]) {
  for (int i = 0; i < 2000; i++)
    for (int j = 0; j < 2000; j++)
      x[i][j] = y[j][i];
}
