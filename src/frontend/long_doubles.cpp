#include "frontend/long_doubles.h"

#include <array>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <optional>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"

namespace heddle::frontend {

namespace {

static_assert(LDBL_MANT_DIG == 64, "the host's long double is what its programs have");

struct Known {
  llvm::StringLiteral name;
  llvm::Intrinsic::ID intrinsic;
  long double (*compute)(long double);
};
constexpr std::array<Known, 5> known{{
    {"logl", llvm::Intrinsic::log, &std::log},
    {"log2l", llvm::Intrinsic::log2, &std::log2},
    {"log10l", llvm::Intrinsic::log10, &std::log10},
    {"expl", llvm::Intrinsic::exp, &std::exp},
    {"sqrtl", llvm::Intrinsic::sqrt, &std::sqrt},
}};

const Known* find(const llvm::CallInst& call) {
  const llvm::Function* const callee = call.getCalledFunction();
  if (callee == nullptr || !callee->isDeclaration() || call.isNoBuiltin() || call.isStrictFP() ||
      call.arg_size() != 1 || !call.getType()->isX86_FP80Ty() ||
      !call.getArgOperand(0)->getType()->isX86_FP80Ty())
    return nullptr;
  const auto* const found = llvm::find_if(known, [&](const Known& k) {
    return callee->isIntrinsic() ? callee->getIntrinsicID() == k.intrinsic : callee->getName() == k.name;
  });
  return found == known.end() ? nullptr : found;
}

// Nothing where the call would set errno or raise more than "inexact": then it is left to the program.
std::optional<llvm::APFloat> value_of(const Known& function, const llvm::APFloat& argument) {
  long double value = 0;
  const llvm::APInt bits = argument.bitcastToAPInt();
  std::memcpy(&value, bits.getRawData(), 10);
  const bool has_answer = function.compute == static_cast<long double (*)(long double)>(&std::exp)
                              ? std::fabs(value) < 10'000
                              : value > 0;
  if (!argument.isFinite() || argument.isDenormal() || !has_answer) return std::nullopt;
  value = function.compute(value);
  std::array<uint64_t, 2> words{};
  std::memcpy(words.data(), &value, 10);
  return llvm::APFloat(llvm::APFloat::x87DoubleExtended(), llvm::APInt(80, words));
}

}  // namespace

llvm::PreservedAnalyses LongDoublesPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* const call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call == nullptr) continue;
    const Known* const called = find(*call);
    if (called == nullptr) continue;
    const auto* const argument = llvm::dyn_cast<llvm::ConstantFP>(call->getArgOperand(0));
    if (argument == nullptr) continue;
    const auto value = value_of(*called, argument->getValueAPF());
    if (!value) continue;
    call->replaceAllUsesWith(llvm::ConstantFP::get(call->getContext(), *value));
    call->eraseFromParent();
    changed = true;
  }
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

}  // namespace heddle::frontend
