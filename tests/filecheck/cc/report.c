// The page of --report has the passes of each region, and what is left; names of the input are text.
// RUN: rm -f %t.html && not polyir-cc %s --pluto-schedule --tile=32 --report=%t.html -o /dev/null
// RUN: filecheck --input-file %t.html %s
// RUN: not polyir-cc %s --strict --report=%t.none/x.html -o /dev/null 2>&1 | filecheck %s --check-prefix NO-FOLDER

// CHECK: report.c
// CHECK: class="region">lines 21 to 25<
// CHECK: pluto-schedule
// CHECK: tile
// CHECK: class="region">lines 29 to 33<
// CHECK-NOT: </script><b>
// CHECK: <li data-line="24" {{.*}}data-statements="S0:24">{{.*}}&lt;/script&gt;&lt;b&gt;{{.*}}</li>
// CHECK: <li data-line="32" {{.*}}data-statements="S0:32">
// CHECK-NOT: </script><b>
// CHECK-NOT: role="alert"
// CHECK: <h2>lines 21 to 25: input</h2>
// CHECK: <h2>lines 29 to 33: tile</h2>
// CHECK-NOT: </script><b>
// NO-FOLDER: error: cannot write '{{.*}}x.html'
void first(int n, double A[n][n], double B[n]) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      A[i][j] = 2.0 * B[j]; /* </script><b> */
#pragma endscop
}

void second(int n, double *A) {
#pragma scop
  for (int t = 0; t < n; t++)
    for (int i = 1; i < n - 1; i++)
      A[i] = 0.33 * (A[i - 1] + A[i] + A[i + 1]);
#pragma endscop
}

void third(int n, double *A) {
#pragma scop
  while (n > 0)
    A[n--] = 1.0;
#pragma endscop
}
