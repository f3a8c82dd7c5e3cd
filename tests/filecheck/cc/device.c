// RUN: not polyir-cc --target=opencl %s -o %t.c
// RUN: grep -v CHECK %t.c | grep -v '^// ' | filecheck %s
// RUN: filecheck %s --input-file %t_kernels.c --check-prefix KERNELS
// RUN: not polyir-cc --target=cuda --strict %s -o %t.c 2>&1 | filecheck %s --check-prefix LEFT
// RUN: not polyir-cc --target=cuda %s 2>&1 | filecheck %s --check-prefix OUTPUT

struct point {
  double x, y;
};

__attribute__((const)) double scaled(double);

// CHECK:      void gpu_device_0(double, double *);
// CHECK:      int polyir_opencl_error(void);
// CHECK:      static void all(double x) {
// CHECK-NEXT:   gpu_device_0(x, (double *)&table[0][0]);
// CHECK-NEXT:   if (polyir_opencl_error()) __builtin_abort();
// CHECK-NEXT: }
// KERNELS: void gpu_device_0(double x, double table[restrict 20][30]) {
// KERNELS: polyir_copy_to_device(table_dev, table, sizeof(double) * 20 * 30);
static double table[20][30];

static void all(double x) {
#pragma scop
  for (int i = 0; i < 20; i++)
    for (int j = 0; j < 30; j++)
      table[i][j] += x;
#pragma endscop
}

// The copied elements must not overlap, although `restrict` says that the accessed ones do not.
// CHECK:      void part(int n, int m, const float *restrict a, float (*restrict b)[m]) {
// CHECK-NEXT:   if (n >= 1 && m >= 1 &&
// KERNELS: void gpu_device_1(
// KERNELS: polyir_copy_to_device(a_dev, a, sizeof(float) * a_count);
// KERNELS: polyir_copy_to_device(b_dev, b_data, sizeof(float) * b_count);
// KERNELS: polyir_copy_to_host(b_data, b_dev, sizeof(float) * b_count);
// KERNELS-NOT: polyir_copy_to_host(a
void part(int n, int m, const float *restrict a, float (*restrict b)[m]) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      b[i][j] = a[i + j];
#pragma endscop
}

// LEFT: error: region not transformed: 'p[].x' is not contiguous in memory
void members(struct point *p) {
#pragma scop
  for (int i = 0; i < 20; i++)
    p[i].x = 0;
#pragma endscop
}

// LEFT: error: region not transformed: which elements of 'a[]' the region accesses is not known before it
void indirect(double *a, int index[50]) {
#pragma scop
  for (int i = 0; i < 20; i++)
    a[index[i]] = 0;
#pragma endscop
}

// LEFT: error: region not transformed: function 'scaled' cannot be called in a kernel
void calls(void) {
#pragma scop
  for (int i = 0; i < 20; i++)
    table[0][i] = scaled(i);
#pragma endscop
}

// OUTPUT: error: --target writes two files, and needs -o for their names
