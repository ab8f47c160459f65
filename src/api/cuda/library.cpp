// Libraries: programs that belong to no context; each context loads one when it first needs something of it.
#include "api/cuda/function_facts.h"
#include "api/cuda/functions.gen.h"
#include "api/cuda/program.h"

namespace heddle::cu {
namespace {

Answer<std::shared_ptr<cuda::Library>> find_library(CUlibrary handle) {
  auto library = Process::get().handles().libraries.find(handle);
  if (library == nullptr) return failure(Code::invalid_handle, "no such library");
  return library;
}
Answer<std::shared_ptr<cuda::LibraryKernel>> find_kernel(CUkernel handle) {
  auto kernel = Process::get().handles().kernels.find(handle);
  if (kernel == nullptr) return failure(Code::invalid_handle, "no such kernel");
  return kernel;
}

Status check_options(unsigned int count, const CUlibraryOption* options, void* const* values) {
  if (count != 0 && (options == nullptr || values == nullptr))
    return invalid_value("the options of the library are NULL");
  for (unsigned int i = 0; i < count; ++i)
    if (options[i] < 0 || options[i] >= CU_LIBRARY_NUM_OPTIONS)
      return invalid_value("no option of a library has the number " + std::to_string(options[i]));
  return Unit{};
}

// Nothing is compiled yet: what is wrong with the code is said by the first call that needs it.
Status load(CUlibrary* out, const Answer<ProgramImage>& program, const std::string& name) {
  if (!program) return program.error();
  const auto library = std::make_shared<cuda::Library>(Process::get());
  program->add_to(library->code(), name);
  const uint64_t handle = library->handle();
  if (handle == 0) return failure(Code::out_of_memory, "too many libraries");
  *out = as_handle<CUlibrary>(handle);
  return Unit{};
}

Answer<std::shared_ptr<cuda::Module>> module_here(CUlibrary handle) {
  auto library = find_library(handle);
  if (!library) return library.error();
  auto context = working_context();
  if (!context) return context.error();
  return (*context)->module_of(**library);
}

// A kernel's function in the primary context of a device, where its attributes are asked.
Answer<cuda::FunctionRef> function_on(CUkernel handle, CUdevice device) {
  auto kernel = find_kernel(handle);
  if (!kernel) return kernel.error();
  auto found = find_device(device);
  if (!found) return found.error();
  if (auto context = cuda::current_context(); context && &(*context)->device() == *found)
    return (*kernel)->in(*context);
  auto primary = (*found)->primary();
  if (!primary) return primary.error();
  return (*kernel)->in(*primary);
}

}  // namespace

Status cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option* jitOptions,
                         void** jitOptionsValues, unsigned int numJitOptions, CUlibraryOption* libraryOptions,
                         void** libraryOptionValues, unsigned int numLibraryOptions) {
  if (code == nullptr) return missing("code");
  JitOptions jit;
  if (Status good = jit.read(numJitOptions, jitOptions, jitOptionsValues); !good) return good;
  if (Status good = check_options(numLibraryOptions, libraryOptions, libraryOptionValues); !good) return good;
  return load(library, read_image(code), "library.ptx");
}

Status cuLibraryLoadFromFile(CUlibrary* library, const char* fileName, CUjit_option* jitOptions,
                             void** jitOptionsValues, unsigned int numJitOptions,
                             CUlibraryOption* libraryOptions, void** libraryOptionValues,
                             unsigned int numLibraryOptions) {
  JitOptions jit;
  if (Status good = jit.read(numJitOptions, jitOptions, jitOptionsValues); !good) return good;
  if (Status good = check_options(numLibraryOptions, libraryOptions, libraryOptionValues); !good) return good;
  return load(library, read_image_file(fileName), fileName);
}

Status cuLibraryUnload(CUlibrary library) {
  auto found = find_library(library);
  if (!found) return found.error();
  (*found)->unload();
  return Unit{};
}

Status cuLibraryGetModule(CUmodule* pMod, CUlibrary library) {
  auto module = module_here(library);
  if (!module) return module.error();
  *pMod = as_handle<CUmodule>((*module)->handle());
  return Unit{};
}

Status cuLibraryGetKernel(CUkernel* pKernel, CUlibrary library, const char* name) {
  auto module = module_here(library);
  if (!module) return module.error();
  if (auto function = (*module)->function(name); !function) return function.error();
  auto found = find_library(library);
  if (!found) return found.error();
  *pKernel = as_handle<CUkernel>((*found)->kernel(name)->handle());
  return Unit{};
}

Status cuLibraryGetKernelCount(unsigned int* count, CUlibrary lib) {
  auto module = module_here(lib);
  if (!module) return module.error();
  *count = static_cast<unsigned int>((*module)->functions().size());
  return Unit{};
}

Status cuLibraryEnumerateKernels(CUkernel* kernels, unsigned int numKernels, CUlibrary lib) {
  auto module = module_here(lib);
  if (!module) return module.error();
  auto library = find_library(lib);
  if (!library) return library.error();
  unsigned int i = 0;
  for (const cuda::FunctionRef& function : (*module)->functions())
    if (i < numKernels) kernels[i++] = as_handle<CUkernel>((*library)->kernel(function->name())->handle());
  return Unit{};
}

Status cuLibraryGetGlobal(CUdeviceptr* dptr, size_t* bytes, CUlibrary library, const char* name) {
  auto module = module_here(library);
  if (!module) return module.error();
  if (dptr == nullptr && bytes == nullptr) return invalid_value("dptr and bytes are NULL");
  auto variable = (*module)->variable(name);
  if (!variable) return variable.error();
  if (dptr != nullptr) *dptr = variable->address;
  if (bytes != nullptr) *bytes = variable->bytes;
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
  return parameter_info(**function, paramIndex, paramOffset, paramSize);
}

Status cuKernelGetAttribute(int* pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev) {
  auto function = function_on(kernel, dev);
  if (!function) return function.error();
  return get_attribute(**function, attrib, *pi);
}
Status cuKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev) {
  auto function = function_on(kernel, dev);
  if (!function) return function.error();
  return set_attribute(**function, attrib, val);
}
Status cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev) {
  auto function = function_on(kernel, dev);
  if (!function) return function.error();
  return set_cache_config(**function, config);
}

}  // namespace heddle::cu
