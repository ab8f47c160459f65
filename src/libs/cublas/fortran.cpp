#include "libs/cublas/fortran.h"

#include <dlfcn.h>

#include <cstring>

namespace heddle::fortran {

namespace {
thread_local int calls = 0;
}

Inside::Inside() { ++calls; }
Inside::~Inside() { --calls; }
bool inside() { return calls > 0; }

Function of_openblas(const char* name) {
  static void* const library = dlopen("libopenblas.so.0", RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  void* const found = library != nullptr ? dlsym(library, name) : nullptr;
  Function function = nullptr;
  std::memcpy(&function, &found, sizeof function);
  return function;
}

Function bound(const char* name, Function linked) {
  const Function own = of_openblas(name);
  return own != nullptr ? own : linked;
}

}  // namespace heddle::fortran
