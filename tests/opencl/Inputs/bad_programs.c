/* What a program can get wrong in a kernel: text that is none, an endless loop, an access out of bounds. Each fails alone: a new
   context works, in the same process. A call that should have worked and did not is named with its error. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static const char* const good = "kernel void run(global int* out, int n) { out[get_global_id(0)] = n; }";
static const char* const endless =
    "kernel void run(global volatile int* out, int n) { while (out[0] != n) out[1] = out[1] + 1; }";
static const char* const outside = "kernel void run(global int* out, int n) { out[get_global_id(0) + 100000000] = n; }";
static const char* const malformed = "kernel void run(global int* out, int n) { out[get_global_id(0)] = m; } }";

static void check(cl_int error, const char* call) {
  if (error == CL_SUCCESS) return;
  printf("%s: %d\n", call, error);
  exit(1);
}

static void CL_CALLBACK told(const char* words, const void* data, size_t size, void* user) {
  (void)data, (void)size, (void)user;
  printf("told: %s\n", words);
}

/* In a context of its own: builds, runs over 64 work-items, reads, and says what became of it. */
static void try(cl_device_id device, const char* name, const char* text) {
  cl_int error;
  cl_context context = clCreateContext(NULL, 1, &device, told, NULL, &error);
  check(error, "clCreateContext");
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
  check(error, "clCreateCommandQueue");
  cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
  check(error, "clCreateProgramWithSource");
  error = clBuildProgram(program, 1, &device, "", NULL, NULL);
  if (error != CL_SUCCESS) {
    char log[4096] = "";
    check(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL), "clGetProgramBuildInfo");
    printf("%s: built: %d\n%s", name, error, log);
    clReleaseProgram(program), clReleaseCommandQueue(queue), clReleaseContext(context);
    return;
  }
  cl_kernel kernel = clCreateKernel(program, "run", &error);
  check(error, "clCreateKernel");
  cl_int values[64] = {0}, number = 7;
  cl_mem memory = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof values, values, &error);
  check(error, "clCreateBuffer");
  check(clSetKernelArg(kernel, 0, sizeof memory, &memory), "clSetKernelArg");
  check(clSetKernelArg(kernel, 1, sizeof number, &number), "clSetKernelArg");
  const size_t items = 64;
  cl_event event = NULL;
  check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, &event), "clEnqueueNDRangeKernel");
  const cl_int waited = clWaitForEvents(1, &event);
  cl_int status = 0;
  check(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL), "clGetEventInfo");
  const cl_int read = clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL);
  int right = 0;
  for (int i = 0; i < 64; ++i) right += values[i] == number;
  printf("%s: waited: %d, status: %d, read: %d, right: %d\n", name, waited, status, read, right);
  clReleaseEvent(event), clReleaseMemObject(memory), clReleaseKernel(kernel), clReleaseProgram(program);
  clReleaseCommandQueue(queue), clReleaseContext(context);
}

int main(void) {
  cl_platform_id platform;
  cl_device_id device;
  setvbuf(stdout, NULL, _IONBF, 0);
  check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL), "clGetDeviceIDs");
  try(device, "malformed", malformed);
  try(device, "good", good);
  try(device, "endless", endless);
  try(device, "good", good);
  try(device, "outside", outside);
  try(device, "good", good);
  return 0;
}
