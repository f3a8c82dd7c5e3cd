// Stands in for an OpenCL driver: memory is the host's, kernels do not run, and call number
// `stub_fails_at` that can fail does. `stub_log` says what was called.
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int stub_fails_at = -1, stub_calls, stub_live;
char stub_log[4096];
static char thing[16];

void stub_reset(int fails_at) {
  stub_fails_at = fails_at;
  stub_calls = stub_live = 0;
  stub_log[0] = 0;
}

static void note(const char *what) {
  strncat(stub_log, what, sizeof(stub_log) - strlen(stub_log) - 1);
}

static cl_int status(void) { return stub_calls++ == stub_fails_at ? -5 : 0; }

static void *made(const char *what, cl_int *error) {
  note(what);
  *error = status();
  return *error ? NULL : thing;
}

cl_int clGetPlatformIDs(cl_uint n, cl_platform_id *found, cl_uint *count) {
  (void)n;
  found[0] = (cl_platform_id)thing;
  *count = 1;
  return 0;
}

cl_int clGetDeviceIDs(cl_platform_id p, cl_device_type t, cl_uint n, cl_device_id *found,
                      cl_uint *count) {
  (void)p, (void)n;
  found[0] = (cl_device_id)thing;
  *count = t != CL_DEVICE_TYPE_GPU;
  return *count ? 0 : CL_DEVICE_NOT_FOUND;
}

cl_int clGetDeviceInfo(cl_device_id d, cl_device_info what, size_t n, void *value, size_t *size) {
  (void)d, (void)what, (void)size;
  memset(value, 0xFF, n);
  return 0;
}

cl_context clCreateContext(const cl_context_properties *p, cl_uint n, const cl_device_id *d,
                           cl_context_callback f, void *data, cl_int *error) {
  (void)p, (void)n, (void)d, (void)f, (void)data;
  return made("context ", error);
}

cl_command_queue clCreateCommandQueue(cl_context c, cl_device_id d, cl_command_queue_properties p,
                                      cl_int *error) {
  (void)c, (void)d, (void)p;
  return made("queue ", error);
}

cl_program clCreateProgramWithSource(cl_context c, cl_uint n, const char **texts,
                                     const size_t *sizes, cl_int *error) {
  (void)c, (void)n, (void)texts, (void)sizes;
  return made("program ", error);
}

cl_int clBuildProgram(cl_program p, cl_uint n, const cl_device_id *d, const char *options,
                      cl_program_callback f, void *data) {
  (void)p, (void)n, (void)d, (void)options, (void)f, (void)data;
  note("build ");
  return status() ? CL_BUILD_PROGRAM_FAILURE : 0;
}

cl_int clGetProgramBuildInfo(cl_program p, cl_device_id d, cl_program_build_info what, size_t n,
                             void *value, size_t *size) {
  (void)p, (void)d, (void)what, (void)size;
  snprintf(value, n, "planned failure");
  return 0;
}

cl_mem clCreateBuffer(cl_context c, cl_mem_flags f, size_t size, void *host, cl_int *error) {
  (void)c, (void)f, (void)host;
  note("malloc ");
  *error = status();
  if (*error)
    return NULL;
  stub_live++;
  return malloc(size);
}

cl_int clReleaseMemObject(cl_mem memory) {
  note("free ");
  stub_live--;
  free(memory);
  return 0;
}

cl_int clEnqueueWriteBuffer(cl_command_queue q, cl_mem target, cl_bool b, size_t at, size_t size,
                            const void *source, cl_uint n, const cl_event *w, cl_event *e) {
  (void)q, (void)b, (void)n, (void)w, (void)e;
  note("in ");
  const cl_int failed = status();
  if (!failed)
    memcpy((char *)target + at, source, size);
  return failed;
}

cl_int clEnqueueReadBuffer(cl_command_queue q, cl_mem source, cl_bool b, size_t at, size_t size,
                           void *target, cl_uint n, const cl_event *w, cl_event *e) {
  (void)q, (void)b, (void)n, (void)w, (void)e;
  note("out ");
  const cl_int failed = status();
  if (!failed)
    memcpy(target, (char *)source + at, size);
  return failed;
}

cl_int clEnqueueCopyBuffer(cl_command_queue q, cl_mem source, cl_mem target, size_t from, size_t to,
                           size_t size, cl_uint n, const cl_event *w, cl_event *e) {
  (void)q, (void)n, (void)w, (void)e;
  note("copy ");
  const cl_int failed = status();
  if (!failed)
    memcpy((char *)target + to, (char *)source + from, size);
  return failed;
}

cl_kernel clCreateKernel(cl_program p, const char *name, cl_int *error) {
  (void)p, (void)name;
  *error = status();
  return *error ? NULL : (cl_kernel)thing;
}

cl_int clSetKernelArg(cl_kernel k, cl_uint n, size_t size, const void *value) {
  (void)k, (void)n, (void)size, (void)value;
  return status();
}

cl_int clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel k, cl_uint n, const size_t *from,
                              const size_t *grid, const size_t *block, cl_uint m,
                              const cl_event *w, cl_event *e) {
  (void)q, (void)k, (void)n, (void)from, (void)m, (void)w, (void)e;
  char text[100];
  snprintf(text, sizeof(text), "launch(%zu,%zu,%zu;%zu,%zu,%zu) ", grid[0] / block[0],
           grid[1] / block[1], grid[2] / block[2], block[0], block[1], block[2]);
  note(text);
  return status();
}

cl_int clReleaseKernel(cl_kernel k) {
  (void)k;
  return 0;
}

cl_int clFinish(cl_command_queue q) {
  (void)q;
  note("wait ");
  return status();
}
