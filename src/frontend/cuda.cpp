#include "frontend/cuda.h"

#include <charconv>
#include <filesystem>

#include "clang/Basic/Cuda.h"
#include "frontend/tesla.h"
#include "llvm/ADT/StringRef.h"

namespace heddle::frontend {

namespace {

constexpr uint32_t lowest_of_clang = 20;
// What CUDA 12.9's compiler writes.
constexpr isa::Version toolkit_ptx{8, 8};

// clang warns of more by itself than nvcc and the host compilers it works with, and makes some of it errors
// (narrowing, `register`). These are what nvcc warns of; what users ask for comes behind.
constexpr const char* warnings[] = {
    "-Wno-everything",     "-W#warnings",       "-Wunused-variable",         "-Wunused-but-set-variable",
    "-Wreturn-type",       "-Wuninitialized",   "-Wdeprecated-declarations", "-Wdivision-by-zero",
    "-Winteger-overflow",  "-Wnon-pod-varargs", "-Wshift-count-overflow",    "-Wshift-count-negative",
    "-Wundefined-internal"};

std::vector<std::string> common_arguments(std::string_view toolkit) {
  std::vector<std::string> words{"-x", "cuda", "--cuda-path=" + std::string(toolkit),
                                 "--no-cuda-version-check"};
  words.insert(words.end(), std::begin(warnings), std::end(warnings));
  return words;
}

bool clang_knows(const std::string& name) {
  return clang::StringToOffloadArch(name) != clang::OffloadArch::UNKNOWN;
}

// Code for an older architecture is code for a later one; what that has in addition is in inline PTX.
std::string newest_of_clang_below(uint32_t number) {
  std::string newest;
  for (const isa::TargetInfo& one : isa::targets())
    if (one.sm < number && one.suffix == isa::TargetNeed::Suffix::none && clang_knows(std::string(one.name)))
      newest = one.name;
  return newest;
}

// The macros that say which architecture is compiled for, where clang's own do not (CUDA C++ Programming
// Guide, "Feature Set Compiler Targets").
std::vector<std::string> architecture_macros(const Target& target) {
  const std::string number = std::to_string(target.number * 10);
  std::vector<std::string> words;
  if (target.clang_name != "sm_" + target.name) {
    words = {"-U__CUDA_ARCH__", "-D__CUDA_ARCH__=" + number};
    if (target.name.ends_with('a'))
      words.push_back("-D__CUDA_ARCH_FEAT_SM" + std::to_string(target.number) + "_ALL");
  }
  if (target.name.ends_with('a')) words.push_back("-D__CUDA_ARCH_SPECIFIC__=" + number);
  if (target.name.ends_with('a') || target.name.ends_with('f'))
    words.push_back("-D__CUDA_ARCH_FAMILY_SPECIFIC__=" + number);
  return words;
}

// The word behind a directive's name, such as 8.5 in ".version 8.5".
void put_word(std::string& ptx, std::string_view directive, std::string_view word) {
  const std::size_t at = ptx.find(directive);
  if (at == std::string::npos) return;
  const std::size_t from = at + directive.size();
  ptx.replace(from, ptx.find_first_of(",\n", from) - from, word);
}

}  // namespace

std::optional<Target> find_target(std::string_view name) {
  Target target;
  target.name = name;
  const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), target.number);
  const std::string_view suffix = name.substr(static_cast<std::size_t>(end - name.data()));
  if (failed != std::errc() || target.number < 10 || suffix.size() > 1) return std::nullopt;
  const isa::TargetInfo* known = isa::find_target("sm_" + target.name);
  if (known == nullptr) return std::nullopt;
  target.clang_name = target.is_1x() ? "sm_" + std::to_string(lowest_of_clang) : "sm_" + target.name;
  if (!clang_knows(target.clang_name)) target.clang_name = newest_of_clang_below(target.number);
  if (target.clang_name.empty()) return std::nullopt;
  // What the toolkits that last knew an architecture wrote for it. clang's newest is older than ours.
  target.ptx_feature = target.number < 30 ? "+ptx42" : "+ptx85";
  target.ptx = target.number < 30 ? isa::Version{4, 2} : std::max(toolkit_ptx, known->ptx);
  return target;
}

FloatPrecision precision_on(const Target& target, FloatPrecision wanted) {
  if (!target.is_1x()) return wanted;
  wanted.approximate_root = true;
  if (wanted.division == FloatPrecision::Division::rounded)
    wanted.division = FloatPrecision::Division::full_range;
  return wanted;
}

std::vector<std::string> device_arguments(const Target& target, std::string_view toolkit) {
  std::vector<std::string> words = common_arguments(toolkit);
  words.insert(words.end(), {"--cuda-device-only", "--cuda-gpu-arch=" + target.clang_name,
                             "--cuda-feature=" + target.ptx_feature, "-fno-math-errno", "-S"});
  // A shuffle is called by all lanes and may be given a variable that only one of them has set. For clang
  // that is undefined, and it would take the way on which the variable is set for the only one.
  words.insert(words.end(), {"-Xclang", "-no-enable-noundef-analysis"});
  if (target.number < 30) {
    // clang looks for a libdevice only where toolkits of today have one, and forgets the toolkit's version
    // without it.
    words.insert(words.end(),
                 {"-nocudalib", "-Xclang", "-target-sdk-version=12.5", "-Xclang", "-mlink-builtin-bitcode",
                  "-Xclang", (std::filesystem::path(toolkit) / "nvvm/libdevice/libdevice.10.bc").string()});
  }
  for (std::string& word : architecture_macros(target)) words.push_back(std::move(word));
  return words;
}

std::vector<std::string> host_arguments(std::string_view toolkit) {
  std::vector<std::string> words = common_arguments(toolkit);
  words.insert(words.end(), {"--cuda-host-only", "-nocudalib", "-Xclang", "-target-sdk-version=12.5"});
  return words;
}

std::vector<std::string> header_arguments(std::string_view toolkit) {
  return {"-isystem", std::string(toolkit) + "/include"};
}

Result<std::string> finish_ptx(const Target& target, std::string ptx) {
  if (target.is_1x()) return lower_to_1x(ptx, target.number);
  put_word(ptx, ".version ", std::to_string(target.ptx.major) + '.' + std::to_string(target.ptx.minor));
  put_word(ptx, ".target ", "sm_" + target.name);
  return ptx;
}

}  // namespace heddle::frontend
