#include "api/nvrtc/first_lines.h"

namespace heddle::nvrtc {
namespace {

// clang says by these what compiles and for which system. NVRTC is none of these compilers and has no system
// (NVRTC, "Predefined Macros"), and headers that serve several compilers take __CUDACC_RTC__ for it only
// where no other is there. Headers of the C library must not come after: without __GNUC__ they define away
// __attribute__, and kernels with it. Those that clang's own headers include came before.
constexpr const char* not_of_nvrtc[] = {
    "__clang__",
    "__clang_major__",
    "__clang_minor__",
    "__clang_patchlevel__",
    "__clang_version__",
    "__GNUC__",
    "__GNUC_MINOR__",
    "__GNUC_PATCHLEVEL__",
    "__GNUG__",
    "__VERSION__",
    "__linux",
    "__linux__",
    "linux",
    "__gnu_linux__",
    "__unix",
    "__unix__",
    "unix",
    "_GNU_SOURCE",
};

}  // namespace

const std::string& first_lines() {
  static const auto& lines = *[] {
    auto* text = new std::string;
    for (const char* name : not_of_nvrtc) *text += "#undef " + std::string(name) + "\n";
    // NVRTC has these macros by itself, and headers made for it (cuda_fp16.h of wheels) include nothing.
    *text += "#include <nv/target>\n";
    // Nor do those headers include their functions' bodies, which NVRTC has in a library, unless they are
    // told.
    for (const char* header : {"FP16", "BF16"})
      *text += "#define __FORCE_INCLUDE_CUDA_" + std::string(header) + "_HPP_FROM_" + header + "_H__\n";
    return text;
  }();
  return lines;
}

}  // namespace heddle::nvrtc
