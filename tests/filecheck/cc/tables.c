// Narrow integers, and masks, say which elements of a table may be read.
// RUN: polyir-cc --mark-parallel %s | grep -v CHECK | filecheck %s

// CHECK-LABEL: void gamma(
// CHECK: polyir_disjoint(&table[0], &table[255] + 1, &out[0], &out[(long)n - 1] + 1)
// CHECK: #pragma omp parallel for
void gamma(const unsigned char *in, const unsigned char *table, unsigned char *out, int n) {
  for (int i = 0; i < n; i++)
    out[i] = table[in[i]];
}

// CHECK-LABEL: void colours(
// CHECK: polyir_disjoint(&palette[-128], &palette[127] + 1, &out[0],
// CHECK: polyir_disjoint(&few[0], &few[15] + 1, &out[0],
// CHECK: #pragma omp parallel for
void colours(const signed char *in, const long *restrict kinds, const float *palette,
             const float *few, float *out, int n) {
  for (int i = 0; i < n; i++)
    out[i] = palette[in[i]] + few[kinds[i] & 15];
}

// Any integer might be anywhere: the subscripts are computed before.
// CHECK-LABEL: void gather(
// CHECK: gather_1_subscripts(where, n, &in_first, &in_last);
// CHECK: polyir_disjoint(&in[in_first], &in[in_last] + 1, &out[0], &out[(long)n - 1] + 1)
// CHECK: #pragma omp parallel for
void gather(const float *in, const int *where, float *out, int n) {
  for (int i = 0; i < n; i++)
    out[i] = in[where[i]];
}
