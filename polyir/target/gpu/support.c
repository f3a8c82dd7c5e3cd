// The first error since polyir_opencl_error was called, in this thread. All files share it.
__attribute__((weak)) __thread cl_int polyir_status;

// The code of the first error since the last call of this function; 0 if there was none.
// Until it is called after an error, nothing more is done on the device.
__attribute__((weak)) int polyir_opencl_error(void) {
  const cl_int status = polyir_status;
  polyir_status = CL_SUCCESS;
  return status;
}

static inline void polyir_check(cl_int status, const char *what) {
  if (status != CL_SUCCESS && polyir_status == CL_SUCCESS) {
    polyir_status = status;
    fprintf(stderr, "polyir: OpenCL error %d (%s)\n", (int)status, what);
  }
}

// What the kernels run with; all of it is made for the first call, and kept.
static cl_device_id polyir_device;
static cl_context polyir_context;
static cl_command_queue polyir_queue;
static cl_program polyir_program;
static pthread_mutex_t polyir_lock = PTHREAD_MUTEX_INITIALIZER;

// The first device of a type, on any platform, that computes with double.
static inline cl_device_id polyir_find_device(cl_device_type type) {
  cl_platform_id platforms[16];
  cl_uint platform_count = 0;
  if (clGetPlatformIDs(16, platforms, &platform_count) != CL_SUCCESS)
    return NULL;
  for (cl_uint i = 0; i < platform_count && i < 16; i++) {
    cl_device_id devices[16];
    cl_uint device_count = 0;
    if (clGetDeviceIDs(platforms[i], type, 16, devices, &device_count) != CL_SUCCESS)
      continue;
    for (cl_uint j = 0; j < device_count && j < 16; j++) {
      cl_device_fp_config config = 0;
      clGetDeviceInfo(devices[j], CL_DEVICE_DOUBLE_FP_CONFIG, sizeof(config), &config, NULL);
      if (config != 0)
        return devices[j];
    }
  }
  return NULL;
}

static inline void polyir_build(void) {
  cl_int status = CL_SUCCESS;
  const char *text = polyir_kernels;
  polyir_program = clCreateProgramWithSource(polyir_context, 1, &text, NULL, &status);
  polyir_check(status, "clCreateProgramWithSource");
  if (status != CL_SUCCESS)
    return;
  cl_device_fp_config config = 0;
  clGetDeviceInfo(polyir_device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof(config), &config, NULL);
  char version[256] = "";
  clGetDeviceInfo(polyir_device, CL_DEVICE_VERSION, sizeof(version) - 1, version, NULL);
  char options[128] = "-cl-std=CL1.2";
  if (config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT)
    strcat(options, " -cl-fp32-correctly-rounded-divide-sqrt");
  // PoCL 3.0 optimises some kernels wrongly.
  if (strstr(version, "PoCL") != NULL || strstr(version, "pocl") != NULL)
    strcat(options, " -cl-opt-disable");
  status = clBuildProgram(polyir_program, 1, &polyir_device, options, NULL, NULL);
  polyir_check(status, "clBuildProgram");
  if (status == CL_BUILD_PROGRAM_FAILURE) {
    char log[4096] = "";
    clGetProgramBuildInfo(polyir_program, polyir_device, CL_PROGRAM_BUILD_LOG, sizeof(log) - 1, log,
                          NULL);
    fprintf(stderr, "%s\n", log);
  }
}

// Finds a device, and builds the kernels for it; whether kernels can run.
static inline bool polyir_start(void) {
  pthread_mutex_lock(&polyir_lock);
  if (polyir_status == CL_SUCCESS && polyir_program == NULL) {
    cl_int status = CL_SUCCESS;
    polyir_device = polyir_find_device(CL_DEVICE_TYPE_GPU);
    if (polyir_device == NULL)
      polyir_device = polyir_find_device(CL_DEVICE_TYPE_ALL);
    if (polyir_device == NULL)
      polyir_check(CL_DEVICE_NOT_FOUND, "no device computes with double");
    if (polyir_status == CL_SUCCESS && polyir_context == NULL) {
      polyir_context = clCreateContext(NULL, 1, &polyir_device, NULL, NULL, &status);
      polyir_check(status, "clCreateContext");
    }
    if (polyir_status == CL_SUCCESS && polyir_queue == NULL) {
      polyir_queue = clCreateCommandQueue(polyir_context, polyir_device, 0, &status);
      polyir_check(status, "clCreateCommandQueue");
    }
    if (polyir_status == CL_SUCCESS)
      polyir_build();
  }
  pthread_mutex_unlock(&polyir_lock);
  return polyir_status == CL_SUCCESS;
}

static inline cl_mem polyir_allocate(const char *name, size_t size) {
  cl_mem memory = NULL;
  cl_int status = CL_SUCCESS;
  if (polyir_start()) {
    memory = clCreateBuffer(polyir_context, CL_MEM_READ_WRITE, size ? size : 1, NULL, &status);
    polyir_check(status, name);
  }
  return memory;
}

static inline void polyir_free(cl_mem memory) {
  if (memory != NULL)
    polyir_check(clReleaseMemObject(memory), "clReleaseMemObject");
}

static inline void polyir_copy_to_device(cl_mem target, const void *source, size_t size) {
  if (polyir_status == CL_SUCCESS && size > 0)
    polyir_check(
        clEnqueueWriteBuffer(polyir_queue, target, CL_TRUE, 0, size, source, 0, NULL, NULL),
        "clEnqueueWriteBuffer");
}

static inline void polyir_copy_to_host(void *target, cl_mem source, size_t size) {
  if (polyir_status == CL_SUCCESS && size > 0)
    polyir_check(clEnqueueReadBuffer(polyir_queue, source, CL_TRUE, 0, size, target, 0, NULL, NULL),
                 "clEnqueueReadBuffer");
}

static inline void polyir_copy_on_device(cl_mem target, cl_mem source, size_t size) {
  if (polyir_status == CL_SUCCESS && size > 0)
    polyir_check(clEnqueueCopyBuffer(polyir_queue, source, target, 0, 0, size, 0, NULL, NULL),
                 "clEnqueueCopyBuffer");
}

typedef struct {
  size_t size;
  const void *value;
} polyir_argument;

#define POLYIR_ARGUMENT(type, value) {sizeof(type), &(type){value}}

// Launches a kernel on a grid of blocks: not after an error, and not without blocks.
static inline void polyir_launch(const char *name, int64_t blocks_x, int64_t blocks_y,
                                 int64_t blocks_z, int64_t threads_x, int64_t threads_y,
                                 int64_t threads_z, cl_uint count,
                                 const polyir_argument *arguments) {
  if (blocks_x <= 0 || blocks_y <= 0 || blocks_z <= 0 || !polyir_start())
    return;
  const size_t block[] = {(size_t)threads_x, (size_t)threads_y, (size_t)threads_z};
  const size_t grid[] = {(size_t)blocks_x * block[0], (size_t)blocks_y * block[1],
                         (size_t)blocks_z * block[2]};
  cl_int status = CL_SUCCESS;
  const cl_kernel kernel = clCreateKernel(polyir_program, name, &status);
  for (cl_uint i = 0; i < count && status == CL_SUCCESS; i++)
    status = clSetKernelArg(kernel, i, arguments[i].size, arguments[i].value);
  if (status == CL_SUCCESS)
    status = clEnqueueNDRangeKernel(polyir_queue, kernel, 3, NULL, grid, block, 0, NULL, NULL);
  polyir_check(status, name);
  if (kernel != NULL)
    polyir_check(clReleaseKernel(kernel), "clReleaseKernel");
}

// Waits for the kernels of a function.
static inline void polyir_finish(const char *function) {
  if (polyir_status == CL_SUCCESS && polyir_queue != NULL)
    polyir_check(clFinish(polyir_queue), function);
}
