#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "clang/Basic/Version.h"
#include "frontend/clang.h"

namespace heddle::frontend {

namespace {

namespace fs = std::filesystem;

bool has_headers(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "include/stddef.h", ignored) &&
         fs::exists(folder / "include/__clang_cuda_runtime_wrapper.h", ignored);
}

// The file that this code is part of: libheddle.so.0, or a program, which the loader knows by no path.
fs::path own_file() {
  Dl_info info{};
  link_map* map = nullptr;
  std::error_code failed;
  if (dladdr1(reinterpret_cast<void*>(&clang::getClangRevision), &info, reinterpret_cast<void**>(&map),
              RTLD_DL_LINKMAP) == 0 ||
      map == nullptr)
    return {};
  const fs::path file = fs::canonical(*map->l_name != 0 ? map->l_name : "/proc/self/exe", failed);
  return failed ? fs::path() : file;
}

// The toolkit brings the headers of the clang that it was built with; they fit best, and are there wherever
// it is copied.
std::vector<fs::path> candidates() {
  const std::string version = CLANG_VERSION_MAJOR_STRING;
  std::vector<fs::path> folders;
  if (const fs::path file = own_file(); !file.empty()) {
    const fs::path beside = file.parent_path();
    folders.push_back(beside / "clang" / version);
    folders.push_back(beside / "../lib64/clang" / version);
    folders.push_back(beside / ("../llvm-" + version) / "lib/clang" / version);
  }
  folders.push_back(fs::path("/usr/lib/llvm-" + version) / "lib/clang" / version);
  folders.push_back(fs::path("/usr/lib/clang") / version);
  folders.push_back(fs::path("/usr/lib64/clang") / version);
  return folders;
}

}  // namespace

Result<std::string> resource_directory() {
  if (const char* given = std::getenv("HEDDLE_CLANG_RESOURCES"); given != nullptr && *given != 0) {
    if (has_headers(given)) return fs::path(given).lexically_normal().string();
    return Error{std::string("HEDDLE_CLANG_RESOURCES is '") + given +
                 "', which has no include/stddef.h and include/__clang_cuda_runtime_wrapper.h"};
  }
  const std::vector<fs::path> folders = candidates();
  std::string looked_in;
  for (const fs::path& folder : folders) {
    if (has_headers(folder)) return folder.lexically_normal().string();
    looked_in += (looked_in.empty() ? "" : ", ") + folder.lexically_normal().string();
  }
  return Error{"the headers of clang " CLANG_VERSION_MAJOR_STRING
               " (include/stddef.h, include/__clang_cuda_runtime_wrapper.h) are missing; looked in " +
               looked_in +
               "; install libclang-common-" CLANG_VERSION_MAJOR_STRING
               "-dev, or name their folder in HEDDLE_CLANG_RESOURCES"};
}

std::string openmp_directory() {
  std::vector<fs::path> folders = candidates();
  if (const char* given = std::getenv("HEDDLE_CLANG_RESOURCES"); given != nullptr && *given != 0)
    folders.insert(folders.begin(), given);
  for (const fs::path& folder : folders) {
    std::error_code ignored;
    if (fs::exists(folder / "include/omp.h", ignored) && fs::exists(folder / "../../libomp.so", ignored))
      return folder.lexically_normal().string();
  }
  return {};
}

}  // namespace heddle::frontend
