// The page of --report opens on a row for each region: what was done, the loops, or why it was left.
// RUN: rm -f %t.html && not polyir-cc %s --pluto-schedule --tile=8 --mark-parallel --report=%t.html -o /dev/null
// RUN: filecheck --input-file %t.html %s

// CHECK: <details class="overview" open>
// CHECK: data-step="{{[0-9]+}}">lines 14 to 17</button></td><td>pluto-schedule, mark-parallel</td><td>parallel</td><td></td>
// CHECK: data-step="{{[0-9]+}}">lines 21 to 24</button></td><td>{{[a-z, -]+}}</td><td>sequential</td><td></td>
// CHECK: <td>line{{[s0-9to ]+}}</td><td>nothing</td><td></td><td>a while loop
// CHECK: <td>line{{[s0-9to ]+}}</td><td>nothing</td><td></td><td>{{.*}}overlap
// CHECK: data-step="{{[0-9]+}}">lines 42 to 45</button></td>
// CHECK: </details>
// CHECK-NOT: <pre class="error"
void done(int n, double *restrict x, double *restrict y) {
#pragma scop
  for (int i = 0; i < n; i++)
    x[i] = 2 * y[i];
#pragma endscop
}

void sequential(int n, double *restrict x) {
#pragma scop
  for (int i = 1; i < n; i++)
    x[i] = x[i - 1] + 1;
#pragma endscop
}

void loops_that_cannot_be_modelled(int n, double *x) {
#pragma scop
  while (n > 0)
    x[n--] = 1;
#pragma endscop
}

void pointers(int n, double *restrict x, double **y) {
#pragma scop
  for (int i = 0; i < n; i++)
    x[i] = y[i][0];
#pragma endscop
}

void after_those_that_were_left(int n, double *restrict x, double *restrict y) {
#pragma scop
  for (int i = 0; i < n; i++)
    x[i] = 3 * y[i];
#pragma endscop
}
