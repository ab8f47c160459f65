#include "exec/jit/abi/host.h"

#include <array>
#include <optional>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

namespace heddle::exec::jit {

namespace {

// The x86-64 psABI's levels: what each adds, in LLVM's names. Code of a level may use all of it.
struct Level {
  VectorLevel level;
  std::string_view spelling;
  const char* cpu;
  std::array<const char*, 8> needs;
};
constexpr std::array levels{
    Level{VectorLevel::v2, "x86-64-v2", "x86-64-v2", {"cx16", "popcnt", "sse4.2", "ssse3"}},
    Level{VectorLevel::avx2, "avx2", "x86-64-v3", {"avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"}},
    Level{VectorLevel::avx512,
          "avx512",
          "x86-64-v4",
          {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}},
};

// LLVM before 22 swaps the operands of a comparison of halves under a mask, to fold a spilled one, and leaves
// the direction as it was (llvm-project issue 159723): one of 500 random programs in the best tier. Without
// the feature halves are compared as floats.
constexpr llvm::StringLiteral distrusted = "avx512fp16";

// The first feature that the host has not, or nullptr.
const char* missing(const Level& level, const llvm::StringMap<bool>& features) {
  for (const char* need : level.needs) {
    if (need && !features.lookup(need)) return need;
  }
  return nullptr;
}

std::string spell(const llvm::StringMap<bool>& features) {
  // In the order of their names: the string is part of the disk cache's keys.
  std::vector<std::pair<llvm::StringRef, bool>> sorted;
  for (const auto& f : features) sorted.emplace_back(f.first(), f.second);
  llvm::sort(sorted);
  std::string text;
  for (const auto& [feature, has] : sorted) {
    if (!text.empty()) text += ',';
    text += has && feature != distrusted ? '+' : '-';
    text += feature;
  }
  return text;
}

}  // namespace

std::string_view name(VectorLevel level) { return levels[static_cast<size_t>(level)].spelling; }

Result<Host, std::string> find_host(const char* forced) {
#if !defined(__x86_64__)
  (void)forced;
  return std::string("kernels are compiled for x86-64 hosts only");
#else
  const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  std::string_view wanted = forced ? forced : "";
  if (!wanted.empty()) {
    for (const Level& level : levels) {
      if (level.spelling != wanted) continue;
      for (const Level& lower : levels) {
        if (lower.level > level.level) break;
        if (const char* feature = missing(lower, features)) {
          return "HEDDLE_JIT_CPU is " + std::string(wanted) + ", but this processor has no " + feature;
        }
      }
      // Exactly the level: code for it runs everywhere that has it.
      return Host{level.level, level.cpu, ""};
    }
    std::string known;
    for (const Level& level : levels) {
      known += (known.empty() ? "" : level.level == VectorLevel::avx512 ? " or " : ", ");
      known += level.spelling;
    }
    return "HEDDLE_JIT_CPU is '" + std::string(wanted) + "', not one of " + known;
  }
  std::optional<VectorLevel> best;
  for (const Level& level : levels) {
    if (missing(level, features)) break;
    best = level.level;
  }
  if (!best) {
    return std::string("this processor has no ") + missing(levels[0], features) +
           ": kernels are compiled for x86-64-v2 at least";
  }
  return Host{*best, llvm::sys::getHostCPUName().str(), spell(features)};
#endif
}

}  // namespace heddle::exec::jit
