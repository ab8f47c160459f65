// Libraries: programs that belong to no context; each context loads one when it first needs something of it.
#include "api/cuda/functions.gen.h"
#include "api/cuda/objects.h"
#include "api/cuda_state/function_facts.h"
#include "api/cuda_state/library_calls.h"

namespace heddle::cu {

using cuda::find_kernel;
using cuda::find_library;

Status cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option* jitOptions,
                         void** jitOptionsValues, unsigned int numJitOptions, CUlibraryOption* libraryOptions,
                         void** libraryOptionValues, unsigned int numLibraryOptions) {
  if (code == nullptr) return missing("code");
  if (Status good = cuda::check_library_options(numJitOptions, jitOptions, jitOptionsValues,
                                                numLibraryOptions, libraryOptions, libraryOptionValues);
      !good)
    return good;
  return cuda::load_library(library, cuda::read_image(code), "library.ptx");
}

Status cuLibraryLoadFromFile(CUlibrary* library, const char* fileName, CUjit_option* jitOptions,
                             void** jitOptionsValues, unsigned int numJitOptions,
                             CUlibraryOption* libraryOptions, void** libraryOptionValues,
                             unsigned int numLibraryOptions) {
  if (Status good = cuda::check_library_options(numJitOptions, jitOptions, jitOptionsValues,
                                                numLibraryOptions, libraryOptions, libraryOptionValues);
      !good)
    return good;
  return cuda::load_library(library, cuda::read_image_file(fileName), fileName);
}

Status cuLibraryGetModule(CUmodule* pMod, CUlibrary handle) {
  auto library = find_library(handle);
  if (!library) return library.error();
  auto context = working_context();
  if (!context) return context.error();
  auto module = (*context)->module_of(**library);
  if (!module) return module.error();
  *pMod = as_handle<CUmodule>((*module)->handle());
  return Unit{};
}

Status cuKernelGetFunction(CUfunction* pFunc, CUkernel kernel) {
  auto found = find_kernel(kernel);
  if (!found) return found.error();
  auto context = working_context();
  if (!context) return context.error();
  auto function = (*found)->in(*context);
  if (!function) return function.error();
  *pFunc = as_handle<CUfunction>((*function)->handle());
  return Unit{};
}

Status cuKernelGetLibrary(CUlibrary* pLib, CUkernel kernel) {
  auto found = find_kernel(kernel);
  if (!found) return found.error();
  const auto library = (*found)->library();
  if (library == nullptr) return failure(Code::invalid_handle, "the kernel's library was unloaded");
  *pLib = as_handle<CUlibrary>(library->handle());
  return Unit{};
}

Status cuKernelGetName(const char** name, CUkernel hfunc) {
  if (hfunc == nullptr) return missing("hfunc");
  auto kernel = find_kernel(hfunc);
  if (!kernel) return kernel.error();
  *name = (*kernel)->name().c_str();
  return Unit{};
}

Status cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex, size_t* paramOffset, size_t* paramSize) {
  auto found = find_kernel(kernel);
  if (!found) return found.error();
  auto context = working_context();
  if (!context) return context.error();
  auto function = (*found)->in(*context);
  if (!function) return function.error();
  return cuda::parameter_info(**function, paramIndex, paramOffset, paramSize);
}

Status cuKernelGetAttribute(int* pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev) {
  auto function = cuda::kernel_on(kernel, dev);
  if (!function) return function.error();
  return tell(pi, cuda::function_attribute(**function, attrib));
}
Status cuKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev) {
  auto function = cuda::kernel_on(kernel, dev);
  if (!function) return function.error();
  return cuda::set_function_attribute(**function, attrib, val);
}
Status cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev) {
  auto function = cuda::kernel_on(kernel, dev);
  if (!function) return function.error();
  return cuda::set_cache_config(**function, config);
}

}  // namespace heddle::cu
