#include "exec/jit/ir/flush_mode.h"

#include "exec/jit/ir/math.h"
#include "exec/jit/ir/ops.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "math/math.h"

namespace heddle::exec::jit {

namespace {

enum class Sensitivity : uint8_t {
  none,    // subnormals come through, or do not matter
  single,  // computes with f32 and nothing else
  other,   // must see what it is given: f64, a direction of rounding, memory
};

bool is_test_for_nan(const llvm::FCmpInst& compare) {
  return compare.getPredicate() == llvm::CmpInst::FCMP_UNO ||
         compare.getPredicate() == llvm::CmpInst::FCMP_ORD;
}

// A half is a normal f32, or zero; what it becomes again has no place for the least numbers of f32.
Sensitivity of_conversion(const llvm::CastInst& cast) {
  const auto *from = cast.getSrcTy(), *to = cast.getDestTy();
  if (from->isHalfTy() || to->isHalfTy())
    return from->isDoubleTy() || to->isDoubleTy() ? Sensitivity::other : Sensitivity::none;
  if (from->isDoubleTy() || to->isDoubleTy()) return Sensitivity::other;
  return from->isFloatTy() ? Sensitivity::single : Sensitivity::none;
}

Sensitivity of_operation(const llvm::CallInst& call, Op op) {
  switch (op) {
    case Op::approximate:
      switch (static_cast<Approximation>(immediate(call, 0))) {
        // A small argument is its own result, by its bits.
        case Approximation::tanh:
        case Approximation::tanh_f16:
        case Approximation::tanh_bf16:
        case Approximation::ex2_f16:
        case Approximation::ex2_bf16: return Sensitivity::none;
        case Approximation::rcp_f64:
        case Approximation::rsqrt_f64: return Sensitivity::other;
        default: return immediate(call, 1) != 0 ? Sensitivity::single : Sensitivity::other;
      }
    case Op::rounded:
    case Op::first_nan: return Sensitivity::other;
    case Op::math:
      return static_cast<math::Id>(immediate(call, 0)) == math::Id::truncating_mad ? Sensitivity::single
                                                                                   : Sensitivity::none;
    case Op::atomic:
    case Op::reduce:
      for (const llvm::Value* argument : call.args())
        if (argument->getType()->isFloatingPointTy()) return Sensitivity::other;
      return Sensitivity::none;
    default: return Sensitivity::none;  // a step is computed outside
  }
}

Sensitivity sensitivity(const llvm::Instruction& i) {
  if (const auto op = op_of(&i)) return of_operation(llvm::cast<llvm::CallInst>(i), *op);
  if (const auto* compare = llvm::dyn_cast<llvm::FCmpInst>(&i)) {
    if (is_test_for_nan(*compare)) return Sensitivity::none;
    return compare->getOperand(0)->getType()->isFloatTy() ? Sensitivity::single : Sensitivity::other;
  }
  switch (i.getOpcode()) {
    case llvm::Instruction::FPTrunc:
    case llvm::Instruction::FPExt:
    case llvm::Instruction::FPToSI:
    case llvm::Instruction::FPToUI:
    case llvm::Instruction::SIToFP:
    case llvm::Instruction::UIToFP: return of_conversion(llvm::cast<llvm::CastInst>(i));
    case llvm::Instruction::FAdd:
    case llvm::Instruction::FSub:
    case llvm::Instruction::FMul:
    case llvm::Instruction::FDiv:
    case llvm::Instruction::FRem: return i.getType()->isFloatTy() ? Sensitivity::single : Sensitivity::other;
    case llvm::Instruction::Call: {
      const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
      if (intrinsic == nullptr || intrinsic->arg_empty()) return Sensitivity::none;
      const llvm::Type* type = intrinsic->getArgOperand(0)->getType();
      if (!type->isFloatingPointTy()) return Sensitivity::none;
      const auto id = intrinsic->getIntrinsicID();
      if (id == llvm::Intrinsic::fabs || id == llvm::Intrinsic::copysign) return Sensitivity::none;
      return type->isFloatTy() ? Sensitivity::single : Sensitivity::other;
    }
    default: return Sensitivity::none;
  }
}

}  // namespace

FlushUse flush_use(const module::Image& image, const ThreadProgram& program, const Meaning& meaning) {
  FlushUse use;
  const auto words_at = [&](const llvm::Instruction& i) -> const isa::SlotValues* {
    const llvm::DebugLoc& place = i.getDebugLoc();
    if (!place || place.getLine() == 0) return nullptr;
    const Site& site = program.sites[place.getLine() - 1];
    const module::Instruction& instruction = image.functions[site.function].code[site.instruction];
    return &image.mnemonics[instruction.mnemonic].values;
  };
  for (const llvm::Instruction& i : llvm::instructions(*program.entry)) {
    Sensitivity how = sensitivity(i);
    const isa::SlotValues* words = words_at(i);
    // The one way for the least numbers of f32 into a half.
    if (i.getType()->isHalfTy() && words != nullptr &&
        (words->is(isa::Slot::rnd, isa::Word::rm) || words->is(isa::Slot::rnd, isa::Word::rp)))
      how = Sensitivity::other;
    if (how == Sensitivity::none) continue;
    const bool flushed = meaning.flushes_f32 || (words != nullptr && words->has(isa::Slot::ftz));
    use.flushes |= flushed;
    use.keeps |= how == Sensitivity::other || !flushed;
  }
  return use;
}

}  // namespace heddle::exec::jit
