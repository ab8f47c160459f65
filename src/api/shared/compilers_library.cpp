#include "api/shared/compilers_library.h"

#include <dlfcn.h>

#include <string>

#include "support/beside.h"
#include "support/watch_for_end.h"

namespace heddle::shared {

void* CompilersLibrary::find(const char* symbol) const {
  return handle_ == nullptr ? nullptr : dlsym(handle_, symbol);
}

const CompilersLibrary& compilers_library() {
  static const CompilersLibrary& library = []() -> const CompilersLibrary& {
    CompilersLibrary& made = *new CompilersLibrary;
    const std::string path = beside_this_library(compilers_file);
    made.handle_ = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (made.handle_ == nullptr) {
      const char* const reason = dlerror();
      made.why_ = "no compiler: " + (reason != nullptr ? std::string(reason) : path);
    }
    // Its static objects, and LLVM's, go before what was registered until now runs.
    watch_for_end_again();
    return made;
  }();
  return library;
}

}  // namespace heddle::shared
