#include "api/shared/compilers_library.h"

#include <dlfcn.h>
#include <link.h>

#include <string_view>

#include "support/beside.h"
#include "support/static_objects.h"
#include "support/watch_for_end.h"

// Called before anything of what is loaded with the compilers begins (api/trampoline/keep.c).
extern "C" void heddle_keep_compilers();

namespace heddle::shared {

namespace {

int keep_llvm(dl_phdr_info* info, size_t, void*) {
  if (std::string_view(info->dlpi_name).find("/libLLVM") == std::string_view::npos) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_LOAD) {
      (void)keep_static_objects(reinterpret_cast<const void*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr));
      return 0;
    }
  return 0;
}

}  // namespace

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

extern "C" void heddle_keep_compilers() { dl_iterate_phdr(heddle::shared::keep_llvm, nullptr); }
