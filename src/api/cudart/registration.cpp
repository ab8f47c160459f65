// What compilers emit calls of: registration of device code, and the halves of <<<>>>.
#include "api/cudart/functions.gen.h"
#include "api/cudart/objects.h"

namespace heddle::cudart {
namespace {

cuda::Registry& registry() { return Process::get().registry(); }

}  // namespace

void** __cudaRegisterFatBinary(void* fatCubin) { return registry().add_program(fatCubin); }
void __cudaRegisterFatBinaryEnd(void** handle) { registry().complete(handle); }
void __cudaUnregisterFatBinary(void** handle) { registry().remove(handle); }

// nvcc's programs call it before they touch a managed variable; the variables are in place since they were
// registered. 1: done.
char __cudaInitModule(void**) { return 1; }

void __cudaRegisterFunction(void** handle, const char* hostFun, char*, const char* deviceName, int, uint3*,
                            uint3*, dim3*, dim3*, int*) {
  registry().add_kernel(handle, hostFun, deviceName);
}
void __cudaRegisterVar(void** handle, char* hostVar, char*, const char* deviceName, int, size_t size, int,
                       int) {
  registry().add_variable(handle, hostVar, deviceName, size);
}
void __cudaRegisterManagedVar(void** handle, void** hostVarPtrAddress, char*, const char* deviceName, int,
                              size_t size, int, int) {
  registry().add_managed_pointer(handle, hostVarPtrAddress, deviceName, size);
}
void __cudaRegisterHostVar(void**, const char*, char*, size_t) {}
void __cudaRegisterTexture(void** handle, const textureReference* hostVar, const void**,
                           const char* deviceName, int, int norm, int) {
  registry().add_reference(handle, hostVar, deviceName, false, norm != 0);
}
void __cudaRegisterSurface(void** handle, const surfaceReference* hostVar, const void**,
                           const char* deviceName, int, int) {
  registry().add_reference(handle, hostVar, deviceName, true, false);
}
void __cudaRegisterUnifiedTable(void**, void*) {}

unsigned int __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem, cudaStream_t stream) {
  cuda::thread().configurations.push_back({dim(gridDim), dim(blockDim), sharedMem, stream});
  return 0;
}

Status __cudaPopCallConfiguration(dim3* gridDim, dim3* blockDim, size_t* sharedMem, void* stream) {
  auto& pushed = cuda::thread().configurations;
  if (pushed.empty()) return failure(Code::missing_configuration, "a launch without configuration");
  const cuda::CallConfiguration top = pushed.back();
  pushed.pop_back();
  *gridDim = {top.grid.x, top.grid.y, top.grid.z};
  *blockDim = {top.block.x, top.block.y, top.block.z};
  *sharedMem = top.shared_bytes;
  *static_cast<void**>(stream) = top.stream;
  return Unit{};
}

Status __cudaGetKernel(cudaKernel_t* kernel, const void* symbol) {
  return cudart::cudaGetKernel(kernel, symbol);
}

Status cudaGetKernel(cudaKernel_t* kernelPtr, const void* entryFuncAddr) {
  auto kernel = registry().kernel(entryFuncAddr);
  if (!kernel) return kernel.error();
  *kernelPtr = as_handle<cudaKernel_t>((*kernel)->handle());
  return Unit{};
}

Status cudaGetFuncBySymbol(cudaFunction_t* functionPtr, const void* symbolPtr) {
  auto kernel = find_kernel(symbolPtr);
  if (!kernel) return kernel.error();
  *functionPtr = as_handle<cudaFunction_t>((*kernel)->handle());
  return Unit{};
}

Status __cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void** args, size_t sharedMem,
                          cudaStream_t stream) {
  return cudart::cudaLaunchKernel(kernel, gridDim, blockDim, args, sharedMem, stream);
}

}  // namespace heddle::cudart
