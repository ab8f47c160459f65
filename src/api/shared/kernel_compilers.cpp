#include "api/shared/kernel_compilers.h"

#include "api/shared/compilers_library.h"

namespace heddle::shared {

const exec::jit::Compilers* load_kernel_compilers(std::string& why) {
  const CompilersLibrary& library = compilers_library();
  const auto find = reinterpret_cast<decltype(&heddle_compilers)>(library.find("heddle_compilers"));
  if (find != nullptr) return find(why);
  why = library.why();
  return nullptr;
}

}  // namespace heddle::shared
