// Work-items that divide by 0 and store what comes of it.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

static const char* text =
    "__kernel void parts(__global const float* in, __global float4* out) {\n"
    "  float4 whole = vload4(get_global_id(0), in);\n"
    "  out[get_global_id(0)] = (float4)(1.0f) / whole;\n"
    "}\n";

int main(void) {
  cl_platform_id platform;
  cl_device_id device;
  clGetPlatformIDs(1, &platform, NULL);
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
  cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
  clBuildProgram(program, 1, &device, "-g", NULL, NULL);
  cl_kernel kernel = clCreateKernel(program, "parts", NULL);
  float numbers[256];
  for (int i = 0; i < 256; ++i) numbers[i] = (float)(i % 8);
  cl_mem in = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof numbers, numbers, NULL);
  cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof numbers, NULL, NULL);
  clSetKernelArg(kernel, 0, sizeof in, &in);
  clSetKernelArg(kernel, 1, sizeof out, &out);
  const size_t items = 64;
  const cl_int status = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
  clFinish(queue);
  printf("launched: %d\n", status);
  return 0;
}
