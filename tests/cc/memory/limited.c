// Instead of the library's functions (--wrap): each fails if LIMIT is set and smaller than what is
// asked for. At the end, the most that was asked for at once is told.
#include <stdio.h>
#include <stdlib.h>

void *__real_malloc(size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
static size_t largest;

static int fails(size_t size) {
  const char *limit = getenv("LIMIT");
  if (size > largest)
    largest = size;
  return limit && size > (size_t)atol(limit);
}

void *__wrap_malloc(size_t size) { return fails(size) ? NULL : __real_malloc(size); }

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return fails(size) ? NULL : __real_aligned_alloc(alignment, size);
}

__attribute__((destructor)) static void tell(void) { fprintf(stderr, "%zu\n", largest); }
