// Atomic operations (PTX ISA 9.7.13.5). Those of floats and of mbarriers are loops of compare and exchange on
// the bits.
#include "exec/jit/fiber/thread_code.h"
#include "exec/jit/ir/mbarrier.h"
#include "llvm/IR/Intrinsics.h"

namespace heddle::exec::jit {

namespace {

constexpr uint32_t nan_f32 = 0x7fffffff;
constexpr uint64_t nan_f64 = 0xfff8'0000'0000'0000, quiet_f64 = 0x0008'0000'0000'0000;

llvm::AtomicRMWInst::BinOp operation(AtomicKind kind) {
  using enum llvm::AtomicRMWInst::BinOp;
  switch (kind) {
    case AtomicKind::add: return Add;
    case AtomicKind::and_: return And;
    case AtomicKind::or_: return Or;
    case AtomicKind::xor_: return Xor;
    case AtomicKind::min_signed: return Min;
    case AtomicKind::max_signed: return Max;
    case AtomicKind::min_unsigned: return UMin;
    case AtomicKind::max_unsigned: return UMax;
    case AtomicKind::increment: return UIncWrap;
    case AtomicKind::decrement: return UDecWrap;
    default: return Xchg;
  }
}

}  // namespace

// What memory holds after an addition, both as bits. f32: one NaN, and in global memory no subnormals, in
// sources or sum. f64: the operand's NaN before memory's.
llvm::Value* ThreadCode::float_sum(Value* old, Value* a, bool flush) {
  const bool narrow = old->getType()->getIntegerBitWidth() == 32;
  llvm::Type* type = narrow ? ir_.getFloatTy() : ir_.getDoubleTy();
  const auto flushed = [&](Value* bits) -> Value* {
    if (!flush) return bits;
    Value* exponent = ir_.CreateAnd(bits, u32(0x7f800000));
    return ir_.CreateSelect(ir_.CreateICmpEQ(exponent, u32(0)), ir_.CreateAnd(bits, u32(0x80000000)), bits);
  };
  Value* x = ir_.CreateBitCast(narrow ? flushed(old) : old, type);
  Value* y = ir_.CreateBitCast(narrow ? flushed(a) : a, type);
  Value* sum = ir_.CreateFAdd(x, y);
  Value* nan = ir_.CreateFCmpUNO(sum, sum);
  Value* bits = ir_.CreateBitCast(sum, old->getType());
  if (narrow) return ir_.CreateSelect(nan, u32(nan_f32), flushed(bits));
  Value* first = ir_.CreateSelect(ir_.CreateFCmpUNO(x, x), old, u64(nan_f64));
  first = ir_.CreateSelect(ir_.CreateFCmpUNO(y, y), a, first);
  return ir_.CreateSelect(nan, ir_.CreateOr(first, u64(quiet_f64)), bits);
}

// (address, space, flags, kind, a[, compare])
llvm::Value* ThreadCode::atomic(llvm::CallInst& call) {
  const auto space = static_cast<module::Space>(immediate(call, 1));
  const auto kind = static_cast<AtomicKind>(immediate(call, 3));
  Value* a = call.getArgOperand(4);
  llvm::Type* type = a->getType();
  const auto bits = static_cast<unsigned>(type->getPrimitiveSizeInBits());
  llvm::Type* integer = ir_.getIntNTy(bits);
  lose_patience(128);
  const bool of_cluster = (immediate(call, 2) & access_of_cluster) != 0;
  Value* to = place({call.getArgOperand(0), space, bits / 8, true, of_cluster});
  const llvm::Align align(bits / 8);
  constexpr auto order = llvm::AtomicOrdering::SequentiallyConsistent;
  const auto as_bits = [&](Value* v) { return ir_.CreateBitCast(v, integer); };
  Value* old = nullptr;
  if (kind == AtomicKind::compare_exchange) {
    auto* change = ir_.CreateAtomicCmpXchg(to, as_bits(call.getArgOperand(5)), as_bits(a), align, order,
                                           llvm::AtomicOrdering::SequentiallyConsistent);
    change->setVolatile(true);
    old = ir_.CreateExtractValue(change, 0);
  } else if (kind == AtomicKind::arrive || (kind == AtomicKind::add && type->isFloatingPointTy())) {
    llvm::Instruction* here = &call;
    const llvm::DebugLoc location = ir_.getCurrentDebugLocation();
    llvm::BasicBlock* before = here->getParent();
    llvm::BasicBlock* done = before->splitBasicBlock(here);
    llvm::BasicBlock* again = llvm::BasicBlock::Create(ir_.getContext(), "sum", thread_, done);
    ir_.SetInsertPoint(before->getTerminator());
    auto* first = ir_.CreateAlignedLoad(integer, to, align);
    first->setAtomic(llvm::AtomicOrdering::Monotonic);
    first->setVolatile(true);
    before->getTerminator()->setSuccessor(0, again);
    ir_.SetInsertPoint(again);
    ir_.SetCurrentDebugLocation(location);
    llvm::PHINode* seen = ir_.CreatePHI(integer, 2);
    seen->addIncoming(first, before);
    const bool in_shared = space == module::Space::shared;
    Value* sum = nullptr;
    if (kind == AtomicKind::arrive) {
      sum = after_arrival(ir_, seen, a);
    } else if (bits == 32 && space == module::Space::generic) {
      // Whether it flushes is known with the address.
      Value* inside = ir_.CreateICmpULT(ir_.CreateSub(call.getArgOperand(0), u64(windows_.shared_base)),
                                        u64(windows_.shared_bytes));
      sum = ir_.CreateSelect(inside, float_sum(seen, as_bits(a), false), float_sum(seen, as_bits(a), true));
    } else {
      sum = float_sum(seen, as_bits(a), bits == 32 && !in_shared);
    }
    auto* change =
        ir_.CreateAtomicCmpXchg(to, seen, sum, align, order, llvm::AtomicOrdering::SequentiallyConsistent);
    change->setVolatile(true);
    seen->addIncoming(ir_.CreateExtractValue(change, 0), again);
    ir_.CreateCondBr(ir_.CreateExtractValue(change, 1), done, again);
    ir_.SetInsertPoint(here);
    ir_.SetCurrentDebugLocation(location);
    old = seen;
  } else {
    auto* change = ir_.CreateAtomicRMW(operation(kind), to, as_bits(a), align, order);
    change->setVolatile(true);
    old = change;
  }
  return call.getType()->isVoidTy() ? nullptr : ir_.CreateBitCast(old, call.getType());
}

}  // namespace heddle::exec::jit
