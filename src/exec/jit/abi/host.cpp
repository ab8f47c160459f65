#include "exec/jit/abi/host.h"

#include <array>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

namespace heddle::exec::jit {

namespace {

// LLVM's name of the processor that has a level and no more, the x86-64 psABI's.
constexpr std::array least{"x86-64-v2", "x86-64-v3", "x86-64-v4"};

// LLVM before 22 swaps the operands of a comparison of halves under a mask, to fold a spilled one, and leaves
// the direction as it was (llvm-project issue 159723): one of 500 random programs in the best tier. Without
// the feature halves are compared as floats.
constexpr llvm::StringLiteral distrusted = "avx512fp16";

std::string spell(const llvm::StringMap<bool>& features) {
  // In the order of their names.
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

Result<Host, std::string> find_host(const char* forced) {
  const auto processor = find_processor(forced);
  if (!processor) return processor.error();
  if (processor->forced) return Host{processor->level, least[static_cast<size_t>(processor->level)], ""};
  return Host{processor->level, llvm::sys::getHostCPUName().str(), spell(llvm::sys::getHostCPUFeatures())};
}

}  // namespace heddle::exec::jit
