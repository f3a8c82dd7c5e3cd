// What this machine can do: prints `peak TYPE GFLOP/s` and `copy BYTES GB/s` lines.
// Usage: machine SECONDS, with OMP_NUM_THREADS threads; each line takes SECONDS or a bit more.
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

// As many independent chains as hide the latency of an FMA (4 cycles, 2 units) and fit registers.
#define CHAINS 12
#define STEPS 100000

// Runs STEPS multiply-adds in each chain; `scale` and `shift` are not known to the compiler.
#define DEFINE_CHAINS(TYPE)                                                                    \
  typedef TYPE TYPE##_vector __attribute__((vector_size(VECTOR_BYTES)));                       \
  static __attribute__((noinline)) TYPE TYPE##_chains(TYPE scale, TYPE shift) {                \
    TYPE##_vector sums[CHAINS], scales = {0}, shifts = {0};                                    \
    scales += scale;                                                                           \
    shifts += shift;                                                                           \
    for (int chain = 0; chain < CHAINS; chain++) sums[chain] = shifts * (TYPE)chain;           \
    for (int step = 0; step < STEPS; step++)                                                   \
      _Pragma("GCC unroll 12") for (int chain = 0; chain < CHAINS; chain++) sums[chain] =      \
          sums[chain] * scales + shifts;                                                       \
    /* Without this the function is pure, and calls with equal arguments become one. */        \
    __asm__ volatile("" : : : "memory");                                                       \
    TYPE##_vector total = {0};                                                                 \
    for (int chain = 0; chain < CHAINS; chain++) total += sums[chain];                         \
    TYPE result = 0;                                                                           \
    for (unsigned lane = 0; lane < VECTOR_BYTES / sizeof(TYPE); lane++) result += total[lane]; \
    return result;                                                                             \
  }

DEFINE_CHAINS(double)
DEFINE_CHAINS(float)

// The best rate of all threads together in rounds that take `seconds` in total.
#define DEFINE_PEAK(TYPE)                                                                    \
  static void TYPE##_peak(double seconds, volatile double *sink) {                           \
    double flops = 2.0 * CHAINS * STEPS * (VECTOR_BYTES / sizeof(TYPE)) * 10;                \
    double best = 0, end = omp_get_wtime() + seconds;                                        \
    TYPE scale = (TYPE)(0.999 + *sink), shift = (TYPE)(0.001 + *sink);                       \
    do {                                                                                     \
      double start = omp_get_wtime(), sum = 0;                                               \
      _Pragma("omp parallel reduction(+ : sum)") for (int repeat = 0; repeat < 10; repeat++) \
          sum += TYPE##_chains(scale, shift);                                                \
      double rate = flops * omp_get_max_threads() / (omp_get_wtime() - start);               \
      if (rate > best) best = rate;                                                          \
      *sink = sum * 0;                                                                       \
    } while (omp_get_wtime() < end);                                                         \
    printf("peak " #TYPE " %.3f\n", best / 1e9);                                             \
  }

DEFINE_PEAK(double)
DEFINE_PEAK(float)

// Each thread copies its part of `bytes` (sources and destinations together), again and again.
static void copy(int64_t bytes, double seconds) {
  int64_t part = bytes / 2 / omp_get_max_threads();
  int64_t repeats = part > (1 << 26) ? 1 : (1 << 26) / part;
  double best = 0, end = omp_get_wtime() + seconds;
#pragma omp parallel
  {
    char *from = aligned_alloc(4096, (part + 4095) / 4096 * 4096);
    char *to = aligned_alloc(4096, (part + 4095) / 4096 * 4096);
    if (from == NULL || to == NULL) abort();
    memset(from, 1, part);
    memset(to, 2, part);
    int go = 1;
    while (go) {
#pragma omp barrier
      double start = omp_get_wtime();
      for (int64_t repeat = 0; repeat < repeats; repeat++) {
        memcpy(to, from, part);
        __asm__ volatile("" : : "r"(to), "r"(from) : "memory");
      }
#pragma omp barrier
#pragma omp single
      {
        double rate = 2.0 * part * repeats * omp_get_num_threads() / (omp_get_wtime() - start);
        if (rate > best) best = rate;
        if (omp_get_wtime() >= end) end = 0;
      }
      go = end > 0;
    }
    free(from);
    free(to);
  }
  printf("copy %lld %.3f\n", (long long)bytes, best / 1e9);
}

int main(int count, char **arguments) {
  double seconds = count > 1 ? atof(arguments[1]) : 0.2;
  volatile double sink = 0;
  double_peak(seconds, &sink);
  float_peak(seconds, &sink);
  for (int64_t bytes = 1 << 15; bytes <= 1 << 29; bytes *= 4) copy(bytes, seconds);
  return 0;
}
