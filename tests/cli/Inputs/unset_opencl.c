// usage: unset_opencl copied|used|mapped|written|unset: how the kernel's input got its contents.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>

static const char* text =
    "__kernel void twice(__global const float* in, __global float* out) {\n"
    "  int i = get_global_id(0);\n"
    "  out[i] = in[i] * 2;\n"
    "}\n";

int main(int count, char** arguments) {
  const char* how = count > 1 ? arguments[1] : "";
  cl_platform_id platform;
  cl_device_id device;
  clGetPlatformIDs(1, &platform, NULL);
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
  cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
  clBuildProgram(program, 1, &device, "-g", NULL, NULL);
  cl_kernel kernel = clCreateKernel(program, "twice", NULL);
  float numbers[65];
  for (int i = 0; i < 65; ++i) numbers[i] = (float)i;
  const size_t bytes = 64 * sizeof(float), items = 64;
  cl_mem in;
  if (strcmp(how, "copied") == 0)
    in = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, numbers + 1, NULL);
  else if (strcmp(how, "used") == 0)
    in = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, bytes, numbers + 1, NULL);
  else
    in = clCreateBuffer(context, CL_MEM_READ_ONLY, bytes, NULL, NULL);
  if (strcmp(how, "mapped") == 0) {
    void* place = clEnqueueMapBuffer(queue, in, CL_TRUE, CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, NULL);
    memcpy(place, numbers + 1, bytes);
    clEnqueueUnmapMemObject(queue, in, place, 0, NULL, NULL);
  }
  if (strcmp(how, "written") == 0)
    clEnqueueWriteBuffer(queue, in, CL_TRUE, 0, bytes, numbers + 1, 0, NULL, NULL);
  cl_mem out = clCreateBuffer(context, CL_MEM_WRITE_ONLY, bytes, NULL, NULL);
  clSetKernelArg(kernel, 0, sizeof in, &in);
  clSetKernelArg(kernel, 1, sizeof out, &out);
  clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
  clEnqueueReadBuffer(queue, out, CL_TRUE, 0, bytes, numbers, 0, NULL, NULL);
  printf("%s: %g\n", how, numbers[63]);
  return 0;
}
