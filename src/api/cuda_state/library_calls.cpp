#include "api/cuda_state/library_calls.h"

#include <cstring>

#include "api/cuda_state/device.h"
#include "api/cuda_state/thread.h"

namespace heddle::cuda {
namespace {

Answer<std::vector<std::string>> kernel_names(Library& library) {
  auto device = Process::get().device(current_device());
  if (!device) return device.error();
  return library.kernel_names((*device)->facts());
}

}  // namespace

Answer<std::shared_ptr<Library>> find_library(LibraryHandle handle) {
  auto library = Process::get().handles().libraries.find(handle);
  if (library == nullptr) return failure(Code::invalid_handle, "no such library");
  return library;
}

Answer<std::shared_ptr<LibraryKernel>> find_kernel(KernelHandle handle) {
  auto kernel = Process::get().handles().kernels.find(handle);
  if (kernel == nullptr) return failure(Code::invalid_handle, "no such kernel");
  return kernel;
}

Status load_library(LibraryHandle* out, const Answer<ProgramImage>& program, const std::string& name) {
  if (!program) return program.error();
  const auto library = std::make_shared<Library>(Process::get());
  program->add_to(library->code(), name);
  const uint64_t handle = library->handle();
  if (handle == 0) return failure(Code::out_of_memory, "too many libraries");
  *out = as_handle<LibraryHandle>(handle);
  return Unit{};
}

Status unload_library(LibraryHandle handle) {
  auto library = find_library(handle);
  if (!library) return library.error();
  (*library)->unload();
  return Unit{};
}

Status library_kernel(KernelHandle* out, LibraryHandle handle, const char* name) {
  auto library = find_library(handle);
  if (!library) return library.error();
  auto names = kernel_names(**library);
  if (!names) return names.error();
  for (const std::string& known : *names)
    if (known == name) {
      *out = as_handle<KernelHandle>((*library)->kernel(name)->handle());
      return Unit{};
    }
  return failure(Code::not_found, std::string("the library has no kernel '") + name + "'");
}

Status library_kernel_count(unsigned* out, LibraryHandle handle) {
  auto library = find_library(handle);
  if (!library) return library.error();
  auto names = kernel_names(**library);
  if (!names) return names.error();
  *out = static_cast<unsigned>(names->size());
  return Unit{};
}

Status library_kernels(KernelHandle* to, unsigned count, LibraryHandle handle) {
  auto library = find_library(handle);
  if (!library) return library.error();
  if (count != 0 && to == nullptr) return invalid_value("there is no place for the kernels");
  auto names = kernel_names(**library);
  if (!names) return names.error();
  for (unsigned i = 0; i < count && i < names->size(); ++i)
    to[i] = as_handle<KernelHandle>((*library)->kernel((*names)[i])->handle());
  return Unit{};
}

Status library_variable(const Answer<ContextRef>& context, void* address_out, std::size_t* bytes_out,
                        LibraryHandle handle, const char* name, bool managed) {
  if (address_out == nullptr && bytes_out == nullptr)
    return invalid_value("neither the address nor the size is asked for");
  auto library = find_library(handle);
  if (!library) return library.error();
  if (!context) return context.error();
  auto module = (*context)->module_of(**library);
  if (!module) return module.error();
  auto variable = (*module)->variable(name);
  if (!variable) return (*library)->absent(**context, variable.error());
  if (managed) {
    const auto memory = Process::get().system().memory().find(variable->address);
    if (memory == nullptr || memory->kind != runtime::MemoryKind::managed)
      return failure(Code::not_found, std::string("'") + name + "' is no managed variable");
  }
  if (address_out != nullptr) std::memcpy(address_out, &variable->address, sizeof variable->address);
  if (bytes_out != nullptr) *bytes_out = variable->bytes;
  return Unit{};
}

Status library_host_function(LibraryHandle handle, const char* name) {
  auto library = find_library(handle);
  if (!library) return library.error();
  return failure(Code::not_found, std::string("the library knows no function '") + name + "' of the host");
}

Answer<FunctionRef> kernel_on(KernelHandle handle, int number) {
  auto kernel = find_kernel(handle);
  if (!kernel) return kernel.error();
  auto device = Process::get().device(number);
  if (!device) return device.error();
  if (const ContextRef context = current_context_if_any();
      context != nullptr && &context->device() == *device)
    return (*kernel)->in(context);
  auto primary = (*device)->primary();
  if (!primary) return primary.error();
  return (*kernel)->in(*primary);
}

}  // namespace heddle::cuda
