// RUN: polyir-cc --scop-to-equations --simplify-reductions --equations-to-scop --pluto-schedule --allocate-memory %s | filecheck %s

// The loops are linear, and what is around them stays.
void prefix_sums(int n, long s[n], long a[n]) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      s[i] += a[j];
#pragma endscop
}

// CHECK: void prefix_sums(int n, long s[n], long a[n]) {
// CHECK: long s_out_sum = 0;
// CHECK: for (long i = 1; i < n; i++) {
// CHECK-NEXT: s_out_sum = (long)((unsigned long)s_out_sum + a[i]);
// CHECK-NEXT: s[i] = (long)((unsigned long)s[i] + s_out_sum);
// CHECK-NEXT: }
// CHECK-NEXT: } else {
// CHECK-NEXT: for (int i = 0; i < n; i++)
// CHECK-NEXT: for (int j = 0; j <= i; j++)
