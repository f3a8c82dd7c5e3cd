/* What the kernels share: memory, initial data, a hash of the results, and the time of the kernel.

   The data is not PolyBench's own, which is a fixed point of heat-3d and nearly one of seidel-2d.
   With -DSUITE_TIME a program prints the kernel's seconds on standard error. */
#ifndef SUITE_H
#define SUITE_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef SUITE_TIME
#include <sys/time.h>
#endif

#if defined __GNUC__
#define SUITE_UNUSED __attribute__((unused))
#else
#define SUITE_UNUSED
#endif

static SUITE_UNUSED void *allocate(size_t count, size_t size)
{
  void *memory = malloc(count * size);
  if (memory == NULL) {
    fprintf(stderr, "out of memory\n");
    exit(1);
  }
  return memory;
}

static SUITE_UNUSED unsigned next_random(unsigned *state)
{
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

/* Between -1 and 1. */
static SUITE_UNUSED double next_uniform(unsigned *state)
{
  return next_random(state) / 8388608.0 - 1.0;
}

static SUITE_UNUSED void fill_uniform(double *a, size_t count, unsigned seed)
{
  for (size_t i = 0; i < count; i++)
    a[i] = next_uniform(&seed);
}

static SUITE_UNUSED void fill_single(float *a, size_t count, unsigned seed)
{
  for (size_t i = 0; i < count; i++)
    a[i] = (float)next_uniform(&seed);
}

/* Speeds at which the explicit wave equation is stable. */
static SUITE_UNUSED void fill_speeds(double *a, size_t count, unsigned seed)
{
  for (size_t i = 0; i < count; i++)
    a[i] = 0.01 + 0.002 * next_uniform(&seed);
}

/* Populations of a gas whose density is near 1. */
static SUITE_UNUSED void fill_populations(double *a, size_t count, unsigned seed)
{
  for (size_t i = 0; i < count; i++)
    a[i] = 0.1 + 0.02 * next_uniform(&seed);
}

/* A symmetric matrix that the diagonal dominates. */
static SUITE_UNUSED void fill_definite(double *a, size_t n, unsigned seed)
{
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < i; j++)
      a[i * n + j] = a[j * n + i] = next_uniform(&seed) / n;
    a[i * n + i] = 2.0 + next_uniform(&seed) / 2;
  }
}

/* A matrix that the diagonal dominates. */
static SUITE_UNUSED void fill_dominant(double *a, size_t n, unsigned seed)
{
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      a[i * n + j] = i == j ? 2.0 + next_uniform(&seed) / 2 : next_uniform(&seed) / n;
}

static SUITE_UNUSED void fill_dominant_single(float *a, size_t n, unsigned seed)
{
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      a[i * n + j] = (float)(i == j ? 2.0 + next_uniform(&seed) / 2 : next_uniform(&seed) / n);
}

/* Every fifth column deviates by less than the 0.1 that correlation accepts. */
static SUITE_UNUSED void fill_spread(double *a, size_t n, size_t m, unsigned seed)
{
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < m; j++)
      a[i * m + j] = next_uniform(&seed) * (j % 5 == 3 ? 0.05 : 1.0);
}

/* So small that the Toeplitz matrix with ones on its diagonal is definite. */
static SUITE_UNUSED void fill_autocorrelation(double *a, size_t count, unsigned seed)
{
  for (size_t i = 0; i < count; i++)
    a[i] = next_uniform(&seed) / (2.0 * count);
}

static SUITE_UNUSED void fill_lengths(int *a, size_t count, unsigned seed)
{
  for (size_t i = 0; i < count; i++)
    a[i] = (int)(next_random(&seed) % 999) + 1;
}

static SUITE_UNUSED void fill_bases(char *a, size_t count, unsigned seed)
{
  for (size_t i = 0; i < count; i++)
    a[i] = (char)(next_random(&seed) % 4);
}

/* Below zero, where no score of an alignment is. */
static SUITE_UNUSED void fill_penalties(int *a, size_t count, unsigned seed)
{
  for (size_t i = 0; i < count; i++)
    a[i] = -1 - (int)(next_random(&seed) % 100);
}

/* Zeros with a few ones. */
static SUITE_UNUSED void fill_ones(int *a, size_t count, unsigned seed)
{
  for (size_t i = 0; i < count; i++)
    a[i] = next_random(&seed) % 20 == 0;
}

/* A hash of all bits of an array. */
static SUITE_UNUSED void report(const char *name, const void *memory, size_t size)
{
  const unsigned char *bytes = memory;
  unsigned long long hash = 14695981039346656037ull;
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ bytes[i]) * 1099511628211ull;
  printf("%s %016llx\n", name, hash);
}

#ifdef SUITE_TIME
static double suite_start;

static double seconds(void)
{
  struct timeval now;
  gettimeofday(&now, NULL);
  return (double)now.tv_sec + 1e-6 * (double)now.tv_usec;
}

static void start_clock(void)
{
  suite_start = seconds();
}

static void stop_clock(void)
{
  fprintf(stderr, "%.6f\n", seconds() - suite_start);
}
#else
#define start_clock() ((void)0)
#define stop_clock() ((void)0)
#endif

#endif
