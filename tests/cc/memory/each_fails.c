// Each kernel that is named is run again and again; each time another one of its allocations fails
// (--wrap). It must give what the original gives. How many allocations it makes is printed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 40
#define LINKS 120

void *__real_malloc(size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
static int made, failing;

static int fails(void) {
  int number;
#pragma omp atomic capture
  number = ++made;
  return number == failing;
}

void *__wrap_malloc(size_t size) { return fails() ? NULL : __real_malloc(size); }

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

static int rows[N + 1], left[LINKS], right[LINKS];
static double a[LINKS], b[N], arrays[2][3][N];

#define KERNELS(suffix) \
  void moldyn##suffix(int, int, int, const int *, const int *, double *, double *, double *); \
  void spmv##suffix(int, const int *, const int *, const double *, const double *, double *); \
  void update##suffix(int, const int *, const int *, const double *, double *); \
  void pagerank##suffix(int, int, double, double, const int *, const int *, const double *, \
                        double *, double *); \
  static void run##suffix(const char *name, double (*to)[N]) { \
    if (!strcmp(name, "moldyn")) \
      moldyn##suffix(3, N, LINKS, left, right, to[0], to[1], to[2]); \
    else if (!strcmp(name, "spmv")) \
      spmv##suffix(N, rows, left, a, b, to[0]); \
    else if (!strcmp(name, "update")) \
      update##suffix(N, left, right, b, to[0]); \
    else \
      pagerank##suffix(3, N, 1.0, 0.5, rows, left, b, to[0], to[1]); \
  }
KERNELS()
KERNELS(_original)

static void fill(double (*to)[N]) {
  for (int i = 0; i < 3 * N; i++)
    to[i / N][i % N] = i * 5 % 17;
}

int main(int count, char **names) {
  for (int i = 0; i < LINKS; i++) {
    rows[i / 3 + 1] = i + 1;
    left[i] = i * 7 % N;
    right[i] = (i * 11 + 5) % N;
    a[i] = i % 5;
    b[i % N] = i % 3;
  }
  for (int kernel = 1; kernel < count; kernel++) {
    fill(arrays[0]);
    run_original(names[kernel], arrays[0]);
    failing = 0;
    do {
      failing++;
      made = 0;
      fill(arrays[1]);
      run(names[kernel], arrays[1]);
      if (memcmp(arrays[0], arrays[1], sizeof arrays[0])) {
        printf("%s differs where allocation %d fails\n", names[kernel], failing);
        return 1;
      }
    } while (failing <= made);
    printf("%s %d\n", names[kernel], made);
  }
  return 0;
}
