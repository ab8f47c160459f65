#include <dlfcn.h>

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

std::vector<fs::path> candidates() {
  const std::string version = CLANG_VERSION_MAJOR_STRING;
  std::vector<fs::path> folders;
  Dl_info library{};
  if (dladdr(reinterpret_cast<void*>(&clang::getClangRevision), &library) != 0 && library.dli_fname) {
    std::error_code failed;
    const fs::path file = fs::canonical(library.dli_fname, failed);
    if (!failed) {
      const fs::path beside = file.parent_path();
      folders.push_back(beside / "clang" / version);
      folders.push_back(beside / ("../llvm-" + version) / "lib/clang" / version);
    }
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

}  // namespace heddle::frontend
