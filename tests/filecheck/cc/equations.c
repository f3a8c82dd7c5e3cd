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
// CHECK: s[{{.*}}] = (long)((unsigned long)s[{{.*}}] + s_out{{.*}});
