// Work-items of two groups write one place; no word of it from the host. With an argument into a buffer that
// kernels only read.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

static const char* text =
    "__kernel void all(__global int* out) { out[get_local_id(0)] = get_group_id(0); }\n";

int main(int argc, char** argv) {
  (void)argv;
  cl_platform_id platform;
  cl_device_id device;
  clGetPlatformIDs(1, &platform, NULL);
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
  cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
  clBuildProgram(program, 1, &device, "-g", NULL, NULL);
  cl_kernel kernel = clCreateKernel(program, "all", NULL);
  cl_mem out = clCreateBuffer(context, argc > 1 ? CL_MEM_READ_ONLY : CL_MEM_READ_WRITE, 32 * sizeof(int), NULL, NULL);
  clSetKernelArg(kernel, 0, sizeof out, &out);
  const size_t items = 64, group = 32;
  const cl_int status = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL);
  clFinish(queue);
  printf("launched: %d\n", status);
  return 0;
}
