// Included in front of a .cu file: its time is split into that of copies, of memory, and the rest.
// A copy begins when all kernels are done, so that the rest is the time of kernels, with their
// launches and the code of the host between them.
#pragma once
#include <chrono>
#include <cuda_runtime.h>

static double polyir_seconds_of_copies, polyir_seconds_of_memory;
static long long polyir_copied_bytes;

extern "C" __attribute__((visibility("default"))) inline void polyir_times(double *copies,
                                                                          double *memory,
                                                                          long long *bytes) {
  *copies = polyir_seconds_of_copies;
  *memory = polyir_seconds_of_memory;
  *bytes = polyir_copied_bytes;
  polyir_seconds_of_copies = polyir_seconds_of_memory = 0;
  polyir_copied_bytes = 0;
}

// It must be in the file, although nothing there calls it.
static void (*const polyir_keep)(double *, double *, long long *)
    __attribute__((used)) = polyir_times;

template <typename Call> static cudaError_t polyir_timed(double &seconds, Call call) {
  cudaDeviceSynchronize();
  const auto begin = std::chrono::steady_clock::now();
  const cudaError_t status = call();
  cudaDeviceSynchronize();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  seconds += passed.count();
  return status;
}

static inline cudaError_t polyir_timed_copy(void *target, const void *source, size_t size,
                                            cudaMemcpyKind kind) {
  polyir_copied_bytes += (long long)size;
  return polyir_timed(polyir_seconds_of_copies,
                      [=] { return cudaMemcpy(target, source, size, kind); });
}

static inline cudaError_t polyir_timed_allocation(void **memory, size_t size) {
  return polyir_timed(polyir_seconds_of_memory, [=] { return cudaMalloc(memory, size); });
}

static inline cudaError_t polyir_timed_free(void *memory) {
  return polyir_timed(polyir_seconds_of_memory, [=] { return cudaFree(memory); });
}

#define cudaMemcpy(target, source, size, kind) polyir_timed_copy(target, source, size, kind)
#define cudaMalloc(memory, size) polyir_timed_allocation((void **)(memory), size)
#define cudaFree(memory) polyir_timed_free(memory)
