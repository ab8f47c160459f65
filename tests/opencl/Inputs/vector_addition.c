/* Adds two vectors with a kernel in PTX. A call that fails is named with its error. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* const program_text =
    ".version 3.1\n.target sm_20\n.address_size 64\n"
    ".visible .entry add(.param .u64 .ptr .global .align 4 a, .param .u64 .ptr .global .align 4 b,\n"
    "                    .param .u64 .ptr .global .align 4 c, .param .u32 n)\n"
    "{\n"
    "  .reg .u32 %r<6>; .reg .u64 %d<5>; .reg .f32 %f<4>; .reg .pred %p;\n"
    "  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r4, %r1, %r2, %r3;\n"
    "  ld.param.u32 %r5, [n]; setp.ge.u32 %p, %r4, %r5; @%p ret;\n"
    "  ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b]; ld.param.u64 %d3, [c]; mul.wide.u32 %d4, %r4, 4;\n"
    "  add.u64 %d1, %d1, %d4; add.u64 %d2, %d2, %d4; add.u64 %d3, %d3, %d4;\n"
    "  ld.global.f32 %f1, [%d1]; ld.global.f32 %f2, [%d2]; add.f32 %f3, %f1, %f2; st.global.f32 [%d3], %f3;\n"
    "  ret;\n"
    "}\n";

static void check(cl_int error, const char* call) {
  if (error == CL_SUCCESS) return;
  printf("%s: %d\n", call, error);
  exit(1);
}

enum { count = 1000 };
static float a[count], b[count], c[count];

static cl_program load(cl_context context, cl_device_id device, const char* text, cl_int* error) {
  const size_t length = strlen(text);
  const unsigned char* bytes = (const unsigned char*)text;
  return clCreateProgramWithBinary(context, 1, &device, &length, &bytes, NULL, error);
}

int main(void) {
  cl_platform_id platform;
  cl_device_id device;
  cl_int error;
  check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL), "clGetDeviceIDs");
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  check(error, "clCreateContext");
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
  check(error, "clCreateCommandQueue");
  cl_program program = load(context, device, program_text, &error);
  check(error, "clCreateProgramWithBinary");
  check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
  cl_kernel kernel = clCreateKernel(program, "add", &error);
  check(error, "clCreateKernel");
  for (int i = 0; i < count; ++i) {
    a[i] = (float)i;
    b[i] = (float)(2 * i);
  }
  cl_mem buffers[3];
  for (int i = 0; i < 3; ++i) {
    buffers[i] = clCreateBuffer(context, i == 0 ? CL_MEM_COPY_HOST_PTR : 0, sizeof a, i == 0 ? a : NULL, &error);
    check(error, "clCreateBuffer");
    check(clSetKernelArg(kernel, (cl_uint)i, sizeof(cl_mem), &buffers[i]), "clSetKernelArg");
  }
  const cl_uint n = count;
  check(clSetKernelArg(kernel, 3, sizeof n, &n), "clSetKernelArg");
  check(clEnqueueWriteBuffer(queue, buffers[1], CL_TRUE, 0, sizeof b, b, 0, NULL, NULL), "clEnqueueWriteBuffer");
  const size_t global = 1024, local = 256;
  check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), "clEnqueueNDRangeKernel");
  check(clEnqueueReadBuffer(queue, buffers[2], CL_TRUE, 0, sizeof c, c, 0, NULL, NULL), "clEnqueueReadBuffer");
  for (int i = 0; i < count; ++i)
    if (c[i] != (float)(3 * i)) {
      printf("wrong: %d: %f\n", i, c[i]);
      return 1;
    }
  printf("right: %d sums\n", count);
  load(context, device, ".version 3.1\n.target sm_20\n.visible .entry add() { mov.u32 %nowhere; }\n", &error);
  printf("a damaged program: %d\n", error);
  for (int i = 0; i < 3; ++i) check(clReleaseMemObject(buffers[i]), "clReleaseMemObject");
  check(clReleaseKernel(kernel), "clReleaseKernel");
  check(clReleaseProgram(program), "clReleaseProgram");
  check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
  check(clReleaseContext(context), "clReleaseContext");
  return 0;
}
