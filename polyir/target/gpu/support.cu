// The first error since polyir_cuda_error was called, in this thread. All files share it.
__attribute__((weak)) __thread cudaError_t polyir_status;

// The code of the first error since the last call of this function; 0 if there was none.
// Until it is called after an error, nothing more is done on the device.
extern "C" __attribute__((weak)) int polyir_cuda_error(void) {
  const cudaError_t status = polyir_status;
  polyir_status = cudaSuccess;
  return status;
}

static inline void polyir_check(cudaError_t status, const char *what) {
  if (status != cudaSuccess && polyir_status == cudaSuccess) {
    polyir_status = status;
    fprintf(stderr, "polyir: CUDA error: %s (%s)\n", cudaGetErrorString(status), what);
  }
}

static inline void *polyir_allocate(const char *name, size_t size) {
  void *memory = NULL;
  if (polyir_status == cudaSuccess)
    polyir_check(cudaMalloc(&memory, size), name);
  return memory;
}

static inline void polyir_free(void *memory) {
  polyir_check(cudaFree(memory), "cudaFree");
}

static inline void polyir_copy(void *target, const void *source, size_t size, cudaMemcpyKind kind) {
  if (polyir_status == cudaSuccess)
    polyir_check(cudaMemcpy(target, source, size, kind), "cudaMemcpy");
}

static inline void polyir_copy_to_device(void *target, const void *source, size_t size) {
  polyir_copy(target, source, size, cudaMemcpyHostToDevice);
}

static inline void polyir_copy_to_host(void *target, const void *source, size_t size) {
  polyir_copy(target, source, size, cudaMemcpyDeviceToHost);
}

static inline void polyir_copy_on_device(void *target, const void *source, size_t size) {
  polyir_copy(target, source, size, cudaMemcpyDeviceToDevice);
}

// Whether to launch a kernel: not after an error, and not without blocks.
static inline bool polyir_may_launch(int64_t x, int64_t y, int64_t z) {
  const bool fits = x <= INT32_MAX && y <= INT32_MAX && z <= INT32_MAX;
  const bool has_blocks = x > 0 && y > 0 && z > 0;
  if (has_blocks && !fits)
    polyir_check(cudaErrorInvalidConfiguration, "the number of blocks");
  return polyir_status == cudaSuccess && has_blocks && fits;
}

// Waits for the kernels of a function.
static inline void polyir_finish(const char *function) {
  if (polyir_status == cudaSuccess)
    polyir_check(cudaDeviceSynchronize(), function);
}
