// The binary of a program in which all work-items read the same number.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static const char* const source =
    "__kernel void first(__global const float* restrict in, __global float* restrict out) { out[get_global_id(0)] = in[0]; }\n";

int main(void) {
  cl_platform_id platform;
  cl_device_id device;
  cl_int error;
  clGetPlatformIDs(1, &platform, NULL);
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  cl_program program = clCreateProgramWithSource(context, 1, (const char**)&source, NULL, &error);
  clBuildProgram(program, 1, &device, "", NULL, NULL);
  size_t size = 0;
  clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);
  unsigned char* binary = malloc(size + 1);
  clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL);
  for (size_t i = 0; i < size; ++i)
    if (binary[i] == '\n' || (binary[i] >= ' ' && binary[i] < 127)) putchar(binary[i]);
  return 0;
}
