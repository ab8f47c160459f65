// Who comes last wins: an OpenCL program for heddle check --schedules.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

static const char *source =
    "__kernel void last(__global int *to) { if (get_local_id(0) == 0) atomic_xchg(to, (int)get_group_id(0)); }";

int main(void) {
  cl_platform_id platform;
  cl_device_id device;
  if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
    return 2;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
  int value = 100;
  cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof value, &value, NULL);
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
  if (clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS) return 3;
  cl_kernel kernel = clCreateKernel(program, "last", NULL);
  clSetKernelArg(kernel, 0, sizeof memory, &memory);
  const size_t all = 512, group = 64;
  clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &all, &group, 0, NULL, NULL);
  clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL);
  printf("last: %d\n", value);
  return 0;
}
