#include "exec/jit/transform/narrow.h"

#include <vector>

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/DemandedBits.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace heddle::exec::jit {

namespace {

constexpr unsigned narrow_bits = 32;

// Whether the low bits of the result depend on the low bits of the operands alone.
bool is_narrowable(const llvm::Instruction& i) {
  switch (i.getOpcode()) {
    case llvm::Instruction::PHI:
    case llvm::Instruction::Select:
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
    case llvm::Instruction::Mul:
    case llvm::Instruction::And:
    case llvm::Instruction::Or:
    case llvm::Instruction::Xor: return true;
    case llvm::Instruction::Shl: {
      const auto* amount = llvm::dyn_cast<llvm::ConstantInt>(i.getOperand(1));
      return amount != nullptr && amount->getValue().ult(narrow_bits);
    }
    default: return false;
  }
}

class Narrowing {
 public:
  Narrowing(llvm::Function& f, llvm::DemandedBits& demanded) : type_(llvm::Type::getInt32Ty(f.getContext())) {
    for (llvm::BasicBlock& block : f)
      for (llvm::Instruction& i : block)
        if (i.getType()->isIntegerTy(64) && is_narrowable(i) && !demanded.isInstructionDead(&i) &&
            demanded.getDemandedBits(&i).getActiveBits() <= narrow_bits)
          narrow_[&i] = nullptr;
  }

  bool run() {
    if (narrow_.empty()) return false;
    // First all results, so that cycles of phis find each other; then their operands.
    for (auto& [wide, result] : narrow_) result = begin(*wide);
    for (auto& [wide, result] : narrow_) finish(*wide, *llvm::cast<llvm::Instruction>(result));
    for (auto& [wide, result] : narrow_) replace(*wide, result);
    for (auto& [wide, result] : narrow_) {
      wide->replaceAllUsesWith(llvm::PoisonValue::get(wide->getType()));
      wide->eraseFromParent();
    }
    return true;
  }

 private:
  // The twin with operands that are still to come. Flags of the wide one say nothing of it.
  llvm::Instruction* begin(llvm::Instruction& wide) {
    llvm::IRBuilder<> ir(&wide);
    llvm::Value* open = llvm::PoisonValue::get(type_);
    llvm::Instruction* result = nullptr;
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&wide))
      result = ir.CreatePHI(type_, phi->getNumIncomingValues());
    else if (llvm::isa<llvm::SelectInst>(wide))
      result = llvm::SelectInst::Create(wide.getOperand(0), open, open, "", wide.getIterator());
    else
      result = llvm::BinaryOperator::Create(llvm::cast<llvm::BinaryOperator>(wide).getOpcode(), open, open,
                                            "", wide.getIterator());
    result->setDebugLoc(wide.getDebugLoc());
    result->takeName(&wide);
    return result;
  }

  llvm::Value* low(llvm::Value* value, llvm::Instruction* before) {
    if (auto* i = llvm::dyn_cast<llvm::Instruction>(value))
      if (const auto found = narrow_.find(i); found != narrow_.end()) return found->second;
    if (auto* extension = llvm::dyn_cast<llvm::CastInst>(value);
        extension != nullptr && (llvm::isa<llvm::ZExtInst>(value) || llvm::isa<llvm::SExtInst>(value)) &&
        extension->getSrcTy() == type_)
      return extension->getOperand(0);
    llvm::IRBuilder<> ir(before);
    return ir.CreateTrunc(value, type_);
  }

  void finish(llvm::Instruction& wide, llvm::Instruction& result) {
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&wide)) {
      auto& to = llvm::cast<llvm::PHINode>(result);
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
        llvm::BasicBlock* from = phi->getIncomingBlock(i);
        // A block that comes twice must bring one value.
        const int same = to.getBasicBlockIndex(from);
        to.addIncoming(same >= 0 ? to.getIncomingValue(static_cast<unsigned>(same))
                                 : low(phi->getIncomingValue(i), from->getTerminator()),
                       from);
      }
      return;
    }
    const unsigned first = llvm::isa<llvm::SelectInst>(wide) ? 1 : 0;
    for (unsigned i = first; i < first + 2; ++i) result.setOperand(i, low(wide.getOperand(i), &result));
  }

  void replace(llvm::Instruction& wide, llvm::Value* result) {
    llvm::Value* extended = nullptr;
    for (llvm::Use& use : llvm::make_early_inc_range(wide.uses())) {
      auto* user = llvm::cast<llvm::Instruction>(use.getUser());
      if (narrow_.contains(user)) continue;
      if (llvm::isa<llvm::TruncInst>(user) && user->getType() == type_) {
        user->replaceAllUsesWith(result);
        continue;  // dead; the next clean-up removes it
      }
      if (extended == nullptr) {
        auto* at = llvm::cast<llvm::Instruction>(result);
        llvm::IRBuilder<> ir(at->getParent(), llvm::isa<llvm::PHINode>(at)
                                                  ? at->getParent()->getFirstInsertionPt()
                                                  : std::next(at->getIterator()));
        ir.SetCurrentDebugLocation(at->getDebugLoc());
        extended = ir.CreateZExt(result, wide.getType());
      }
      use.set(extended);
    }
  }

  llvm::Type* type_;
  llvm::MapVector<llvm::Instruction*, llvm::Value*> narrow_;
};

}  // namespace

bool narrow(llvm::Function& thread, llvm::FunctionAnalysisManager& analyses) {
  return Narrowing(thread, analyses.getResult<llvm::DemandedBitsAnalysis>(thread)).run();
}

}  // namespace heddle::exec::jit
