// Stands in for CUDA's runtime where there is no GPU: memory is the host's, kernels do not run, and
// call number `stub_fails_at` that can fail does. `stub_log` says what was called.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  unsigned x, y, z;
} Size;

int stub_fails_at = -1, stub_calls, stub_live;
char stub_log[4096];
static int last_error;
static Size grid_size, block_size;

void stub_reset(int fails_at) {
  stub_fails_at = fails_at;
  stub_calls = stub_live = last_error = 0;
  stub_log[0] = 0;
}

static void note(const char *what) {
  strncat(stub_log, what, sizeof(stub_log) - strlen(stub_log) - 1);
}

static int status(void) { return stub_calls++ == stub_fails_at ? 2 : 0; }

int cudaMalloc(void **memory, size_t size) {
  note("malloc ");
  const int failed = status();
  if (!failed) {
    *memory = malloc(size ? size : 1);
    stub_live++;
  }
  return failed;
}

int cudaFree(void *memory) {
  note("free ");
  stub_live -= memory != NULL;
  free(memory);
  return 0;
}

int cudaMemcpy(void *target, const void *source, size_t size, int kind) {
  note(kind == 1 ? "in " : kind == 2 ? "out " : "copy ");
  const int failed = status();
  if (!failed)
    memcpy(target, source, size);
  return failed;
}

int cudaDeviceSynchronize(void) {
  note("wait ");
  return status();
}

int cudaFuncSetAttribute(const void *kernel, int attribute, int value) {
  (void)kernel;
  char text[100];
  snprintf(text, sizeof(text), "attribute(%d,%d) ", attribute, value);
  note(text);
  return status();
}

int cudaGetLastError(void) {
  const int error = last_error;
  last_error = 0;
  return error;
}

const char *cudaGetErrorString(int error) { return error == 2 ? "planned failure" : "another"; }

// What the code that nvcc makes of kernels and launches calls.
int __cudaPushCallConfiguration(Size grid, Size block, size_t memory, void *stream) {
  (void)memory, (void)stream;
  grid_size = grid, block_size = block;
  return 0;
}

int __cudaPopCallConfiguration(Size *grid, Size *block, size_t *memory, void *stream) {
  *grid = grid_size, *block = block_size, *memory = 0;
  *(void **)stream = NULL;
  return 0;
}

int cudaLaunchKernel(const void *kernel, Size grid, Size block, void **arguments, size_t memory,
                     void *stream) {
  (void)kernel, (void)arguments, (void)memory, (void)stream;
  char text[100];
  snprintf(text, sizeof(text), "launch(%u,%u,%u;%u,%u,%u) ", grid.x, grid.y, grid.z, block.x,
           block.y, block.z);
  note(text);
  return last_error = status();
}

int __cudaLaunchKernel(const void *kernel, Size grid, Size block, void **arguments, size_t memory,
                       void *stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, memory, stream);
}

int __cudaGetKernel(const void **kernel, const void *function) {
  *kernel = function;
  return 0;
}

void **__cudaRegisterFatBinary(void *binary) {
  (void)binary;
  static void *handle;
  return &handle;
}

void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }
void __cudaUnregisterFatBinary(void **handle) { (void)handle; }
void __cudaRegisterFunction(void) {}
char __cudaInitModule(void **handle) { return handle != NULL; }

// What measuring a device needs: time passes, a microsecond from one event to the next.
static long events;

int cudaEventCreate(void **event) {
  *event = malloc(sizeof(long));
  return 0;
}

int cudaEventDestroy(void *event) {
  free(event);
  return 0;
}

int cudaEventRecord(void *event, void *stream) {
  (void)stream;
  *(long *)event = events++;
  return 0;
}

int cudaEventSynchronize(void *event) {
  (void)event;
  return 0;
}

int cudaEventElapsedTime(float *milliseconds, void *begin, void *end) {
  *milliseconds = 1e-3f * (float)(*(long *)end - *(long *)begin);
  return 0;
}

int cudaMemset(void *memory, int value, size_t size) {
  memset(memory, value, size);
  return 0;
}

int cudaMemcpyAsync(void *target, const void *source, size_t size, int kind, void *stream) {
  (void)stream;
  return cudaMemcpy(target, source, size, kind);
}

// The structure is larger, and begins with the name.
int cudaGetDeviceProperties(char *properties, int device) {
  (void)device;
  strcpy(properties, "a stub");
  return 0;
}
