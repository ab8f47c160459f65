#include "api/compilers/find.h"

extern "C" void* heddle_find_compiler(const char* library, const char* name) {
  using namespace heddle;
  for (const auto libraries : {compilers::cuda_libraries(), compilers::opencl_libraries()})
    if (const entry::Library* const found = entry::find_library(libraries, library))
      return entry::find_symbol(*found, name);
  return nullptr;
}
