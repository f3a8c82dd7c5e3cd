// Vectors need no header, and no name of the file's macros.
// RUN: polyir-cc --passes="optimize{strategy=packed-blocks}" %s -o %t.c && grep -v CHECK %t.c | filecheck %s && gcc -nostdinc -O1 -march=x86-64-v4 -c -Wall -Werror -Wno-unknown-pragmas %t.c -o %t.o && gcc -nostdinc -O1 -c -Wall -Werror -Wno-unknown-pragmas %t.c -o %t.o
#define p (0)
#define mask (1)
#define alignment (2)
#define vector_size(bytes) (3)
#define aligned (4)
#define always_inline (5)
#define free(pointer) (6)
#define aligned_alloc(bytes) (7)
#define __W (8)

// CHECK: void *polyir_aligned_alloc(__SIZE_TYPE__ alignment_1, __SIZE_TYPE__ size) __asm__("aligned_alloc")
// CHECK: typedef double polyir_f64x{{[0-9]+}}_in_memory __attribute__((__vector_size__({{[0-9]+}}), __aligned__(8), __may_alias__));
// CHECK: polyir_masked_load_f64x[[LANES:[0-9]+]](double const *p_1, polyir_i64x[[LANES]] const *mask_at, polyir_f64x[[LANES]] const *b_at) {
// CHECK: #pragma GCC diagnostic ignored "-Warray-bounds"
// CHECK: A_packed_by_thread){{.*}} = polyir_aligned_alloc(
// CHECK: __builtin_free(A_packed_by_thread);
// CHECK: #pragma GCC diagnostic pop
void product(int n, double A[n][n], double B[n][n], double C[n][n]) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];
#pragma endscop
}
