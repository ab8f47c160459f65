#include "exec/jit/warp/prefetch.h"

#include "exec/jit/thread/ops.h"
#include "exec/jit/warp/flow.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "module/image.h"

namespace heddle::exec::jit {

using llvm::Instruction;
using llvm::Loop;
using llvm::Value;

namespace {

// By how much a value grows from one turn of a loop to the next: made of values from outside of the loop, at
// the end of its preheader. Nothing where that is not known.
class Growth {
 public:
  Growth(const Loop& loop, llvm::LoopInfo& loops)
      : loop_(loop), loops_(loops), builder_(loop.getLoopPreheader()->getTerminator()) {}

  Value* of(Value* value, unsigned depth = 0) {
    auto* i = llvm::dyn_cast<Instruction>(value);
    if (i == nullptr || !loop_.contains(i)) return zero(value);
    if (depth > 12 || !i->getType()->isIntegerTy() || i->getType()->getIntegerBitWidth() > 64) return nullptr;
    const auto operand = [&](unsigned n) { return of(i->getOperand(n), depth + 1); };
    switch (i->getOpcode()) {
      case Instruction::PHI: return of_phi(*llvm::cast<llvm::PHINode>(i), depth);
      case Instruction::Add:
      case Instruction::Sub: return both(*i, operand(0), operand(1));
      case Instruction::Or:
        return llvm::cast<llvm::PossiblyDisjointInst>(i)->isDisjoint() ? both(*i, operand(0), operand(1))
                                                                       : nullptr;
      case Instruction::Mul: {
        auto* factor = i->getOperand(1);
        if (auto* other = llvm::dyn_cast<Instruction>(factor); other != nullptr && loop_.contains(other))
          return nullptr;
        Value* grows = operand(0);
        return grows == nullptr || is_zero(grows) ? grows : builder_.CreateMul(grows, factor);
      }
      case Instruction::Shl: {
        Value* grows = operand(0);
        if (!llvm::isa<llvm::ConstantInt>(i->getOperand(1))) return nullptr;
        return grows == nullptr || is_zero(grows) ? grows : builder_.CreateShl(grows, i->getOperand(1));
      }
      case Instruction::ZExt:
      case Instruction::SExt: {
        Value* grows = operand(0);
        if (grows == nullptr) return nullptr;
        if (is_zero(grows)) return zero(i);
        return i->getOpcode() == Instruction::ZExt ? builder_.CreateZExt(grows, i->getType())
                                                   : builder_.CreateSExt(grows, i->getType());
      }
      default: return nullptr;
    }
  }

  static bool is_zero(const Value* value) {
    const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value);
    return number != nullptr && number->isZero();
  }

 private:
  static Value* zero(const Value* like) {
    return like->getType()->isIntegerTy() ? llvm::ConstantInt::get(like->getType(), 0) : nullptr;
  }

  Value* both(const Instruction& i, Value* a, Value* b) {
    if (a == nullptr || b == nullptr) return nullptr;
    if (i.getOpcode() == Instruction::Sub) return is_zero(b) ? a : builder_.CreateSub(a, b);
    return is_zero(a) ? b : is_zero(b) ? a : builder_.CreateAdd(a, b);
  }

  Value* of_phi(llvm::PHINode& phi, unsigned depth) {
    const Loop* around = loops_.getLoopFor(phi.getParent());
    if (around == nullptr || around->getHeader() != phi.getParent() || around->getLoopLatch() == nullptr)
      return nullptr;
    // Of an inner loop: where it starts is what moves.
    if (around != &loop_) return of(phi.getIncomingValueForBlock(around->getLoopPreheader()), depth + 1);
    auto* next = llvm::dyn_cast<Instruction>(phi.getIncomingValueForBlock(around->getLoopLatch()));
    if (next == nullptr || next->getOpcode() != Instruction::Add || next->getOperand(0) != &phi)
      return nullptr;
    auto* step = llvm::dyn_cast<Instruction>(next->getOperand(1));
    return step != nullptr && loop_.contains(step) ? nullptr : next->getOperand(1);
  }

  const Loop& loop_;
  llvm::LoopInfo& loops_;
  llvm::IRBuilder<> builder_;
};

// As far as the whole grid reaches: the host does not see that coming.
bool is_far(const Value* grows, unsigned depth = 0) {
  const auto* i = llvm::dyn_cast<Instruction>(grows);
  if (i == nullptr || depth > 8) return false;
  if (op_of(i)) return is_op(i, Op::nctaid);
  return llvm::any_of(i->operands(), [&](const llvm::Use& use) { return is_far(use.get(), depth + 1); });
}

}  // namespace

unsigned add_prefetches(llvm::Function& thread) {
  Flow flow(thread);
  auto& loops = const_cast<llvm::LoopInfo&>(flow.loops());
  std::vector<llvm::CallInst*> loads;
  for (Instruction& i : llvm::instructions(thread))
    if (is_op(&i, Op::load) && loops.getLoopFor(i.getParent()) != nullptr &&
        immediate(llvm::cast<llvm::CallInst>(i), 1) == static_cast<uint64_t>(module::Space::global))
      loads.push_back(llvm::cast<llvm::CallInst>(&i));
  unsigned added = 0;
  for (llvm::CallInst* load : loads) {
    Value* address = load->getArgOperand(0);
    // The outermost loop that the address follows; the innermost only where its turns are a grid apart:
    // others the host sees.
    const Loop* innermost = loops.getLoopFor(load->getParent());
    llvm::SmallVector<const Loop*, 4> around;
    for (const Loop* loop = innermost; loop != nullptr; loop = loop->getParentLoop()) around.push_back(loop);
    for (const Loop* loop : llvm::reverse(around)) {
      if (loop->getLoopPreheader() == nullptr) continue;
      Value* grows = Growth(*loop, loops).of(address);
      if (grows == nullptr || Growth::is_zero(grows)) continue;
      if (loop == innermost && !is_far(grows)) continue;
      llvm::IRBuilder<> builder(load);
      // Its turns are short: the one after the next.
      if (loop == innermost) grows = builder.CreateShl(grows, 1);
      call_op(builder, Op::prefetch, builder.getVoidTy(),
              {builder.CreateAdd(address, grows), load->getArgOperand(1)});
      ++added;
      break;
    }
  }
  return added;
}

}  // namespace heddle::exec::jit
