#include "frontend/cuda.h"

#include <charconv>
#include <filesystem>

#include "clang/Basic/Cuda.h"
#include "frontend/tesla.h"
#include "llvm/ADT/StringRef.h"

namespace heddle::frontend {

namespace {

constexpr uint32_t lowest_of_clang = 20;

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

}  // namespace

std::optional<Target> find_target(std::string_view name) {
  Target target;
  target.name = name;
  const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), target.number);
  const std::string_view suffix = name.substr(static_cast<std::size_t>(end - name.data()));
  if (failed != std::errc() || target.number < 10 || (!suffix.empty() && suffix != "a")) return std::nullopt;
  target.clang_name = target.is_1x() ? "sm_" + std::to_string(lowest_of_clang) : "sm_" + target.name;
  if (clang::StringToOffloadArch(target.clang_name) == clang::OffloadArch::UNKNOWN) return std::nullopt;
  // What the toolkits that last knew an architecture wrote for it.
  target.ptx_feature = target.number < 30 ? "+ptx42" : "+ptx85";
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
  if (target.is_1x()) {
    words.insert(words.end(), {"-U__CUDA_ARCH__", "-D__CUDA_ARCH__=" + std::to_string(target.number * 10)});
  }
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
  return target.is_1x() ? lower_to_1x(ptx, target.number) : Result<std::string>(std::move(ptx));
}

}  // namespace heddle::frontend
