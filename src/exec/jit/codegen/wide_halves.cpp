#include "exec/jit/codegen/wide_halves.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ValueMap.h"

namespace heddle::exec::jit {

namespace {

bool is_half(const llvm::Value* value) { return value->getType()->getScalarType()->isHalfTy(); }

// Of what an element of a float holds exactly, or, for sums to quotients and square roots, with more than
// twice the digits and two: rounded once more they are what rounding once gives.
bool is_same_by_floats(const llvm::CallInst& call) {
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::ceil:
    case llvm::Intrinsic::floor:
    case llvm::Intrinsic::maximum:
    case llvm::Intrinsic::maxnum:
    case llvm::Intrinsic::minimum:
    case llvm::Intrinsic::minnum:
    case llvm::Intrinsic::nearbyint:
    case llvm::Intrinsic::rint:
    case llvm::Intrinsic::round:
    case llvm::Intrinsic::roundeven:
    case llvm::Intrinsic::sqrt:
    case llvm::Intrinsic::trunc: return is_half(&call);
    default: return false;
  }
}

bool is_of_halves(const llvm::Instruction& i) {
  switch (i.getOpcode()) {
    case llvm::Instruction::FCmp:
    case llvm::Instruction::FPToSI:
    case llvm::Instruction::FPToUI: return is_half(i.getOperand(0));
    // Integers that a float does not hold are past the end of the halves.
    case llvm::Instruction::SIToFP:
    case llvm::Instruction::UIToFP:
    case llvm::Instruction::FAdd:
    case llvm::Instruction::FSub:
    case llvm::Instruction::FMul:
    case llvm::Instruction::FDiv: return is_half(&i);
    case llvm::Instruction::FPExt:
      return is_half(i.getOperand(0)) && i.getType()->getScalarType()->isDoubleTy();
    case llvm::Instruction::Call: return is_same_by_floats(llvm::cast<llvm::CallInst>(i));
    default: return false;
  }
}

class Widening {
 public:
  void widen(llvm::Instruction& i) {
    llvm::IRBuilder<> ir(&i);
    llvm::Value* const wide = made_of_floats(ir, i);
    if (auto* made = llvm::dyn_cast<llvm::Instruction>(wide)) made->copyIRFlags(&i);
    llvm::Value* const result = is_half(&i) ? ir.CreateFPTrunc(wide, i.getType()) : wide;
    i.replaceAllUsesWith(result);
    if (is_exact(i)) widened_[result] = wide;
    i.eraseFromParent();
  }

 private:
  // A half, as long as its operands are.
  static bool is_exact(const llvm::Instruction& i) {
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
    return call != nullptr && call->getIntrinsicID() != llvm::Intrinsic::sqrt;
  }
  static llvm::Type* floats(const llvm::Value* halves) {
    return halves->getType()->getWithNewType(llvm::Type::getFloatTy(halves->getContext()));
  }

  llvm::Value* made_of_floats(llvm::IRBuilder<>& ir, llvm::Instruction& i) {
    if (const auto* compare = llvm::dyn_cast<llvm::FCmpInst>(&i))
      return ir.CreateFCmp(compare->getPredicate(), widened(i.getOperand(0)), widened(i.getOperand(1)));
    if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(&i)) {
      if (is_half(&i)) return ir.CreateCast(cast->getOpcode(), i.getOperand(0), floats(&i));
      return ir.CreateCast(cast->getOpcode(), widened(i.getOperand(0)), i.getType());
    }
    if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i)) {
      llvm::SmallVector<llvm::Value*, 2> arguments;
      for (llvm::Value* argument : call->args()) arguments.push_back(widened(argument));
      return ir.CreateIntrinsic(call->getIntrinsicID(), {floats(&i)}, arguments);
    }
    return ir.CreateBinOp(static_cast<llvm::Instruction::BinaryOps>(i.getOpcode()), widened(i.getOperand(0)),
                          widened(i.getOperand(1)));
  }

  // Once for all that ask, and for who converts it anyway.
  llvm::Value* widened(llvm::Value* halves) {
    llvm::IRBuilder<> ir(halves->getContext());
    if (llvm::isa<llvm::Constant>(halves)) return ir.CreateFPExt(halves, floats(halves));
    llvm::WeakTrackingVH& known = widened_[halves];
    if (known) return known;
    if (auto* made = llvm::dyn_cast<llvm::Instruction>(halves)) {
      ir.SetInsertPoint(*made->getInsertionPointAfterDef());
      ir.SetCurrentDebugLocation(made->getDebugLoc());
    } else {
      llvm::BasicBlock& entry = llvm::cast<llvm::Argument>(halves)->getParent()->getEntryBlock();
      ir.SetInsertPoint(&entry, entry.getFirstInsertionPt());
    }
    llvm::Value* const wide = ir.CreateFPExt(halves, floats(halves));
    known = wide;
    for (llvm::User* user : llvm::make_early_inc_range(halves->users())) {
      auto* other = llvm::dyn_cast<llvm::FPExtInst>(user);
      if (other == nullptr || other == wide || other->getType() != wide->getType()) continue;
      other->replaceAllUsesWith(wide);
      other->eraseFromParent();
    }
    return wide;
  }

  llvm::ValueMap<llvm::Value*, llvm::WeakTrackingVH> widened_;
};

}  // namespace

void widen_halves(llvm::Function& function) {
  llvm::SmallVector<llvm::Instruction*> found;
  for (llvm::Instruction& i : llvm::instructions(function))
    if (is_of_halves(i)) found.push_back(&i);
  Widening widening;
  for (llvm::Instruction* i : found) widening.widen(*i);
}

}  // namespace heddle::exec::jit
