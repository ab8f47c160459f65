// Libraries: programs that belong to no device; each device loads one when it first needs something of it.
#include "api/cuda_state/function_facts.h"
#include "api/cuda_state/library_calls.h"
#include "api/cudart/functions.gen.h"
#include "api/cudart/objects.h"

namespace heddle::cudart {

Status cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption* jitOptions,
                           void** jitOptionsValues, unsigned int numJitOptions,
                           cudaLibraryOption* libraryOptions, void** libraryOptionValues,
                           unsigned int numLibraryOptions) {
  if (code == nullptr) return missing("code");
  if (Status good = cuda::check_library_options(numJitOptions, jitOptions, jitOptionsValues,
                                                numLibraryOptions, libraryOptions, libraryOptionValues);
      !good)
    return good;
  return cuda::load_library(library, cuda::read_image(code), "library.ptx");
}

Status cudaLibraryLoadFromFile(cudaLibrary_t* library, const char* fileName, cudaJitOption* jitOptions,
                               void** jitOptionsValues, unsigned int numJitOptions,
                               cudaLibraryOption* libraryOptions, void** libraryOptionValues,
                               unsigned int numLibraryOptions) {
  if (Status good = cuda::check_library_options(numJitOptions, jitOptions, jitOptionsValues,
                                                numLibraryOptions, libraryOptions, libraryOptionValues);
      !good)
    return good;
  return cuda::load_library(library, cuda::read_image_file(fileName), fileName);
}

Status cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attr, int value, int device) {
  auto function = cuda::kernel_on(kernel, device);
  if (!function) return function.error();
  return cuda::set_function_attribute(**function, attr, value);
}

}  // namespace heddle::cudart
