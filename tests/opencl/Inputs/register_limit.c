// Work-groups of a kernel with many registers: what it says it takes, and what is taken.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

static const char* const source =
    "__kernel void many(__global float* data) {\n"
    "  float all[112];\n"
    "#pragma unroll\n"
    "  for (int i = 0; i < 112; ++i) all[i] = data[i * 3 + get_local_id(0)];\n"
    "  barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "#pragma unroll\n"
    "  for (int i = 0; i < 112; ++i) data[i * 3 + get_local_id(0)] = all[i] * all[(i * 37 + 11) % 112];\n"
    "}\n";

static void judge(cl_context context, cl_device_id device, cl_command_queue queue, const char* options) {
  cl_int error;
  cl_program program = clCreateProgramWithSource(context, 1, (const char**)&source, NULL, &error);
  error = clBuildProgram(program, 1, &device, options, NULL, NULL);
  cl_kernel kernel = clCreateKernel(program, "many", &error);
  cl_mem data = clCreateBuffer(context, CL_MEM_READ_WRITE, 1 << 16, NULL, &error);
  clSetKernelArg(kernel, 0, sizeof data, &data);
  size_t device_most, most, odd = 0;
  clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof device_most, &device_most, NULL);
  clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL);
  cl_int refused = CL_SUCCESS;
  for (size_t items = 32; items <= device_most; items += 32) {
    error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL);
    if (error != CL_SUCCESS) refused = error;
    odd += (error == CL_SUCCESS) != (items <= most);
  }
  // The runtime's own choice fits.
  const size_t global = 4 * device_most;
  odd += clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL) != CL_SUCCESS;
  odd += clFinish(queue) != CL_SUCCESS;
  printf("'%s': %s, %s, refused with %d\n", options, odd == 0 ? "query and launches agree" : "they do not agree",
         most < device_most ? "fewer work-items than the device's" : "all work-items of the device", refused);
}

int main(void) {
  cl_platform_id platform;
  cl_device_id device;
  cl_int error;
  clGetPlatformIDs(1, &platform, NULL);
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
  judge(context, device, queue, "");
  judge(context, device, queue, "-cl-nv-maxrregcount=16");
  return 0;
}
