// With --remarks, each loop that is left has a reason.
// RUN: polyir-cc --quiet --passes=poly-raise --remarks %s -o %t.c 2>&1 | filecheck %s
#include <stdio.h>
static double A[100];

// CHECK: detect_remarks.c:12:3: remark: loop left: a loop whose step does not add a constant to 'i'
// CHECK-NEXT: detect_remarks.c:14:7: remark: loop left: a while loop
// CHECK-NEXT: detect_remarks.c:18:{{[0-9]+}}: remark: loop left: other code or a directive is on the same lines
// CHECK-NOT: remark
void left(int n) {
  int k = n;
  for (int i = n; i > 1; i /= 2)
    for (int j = 0; j < i; j++)
      while (k > j) k -= 2;
  for (int i = 0; i < n; i++)
    A[i] = k;
}
void also_left(int n) { for (int i = 0; i < n; i++) A[i] = 0; }
