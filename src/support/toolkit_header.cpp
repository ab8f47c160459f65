#include "support/toolkit_header.h"

#include <filesystem>
#include <string>

namespace heddle {

namespace {

// Whatever lies below a folder that has one of these.
constexpr const char* marks[] = {"cuda_runtime_api.h", "__clang_cuda_runtime_wrapper.h"};
constexpr int deepest = 4;  // cooperative_groups/details/..., cuda/std/__atomic/...

}  // namespace

bool is_toolkit_header(std::string_view file) {
  if (file.starts_with("/usr/include/") || file.find("/include/c++/") != std::string_view::npos) return true;
  std::error_code ignored;
  std::filesystem::path folder = std::filesystem::path(file).parent_path();
  for (int i = 0; i < deepest && folder.has_relative_path(); ++i, folder = folder.parent_path())
    for (const char* mark : marks)
      if (std::filesystem::exists(folder / mark, ignored)) return true;
  return false;
}

}  // namespace heddle
