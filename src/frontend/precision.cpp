#include "frontend/precision.h"

#include <algorithm>
#include <string>
#include <vector>

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace heddle::frontend {

namespace {

llvm::Value* call_ptx(llvm::IRBuilder<>& builder, const std::string& mnemonic,
                      llvm::ArrayRef<llvm::Value*> operands) {
  std::string text = mnemonic + " $0", constraints = "=f";
  std::vector<llvm::Type*> types;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    text += ", $" + std::to_string(i + 1);
    constraints += ",f";
    types.push_back(builder.getFloatTy());
  }
  text += ';';
  auto* type = llvm::FunctionType::get(builder.getFloatTy(), types, false);
  return builder.CreateCall(type, llvm::InlineAsm::get(type, text, constraints, false), operands);
}

bool is_root(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::sqrt;
}

}  // namespace

llvm::PreservedAnalyses PrecisionPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  const std::string flush = precision_.flush_subnormals ? ".ftz" : "";
  const bool divisions = precision_.division != FloatPrecision::Division::rounded;
  std::vector<llvm::Instruction*> found;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!instruction.getType()->isFloatTy()) continue;
    if ((divisions && instruction.getOpcode() == llvm::Instruction::FDiv) ||
        (precision_.approximate_root && is_root(instruction)))
      found.push_back(&instruction);
  }
  // 1 / sqrt(x) is one instruction, before its root becomes another.
  std::partition(found.begin(), found.end(), [](const llvm::Instruction* instruction) {
    return instruction->getOpcode() == llvm::Instruction::FDiv;
  });
  for (llvm::Instruction* instruction : found) {
    llvm::IRBuilder<> builder(instruction);
    llvm::Value* result = nullptr;
    if (is_root(*instruction) && instruction->use_empty()) {
      instruction->eraseFromParent();
      continue;
    }
    if (instruction->getOpcode() != llvm::Instruction::FDiv) {
      result = call_ptx(builder, "sqrt.approx" + flush + ".f32", {instruction->getOperand(0)});
    } else if (const auto* one = llvm::dyn_cast<llvm::ConstantFP>(instruction->getOperand(0));
               one != nullptr && one->isExactlyValue(1.0)) {
      const auto* below = llvm::dyn_cast<llvm::Instruction>(instruction->getOperand(1));
      if (precision_.approximate_root && below != nullptr && is_root(*below))
        result = call_ptx(builder, "rsqrt.approx" + flush + ".f32", {below->getOperand(0)});
      else
        result = call_ptx(builder, "rcp.approx" + flush + ".f32", {instruction->getOperand(1)});
    } else {
      const bool full = precision_.division == FloatPrecision::Division::full_range;
      result = call_ptx(builder, (full ? "div.full" : "div.approx") + flush + ".f32",
                        {instruction->getOperand(0), instruction->getOperand(1)});
    }
    instruction->replaceAllUsesWith(result);
    instruction->eraseFromParent();
  }
  return found.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

}  // namespace heddle::frontend
