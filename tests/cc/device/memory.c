#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// Memory that ends where no more can be accessed.
static double *guarded(long count) {
  long page = sysconf(_SC_PAGESIZE), bytes = count * (long)sizeof(double);
  long size = (bytes + page - 1) / page * page;
  char *memory = mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(memory + size, page, PROT_NONE);
  return (double *)(memory + size - bytes);
}

// Rows of `n` elements that become shorter: of the last one, only the first element is there.
static void product(int n, double *C, const double *A, const double (*B)[n]) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n - i; j++) {
      C[i * n + j] = 0.5;
      for (int k = 0; k < n - i; k++)
        C[i * n + j] += A[i * n + k] * B[k][j];
    }
#pragma endscop
}

// Two pointers to one array, as `restrict` allows: they access different elements of it.
static void interleaved(int n, double *restrict even, double *restrict odd) {
#pragma scop
  for (int i = 0; i < n; i++) {
    even[2 * i] = odd[2 * i] + 1.0;
    odd[2 * i + 2] = 0.25 * i;
  }
#pragma endscop
}

// The first part of one array, from the second one.
static void halves(int n, double *a, double *b) {
#pragma scop
  for (int i = n; i < 2 * n; i++)
    a[i] = a[i] + b[i - n];
#pragma endscop
}

// From a place inside an array downward.
static void backward(int n, double *end) {
#pragma scop
  for (int i = 0; i < n; i++)
    end[i - n] = end[i - n] * 2.0;
#pragma endscop
}

struct vector {
  int size;
  double *data;
};

// Without elements, there is no memory.
static double total(struct vector *v, int n) {
  double sum = 1.0;
#pragma scop
  for (int i = 0; i < n; i++)
    v->data[i] *= 3.0;
#pragma endscop
  for (int i = 0; i < n; i++)
    sum += v->data[i];
  return sum;
}

static float table[40][30];

static void fill(void) {
#pragma scop
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 30; j++)
      table[i][j] = (float)i / (j + 1);
#pragma endscop
}

static void show(const char *name, const double *a, int n) {
  printf("%s", name);
  for (int i = 0; i < n; i++)
    printf(" %.17g", a[i]);
  printf("\n");
}

int main(void) {
  int n = 9, used = (n - 1) * n + 1;
  double *C = guarded(used), *A = guarded(used), *B = guarded(n * n);
  for (int i = 0; i < used; i++)
    C[i] = -i, A[i] = 1.0 / (i + 1);
  for (int i = 0; i < n * n; i++)
    B[i] = i * 0.1;
  product(n, C, A, (const double (*)[n])B);
  show("product", C, used);
  product(0, NULL, NULL, NULL);
  double *both = guarded(42);
  for (int i = 0; i < 42; i++)
    both[i] = i;
  interleaved(20, both, both + 1);
  show("interleaved", both, 42);
  halves(10, both + 2, both + 2);
  halves(10, both, both + 21);
  show("halves", both, 42);
  backward(30, both + 42);
  show("backward", both, 42);
  struct vector v = {42, both};
  printf("%.17g %.17g\n", total(&v, 42), total(NULL, 0));
  fill();
  printf("%.9g %.9g\n", table[39][0], table[17][29]);
  return 0;
}
