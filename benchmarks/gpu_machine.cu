// What a GPU can do at most: copies on it, copies to it and back, multiply-adds; and cuBLAS's product
// of matrices, if it is compiled with -DWITH_CUBLAS and linked with -lcublas.
#include <cuda_runtime.h>
#include <stdio.h>
#ifdef WITH_CUBLAS
#include <cublas_v2.h>
#endif

static bool failed(cudaError_t status, const char *what) {
  if (status != cudaSuccess)
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  return status != cudaSuccess;
}

// The best of several times, in seconds, of what `call` starts on the device; 0 after an error.
template <typename Call> static double best_of(int repetitions, Call call) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  double best = 0;
  for (int i = 0; i <= repetitions; i++) {
    cudaEventRecord(begin);
    call();
    cudaEventRecord(end);
    if (failed(cudaEventSynchronize(end), "timing"))
      return 0;
    float milliseconds = 0;
    cudaEventElapsedTime(&milliseconds, begin, end);
    // The first time warms up.
    if (i > 0 && (best == 0 || milliseconds * 1e-3 < best))
      best = milliseconds * 1e-3;
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return best;
}

__global__ void copy_kernel(const double2 *from, double2 *to, long long count) {
  const long long stride = (long long)gridDim.x * blockDim.x;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride)
    to[i] = from[i];
}

#ifdef WITH_CUBLAS
// Numbers that look random: a device is faster with zeros.
__global__ void fill_kernel(double *out, long long count) {
  const long long stride = (long long)gridDim.x * blockDim.x;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride)
    out[i] = (double)((unsigned)(i * 2654435761u) >> 8) / (1 << 24) - 0.5;
}
#endif

// Eight independent chains of multiply-adds a thread.
template <typename T> __global__ void multiply_add_kernel(T *out, T factor, int steps) {
  T x[8];
  for (int k = 0; k < 8; k++)
    x[k] = (T)(threadIdx.x + k);
  for (int i = 0; i < steps; i++) {
#pragma unroll
    for (int k = 0; k < 8; k++)
      x[k] = x[k] * factor + (T)0.5;
  }
  T sum = 0;
  for (int k = 0; k < 8; k++)
    sum += x[k];
  // Never true, which the compiler does not know.
  if (sum == (T)-1)
    out[threadIdx.x] = sum;
}

extern "C" const char *gpu_name() {
  static cudaDeviceProp properties;
  return failed(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties")
             ? ""
             : properties.name;
}

// Bytes read and written a second, by a kernel, for an array of so many bytes.
extern "C" double gpu_copy_rate(long long bytes) {
  cudaDeviceProp properties;
  if (failed(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties"))
    return 0;
  const int blocks = properties.multiProcessorCount * 16;
  void *from = NULL, *to = NULL;
  if (failed(cudaMalloc(&from, bytes), "cudaMalloc") || failed(cudaMalloc(&to, bytes), "cudaMalloc"))
    return 0;
  cudaMemset(from, 0, bytes);
  const double seconds = best_of(10, [&] {
    copy_kernel<<<blocks, 512>>>((const double2 *)from, (double2 *)to, bytes / 16);
  });
  const double driver = best_of(10, [&] { cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice); });
  cudaFree(from);
  cudaFree(to);
  const double best = driver > 0 && (seconds == 0 || driver < seconds) ? driver : seconds;
  return best > 0 ? 2.0 * bytes / best : 0;
}

// Bytes a second from pageable memory of the host to the device, or back.
extern "C" double gpu_transfer_rate(void *host, long long bytes, int back) {
  void *memory = NULL;
  if (failed(cudaMalloc(&memory, bytes), "cudaMalloc"))
    return 0;
  const double seconds = best_of(5, [&] {
    if (back)
      cudaMemcpy(host, memory, bytes, cudaMemcpyDeviceToHost);
    else
      cudaMemcpy(memory, host, bytes, cudaMemcpyHostToDevice);
  });
  cudaFree(memory);
  return seconds > 0 ? bytes / seconds : 0;
}

template <typename T> static double multiply_add_rate() {
  cudaDeviceProp properties;
  if (failed(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties"))
    return 0;
  T *out = NULL;
  if (failed(cudaMalloc((void **)&out, 1024 * sizeof(T)), "cudaMalloc"))
    return 0;
  const int blocks = properties.multiProcessorCount * 8, threads = 256, steps = 20000;
  const double seconds =
      best_of(5, [&] { multiply_add_kernel<T><<<blocks, threads>>>(out, (T)0.999, steps); });
  cudaFree(out);
  return seconds > 0 ? 2.0 * 8 * steps * blocks * threads / seconds : 0;
}

// Operations a second, two for each multiply-add; without tensor cores.
extern "C" double gpu_multiply_add_rate_f64() { return multiply_add_rate<double>(); }

extern "C" double gpu_multiply_add_rate_f32() { return multiply_add_rate<float>(); }

// Operations a second of a product of two matrices of n x n doubles; 0 without cuBLAS.
extern "C" double gpu_product_rate(int n) {
#ifdef WITH_CUBLAS
  double *a = NULL, *b = NULL, *c = NULL;
  const size_t bytes = sizeof(double) * n * n;
  if (failed(cudaMalloc((void **)&a, bytes), "cudaMalloc") ||
      failed(cudaMalloc((void **)&b, bytes), "cudaMalloc") ||
      failed(cudaMalloc((void **)&c, bytes), "cudaMalloc"))
    return 0;
  fill_kernel<<<1024, 256>>>(a, (long long)n * n);
  fill_kernel<<<1024, 256>>>(b, (long long)n * n);
  cublasHandle_t handle;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS)
    return 0;
  const double one = 1, zero = 0;
  const double seconds = best_of(5, [&] {
    cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n);
  });
  cublasDestroy(handle);
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
  return seconds > 0 ? 2.0 * n * n * n / seconds : 0;
#else
  (void)n;
  return 0;
#endif
}
