// Measures what a processor does in a cycle, and what its memory does.
//
// Arguments: bytes of a vector, then the bytes of each cache. Printed are lines `name value`, as the
// fields of `polyir.choose.machine.Machine` are named, and `cache LEVEL bytes-a-cycle`.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef VECTOR_BYTES
#define VECTOR_BYTES 32
#endif

#if defined(__x86_64__)
#define IN_REGISTER(v) __asm__ volatile("" : "+x"(v))
#else
#define IN_REGISTER(v) __asm__ volatile("" : "+w"(v))
#endif

typedef double vector __attribute__((vector_size(VECTOR_BYTES)));
typedef double half __attribute__((vector_size(16)));

enum { COUNT = 200000, TRIES = 25 };

static double cycle;  // seconds

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

// The shortest time of some tries: others disturb the longer ones.
#define SHORTEST(result, ...)               \
  do {                                      \
    double shortest = 1e9;                  \
    for (int try = 0; try < TRIES; try++) { \
      double start = now();                 \
      __VA_ARGS__;                          \
      double time = now() - start;          \
      if (time < shortest)                  \
        shortest = time;                    \
    }                                       \
    (result) = shortest;                    \
  } while (0)

// Cycles of one operation of a chain in which each waits for the one before.
#define LATENCY(name, operation)            \
  do {                                      \
    double time, z = 1.0;                   \
    SHORTEST(time, for (int i = 0; i < COUNT; i++) { \
      operation;                            \
      IN_REGISTER(z);                       \
    });                                     \
    printf(name " %g\n", time / COUNT / cycle); \
  } while (0)

// Seconds of eight independent operations on values of a type.
#define EIGHT(result, type, operation)      \
  do {                                      \
    type a[8], b = {0};                     \
    b = b + 1.0;                            \
    for (int k = 0; k < 8; k++)             \
      a[k] = b + k;                         \
    SHORTEST(result, for (int i = 0; i < COUNT; i++) { \
      _Pragma("GCC unroll 8") for (int k = 0; k < 8; k++) { \
        type z = a[k];                      \
        operation;                          \
        IN_REGISTER(z);                     \
        a[k] = z;                           \
      }                                     \
    });                                     \
    for (int k = 0; k < 8; k++)             \
      IN_REGISTER(a[k]);                    \
    (result) /= COUNT;                      \
  } while (0)

static double find_cycle(void) {
  double time;
  unsigned long x = 1;
  SHORTEST(time, for (int i = 0; i < 10 * COUNT; i++) {
    x++;
    __asm__ volatile("" : "+r"(x));
  });
  return time / (10 * COUNT);
}

__attribute__((noinline)) static void read_all(const vector *a, long count) {
  vector sum[8] = {0};
  for (long i = 0; i < count; i += 8)
    _Pragma("GCC unroll 8") for (int k = 0; k < 8; k++)
      sum[k] += a[i + k];
  for (int k = 0; k < 8; k++)
    IN_REGISTER(sum[k]);
}

static void read_by_all(char *all, long bytes, int threads) {
#pragma omp parallel num_threads(threads)
  read_all((vector *)(all + bytes * omp_get_thread_num()), bytes / VECTOR_BYTES);
}

__attribute__((noinline)) static void update_all(vector *a, long count) {
  for (long i = 0; i < count; i += 4)
    _Pragma("GCC unroll 4") for (int k = 0; k < 4; k++)
      a[i + k] = a[i + k] + 1.0;
}

__attribute__((noinline)) static void write_all(vector *a, long count) {
  const vector one = {1.0};
  for (long i = 0; i < count; i += 4)
    _Pragma("GCC unroll 4") for (int k = 0; k < 4; k++)
      a[i + k] = one;
}

// Bytes a cycle of a function that goes through memory.
#define RATE(result, call, bytes)                          \
  do {                                                     \
    double time;                                           \
    long times = (1L << 24) / (bytes) + 1;                 \
    SHORTEST(time, for (long n = 0; n < times; n++) {      \
      __asm__ volatile("" : : : "memory");                 \
      call;                                                \
    });                                                    \
    (result) = (bytes) / (time / times) * cycle;           \
  } while (0)

static void measure_arithmetic(void) {
  const volatile double one = 1.0;
  LATENCY("add_latency", z = z + one);
  LATENCY("multiply_latency", z = z * one);
  LATENCY("division_latency", z = one / z);
  double time, narrow;
  EIGHT(time, vector, z = z * b + b);
  printf("vector_fma %g\n", 8 * cycle / time);
  EIGHT(time, double, z = b / z);
  EIGHT(narrow, half, z = b / z);
  double cycles = narrow / 8 / cycle;
  int bits = 128;
#if VECTOR_BYTES >= 32
  typedef double two __attribute__((vector_size(32)));
  double wide;
  EIGHT(wide, two, z = b / z);
  if (wide < 1.5 * narrow) {
    bits = 256;
    cycles = wide / 8 / cycle;
  }
#endif
  printf("division_cycles %g\ndivision_bits %d\n", cycles, bits);
  EIGHT(time, double, z = __builtin_sqrt(z));
  printf("root_cycles %g\n", time / 8 / cycle);
  EIGHT(time, double, z = exp(z * 1e-3));
  printf("function_cycles %g\n", time / 8 / cycle);
  const volatile long number = 1000003;
  long quotient = 1L << 40;
  const long divisor = number;
  SHORTEST(time, for (int i = 0; i < COUNT; i++) {
    quotient = (quotient | 1L << 40) % divisor;
    __asm__ volatile("" : "+r"(quotient));
  });
  printf("integer_division_cycles %g\n", time / COUNT / cycle);
}

static void measure_caches(int levels, char **sizes) {
  double rate, updates;
  long first = atol(sizes[0]) / 2;
  vector *a = aligned_alloc(64, first);
  memset(a, 0, first);
  RATE(rate, read_all(a, first / VECTOR_BYTES), first);
  printf("vector_loads %g\ncache 0 %g\n", rate / VECTOR_BYTES, rate);
  RATE(rate, write_all(a, first / VECTOR_BYTES), first);
  printf("vector_stores %g\n", rate / VECTOR_BYTES);
  free(a);
  for (int level = 1; level < levels; level++) {
    // More than the level before has, and not all of this one, which others may use, too.
    long bytes = 3 * atol(sizes[level - 1]);
    if (bytes > atol(sizes[level]) / 2)
      bytes = atol(sizes[level]) / 2;
    bytes = bytes / 4096 * 4096;
    a = aligned_alloc(4096, bytes);
    memset(a, 0, bytes);
    RATE(rate, read_all(a, bytes / VECTOR_BYTES), bytes);
    printf("cache %d %g\n", level, rate);
    if (level == 1) {
      RATE(updates, update_all(a, bytes / VECTOR_BYTES), bytes);
      double more = rate / updates - 1;
      printf("write_back %g\n", more > 0.05 ? more : 0.05);
    }
    free(a);
  }
  long bytes = 4 * atol(sizes[levels - 1]);
  if (bytes > 1L << 28)
    bytes = 1L << 28;
  if (bytes < 1L << 26)
    bytes = 1L << 26;
  int threads = omp_get_max_threads();
  char *all = aligned_alloc(4096, bytes * threads);
#pragma omp parallel num_threads(threads)
  memset(all + bytes * omp_get_thread_num(), 0, bytes);
  double time;
  SHORTEST(time, read_all((vector *)all, bytes / VECTOR_BYTES));
  printf("memory_bandwidth %g\n", bytes / time * cycle);
  SHORTEST(time, read_by_all(all, bytes, threads));
  printf("memory_bandwidth_all %g\n", bytes * threads / time * cycle);
  free(all);
}

static int compare(const void *one, const void *other) {
  double difference = *(const double *)one - *(const double *)other;
  return (difference > 0) - (difference < 0);
}

// The cycles of regions after pauses of so many seconds, of the one of the middle.
static double region_after(double pause) {
  enum { REGIONS = 51 };
  double times[REGIONS];
  static volatile int sink[2];
  for (int n = 0; n < REGIONS; n++) {
    for (double start = now(); now() - start < pause;)
      ;
    double start = now();
#pragma omp parallel
    sink[n % 2] = n;
    times[n] = now() - start;
  }
  qsort(times, REGIONS, sizeof(double), compare);
  return times[REGIONS / 2] / cycle;
}

static void measure_threads(void) {
  region_after(0);
  double awake = region_after(2e-6), asleep = region_after(2e-2);
  printf("region_cycles %g\nwake_cycles %g\n", awake, asleep > awake ? asleep - awake : 1.0);
}

int main(int count, char **arguments) {
  cycle = find_cycle();
  printf("gigahertz %g\n", 1e-9 / cycle);
  measure_arithmetic();
  if (count > 1)
    measure_caches(count - 1, arguments + 1);
  if (omp_get_max_threads() > 1)
    measure_threads();
  return 0;
}
