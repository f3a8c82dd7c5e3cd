// With --remarks, each loop that is left has a reason.
// RUN: polyir-cc --quiet --passes=poly-raise --remarks %s -o %t.c 2>&1 | filecheck %s
#include <stdio.h>
static double A[100];

// CHECK: detect_remarks.c:13:3: remark: loop left: a loop whose step does not add a constant to 'i'
// CHECK-NEXT: detect_remarks.c:15:7: remark: loop left: a while loop
// CHECK-NEXT: detect_remarks.c:19:25: remark: loop left: a loop whose step does not add a constant to 'i'
// CHECK-NEXT: detect_remarks.c:20:3: remark: loop left: other code or a directive is on the same lines
// CHECK-NOT: : remark:
void left(int n) {
  int k = n;
  for (int i = n; i > 1; i /= 2)
    for (int j = 0; j < i; j++)
      while (k > j) k -= 2;
  for (int i = 0; i < n; i++)
    A[i] = k;
}
void also_left(int n) { for (int i = n; i > 1; i /= 2) A[i] = 0;
  for (int i = 0; i < n; i++)
#if 1
    A[i] = 1;
#endif
}
