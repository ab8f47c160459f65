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

// What clang's own headers bring along from the host's C and C++ libraries, and NVRTC does not have: programs
// and headers made for NVRTC declare it themselves, otherwise than those libraries. While clang's headers are
// read it has another name.
constexpr const char* structures_of_host[] = {"tuple_size", "tuple_element", "timespec"};
struct Integer {
  const char *name, *type;  // as those programs declare it
};
constexpr Integer integers_of_host[] = {
    {"int64_t", "long long"},       {"uint64_t", "unsigned long long"},
    {"int_least64_t", "long long"}, {"uint_least64_t", "unsigned long long"},
    {"int_fast16_t", "short"},      {"uint_fast16_t", "unsigned short"},
    {"int_fast32_t", "int"},        {"uint_fast32_t", "unsigned"},
    {"int_fast64_t", "long long"},  {"uint_fast64_t", "unsigned long long"},
    {"intptr_t", "long long"},      {"uintptr_t", "unsigned long long"},
    {"intmax_t", "long long"},      {"uintmax_t", "unsigned long long"},
    {"time_t", "long long"},
};

}  // namespace

std::vector<std::string> host_names_hidden() {
  std::vector<std::string> words;
  const auto hide = [&](const std::string& name) { words.push_back("-D" + name + "=__heddle_host_" + name); };
  for (const char* name : structures_of_host) hide(name);
  for (const Integer& integer : integers_of_host) hide(integer.name);
  return words;
}

const std::string& first_lines() {
  static const auto& lines = *[] {
    auto* text = new std::string("#include <stdint.h>\n");
    for (const char* name : not_of_nvrtc) *text += "#undef " + std::string(name) + "\n";
    for (const char* name : structures_of_host) *text += "#undef " + std::string(name) + "\n";
    // The integers stay there, for programs that take them for granted.
    for (const auto& [name, type] : integers_of_host) {
      const std::string word = name;
      *text += "#undef " + word + "\ntypedef " + type + " " + word + ";\n";
      *text += "namespace std { using ::" + word + "; }\n";
    }
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
