#include "support/beside.h"

#include <dlfcn.h>

#include <cstdlib>
#include <memory>

namespace heddle {

std::string beside_this_library(const char* file) {
  Dl_info where{};
  if (dladdr(reinterpret_cast<const void*>(&beside_this_library), &where) == 0 || where.dli_fname == nullptr)
    return file;
  // It may have been found through a link beside which nothing else lies.
  std::unique_ptr<char, decltype(&std::free)> real(realpath(where.dli_fname, nullptr), &std::free);
  const std::string path = real ? real.get() : where.dli_fname;
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? file : path.substr(0, slash + 1) + file;
}

}  // namespace heddle
