// What both APIs do with libraries and their kernels (cuLibrary*, cudaLibrary*).
#pragma once

#include <cstddef>

#include "api/cuda_state/handles.h"
#include "api/cuda_state/library.h"
#include "api/cuda_state/program.h"

namespace heddle::cuda {

Answer<std::shared_ptr<Library>> find_library(LibraryHandle handle);
Answer<std::shared_ptr<LibraryKernel>> find_kernel(KernelHandle handle);

// Nothing is compiled yet: what is wrong with the code is said by the first call that needs it.
Status load_library(LibraryHandle* out, const Answer<ProgramImage>& program, const std::string& name);
// Options of the compiler and of the library, as both APIs number them.
template <class JitOption, class LibraryOption>
Status check_library_options(unsigned jit_count, const JitOption* jit, void** jit_values, unsigned count,
                             const LibraryOption* options, void* const* values) {
  JitOptions read;
  if (Status good = read.read(jit_count, jit, jit_values); !good) return good;
  if (count != 0 && (options == nullptr || values == nullptr))
    return invalid_value("the options of the library are NULL");
  constexpr int known = 2;  // a table of the host's functions, a binary that stays where it is
  for (unsigned i = 0; i < count; ++i)
    if (static_cast<int>(options[i]) < 0 || static_cast<int>(options[i]) >= known)
      return invalid_value("no option of a library has the number " +
                           std::to_string(static_cast<int>(options[i])));
  return Unit{};
}
Status unload_library(LibraryHandle library);

// Kernels are the same in every context, so that none is needed.
Status library_kernel(KernelHandle* out, LibraryHandle library, const char* name);
Status library_kernel_count(unsigned* out, LibraryHandle library);
Status library_kernels(KernelHandle* to, unsigned count, LibraryHandle library);
// A variable has its place in a context.
Status library_variable(const Answer<ContextRef>& context, void* address_out, std::size_t* bytes_out,
                        LibraryHandle library, const char* name, bool managed);
// Functions of the host that a library finds: there are none.
Status library_host_function(LibraryHandle library, const char* name);

// A kernel's function where its attributes are asked: in the current context if it is of the device, else in
// the primary one.
Answer<FunctionRef> kernel_on(KernelHandle kernel, int device);

}  // namespace heddle::cuda
