/* Compiles NVVM IR (a text and a library), loads the PTX, and runs the kernel `warp` with 32 threads. */
#include <cuda.h>
#include <nvvm.h>
#include <stdio.h>
#include <stdlib.h>

static char* contents(const char* path, size_t* size) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) exit(70);
  char* bytes = malloc(1 << 20);
  *size = fread(bytes, 1, 1 << 20, file);
  fclose(file);
  return bytes;
}

int main(int argc, char** argv) {
  if (argc < 3) return 71;
  nvvmProgram program;
  size_t size = 0;
  const char* options[] = {"-arch=compute_80"};
  nvvmCreateProgram(&program);
  const char* text = contents(argv[1], &size);
  nvvmAddModuleToProgram(program, text, size, argv[1]);
  text = contents(argv[2], &size);
  nvvmLazyAddModuleToProgram(program, text, size, argv[2]);
  nvvmResult result = nvvmVerifyProgram(program, 1, options);
  if (result == NVVM_SUCCESS) result = nvvmCompileProgram(program, 1, options);
  if (result != NVVM_SUCCESS) {
    char log[4096];
    nvvmGetProgramLog(program, log);
    printf("%s: %s\n", nvvmGetErrorString(result), log);
    return 72;
  }
  nvvmGetCompiledResultSize(program, &size);
  char* ptx = malloc(size);
  nvvmGetCompiledResult(program, ptx);
  nvvmDestroyProgram(&program);

  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction function;
  CUdeviceptr memory;
  float values[64];
  for (int i = 0; i < 64; ++i) values[i] = i < 32 ? (float)i : 0;
  if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) || cuCtxSetCurrent(context)) return 73;
  if (cuModuleLoadData(&module, ptx) || cuModuleGetFunction(&function, module, "warp")) return puts(ptx), 74;
  if (cuMemAlloc(&memory, sizeof values) || cuMemcpyHtoD(memory, values, sizeof values)) return 75;
  void* arguments[] = {&memory};
  if (cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL)) return 76;
  if (cuMemcpyDtoH(values, memory, sizeof values)) return 77;
  for (int i = 0; i < 64; ++i) printf("%g%s", values[i], i % 32 == 31 ? "\n" : " ");
  return 0;
}
