#include "frontend/integer_conversions.h"

#include <vector>

#include "frontend/wide_conversions.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::frontend {

namespace {

struct Conversion {
  llvm::Instruction* instruction = nullptr;
  bool to_signed = false;
  bool clamps = false;
};

std::optional<Conversion> conversion(llvm::Instruction& instruction) {
  switch (instruction.getOpcode()) {
    case llvm::Instruction::FPToSI: return Conversion{&instruction, true, false};
    case llvm::Instruction::FPToUI: return Conversion{&instruction, false, false};
    default: break;
  }
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
    if (call->getIntrinsicID() == llvm::Intrinsic::fptosi_sat) return Conversion{&instruction, true, true};
    if (call->getIntrinsicID() == llvm::Intrinsic::fptoui_sat) return Conversion{&instruction, false, true};
  }
  return std::nullopt;
}

// What cvt gives for NaN (PTX ISA, cvt): the highest bit alone where 64 bits are on either side, otherwise 0.
// 128 bits, which PTX does not convert to, are for nvcc as 64. LLVM's intrinsic always gives 0.
bool nan_is_highest_bit(llvm::Type* from, unsigned bits) { return from->isDoubleTy() || bits >= 64; }

llvm::Value* defined(const Conversion& one) {
  llvm::IRBuilder<> ir(one.instruction);
  llvm::Value* from = one.instruction->getOperand(0);
  llvm::Type* type = one.instruction->getType();
  const unsigned wanted = type->getScalarSizeInBits();
  if (wanted > 128) return nullptr;
  const unsigned bits = wanted > 64 ? 128 : wanted > 32 ? 64 : 32;
  llvm::Type* wide = type->getWithNewBitWidth(bits);
  llvm::Value* made =
      ir.CreateIntrinsic(one.to_signed ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
                         {wide, from->getType()}, {from});
  if (wanted < bits) return ir.CreateTrunc(made, type);  // 0, whatever cvt gives for NaN
  if (!nan_is_highest_bit(from->getType()->getScalarType(), bits)) return made;
  llvm::Constant* of_nan = llvm::ConstantInt::get(wide, llvm::APInt::getSignMask(bits));
  return ir.CreateSelect(ir.CreateFCmpUNO(from, from), of_nan, made);
}

// The choice that nan_is_highest_bit() made of this conversion, if it is the only one who asks.
llvm::SelectInst* choice_for_nan(llvm::Instruction& conversion) {
  using namespace llvm::PatternMatch;
  if (!conversion.hasOneUse()) return nullptr;
  auto* choice = llvm::dyn_cast<llvm::SelectInst>(conversion.user_back());
  if (choice == nullptr) return nullptr;
  llvm::Value* from = conversion.getOperand(0);
  llvm::CmpInst::Predicate predicate{};
  if (!match(choice->getCondition(), m_FCmp(predicate, m_Specific(from), m_Value())) ||
      (predicate != llvm::CmpInst::FCMP_UNO && predicate != llvm::CmpInst::FCMP_ORD))
    return nullptr;
  const llvm::Value* other =
      llvm::cast<llvm::Instruction>(choice->getCondition())->getOperand(1);  // itself, or a number
  if (other != from && !match(other, m_AnyZeroFP())) return nullptr;
  const bool unordered = predicate == llvm::CmpInst::FCMP_UNO;
  const llvm::Value* of_number = unordered ? choice->getFalseValue() : choice->getTrueValue();
  const llvm::Value* of_nan = unordered ? choice->getTrueValue() : choice->getFalseValue();
  const bool is_sign = match(of_nan, m_SignMask());
  return of_number == &conversion && is_sign ? choice : nullptr;
}

// Whether all who use it take low bits of it, in which the values for NaN agree.
bool only_low_bits(const llvm::Instruction& conversion) {
  using namespace llvm::PatternMatch;
  return llvm::all_of(conversion.users(), [](const llvm::User* user) {
    return llvm::isa<llvm::TruncInst>(user) || match(user, m_c_And(m_Value(), m_NonNegative()));
  });
}

}  // namespace

llvm::PreservedAnalyses DefineConversionsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  std::vector<Conversion> found;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (const auto one = conversion(instruction); one && (!one->clamps || casts_ == Casts::intrinsics))
      found.push_back(*one);
  bool changed = false;
  for (const Conversion& one : found) {
    llvm::Value* made = defined(one);
    if (made == nullptr) continue;
    one.instruction->replaceAllUsesWith(made);
    one.instruction->eraseFromParent();
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses LowerConversionsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  std::vector<Conversion> found;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    // Of 8 and 16 bits are those that clamp to so few: LLVM compares before them.
    const unsigned bits = instruction.getType()->getScalarSizeInBits();
    if (const auto one = conversion(instruction); one && one->clamps && (bits == 32 || bits == 64))
      found.push_back(*one);
  }
  for (const Conversion& one : found) {
    llvm::SelectInst* choice = choice_for_nan(*one.instruction);
    llvm::Value* from = one.instruction->getOperand(0);
    llvm::Type* type = one.instruction->getType();
    const bool gives_zero =
        !nan_is_highest_bit(from->getType()->getScalarType(), type->getScalarSizeInBits());
    llvm::IRBuilder<> ir(one.instruction);
    llvm::Value* made = one.to_signed ? ir.CreateFPToSI(from, type) : ir.CreateFPToUI(from, type);
    if (choice != nullptr) {
      choice->replaceAllUsesWith(made);
      llvm::Value* condition = choice->getCondition();
      choice->eraseFromParent();
      if (condition->use_empty()) llvm::cast<llvm::Instruction>(condition)->eraseFromParent();
    } else if (!gives_zero && !only_low_bits(*one.instruction)) {
      // OpenCL C's convert_int_sat(), or a choice that was taken apart.
      made = ir.CreateSelect(ir.CreateFCmpUNO(from, from), llvm::Constant::getNullValue(type), made);
    }
    one.instruction->replaceAllUsesWith(made);
    one.instruction->eraseFromParent();
  }
  const bool changed = lower_wide_conversions(function) || !found.empty();
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace heddle::frontend
