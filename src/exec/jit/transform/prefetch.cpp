#include "exec/jit/transform/prefetch.h"

#include "exec/jit/analysis/flow.h"
#include "exec/jit/analysis/record.h"
#include "exec/jit/ir/ops.h"
#include "exec/jit/passes/costs.h"
#include "exec/jit/transform/stream.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "module/image.h"

namespace heddle::exec::jit {

using llvm::Instruction;
using llvm::Loop;
using llvm::Value;

namespace {

// By how much a value grows when something moves on: made of values that do not move. Nothing where that is
// not known.
class Growth {
 public:
  explicit Growth(Instruction* before) : builder_(before) {}
  virtual ~Growth() = default;

  Value* of(Value* value, unsigned depth = 0) {
    auto* i = llvm::dyn_cast<Instruction>(value);
    if (i == nullptr || !moves(*i)) return zero(value);
    if (depth > 12 || !i->getType()->isIntegerTy() || i->getType()->getIntegerBitWidth() > 64) return nullptr;
    const auto operand = [&](unsigned n) { return of(i->getOperand(n), depth + 1); };
    switch (i->getOpcode()) {
      case Instruction::Add:
      case Instruction::Sub: return both(*i, operand(0), operand(1));
      case Instruction::Or:
        return llvm::cast<llvm::PossiblyDisjointInst>(i)->isDisjoint() ? both(*i, operand(0), operand(1))
                                                                       : nullptr;
      case Instruction::Mul: {
        auto* factor = i->getOperand(1);
        if (!stands_still(factor, depth)) return nullptr;
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
      default: return of_mover(*i, depth);
    }
  }

  static bool is_zero(const Value* value) {
    const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value);
    return number != nullptr && number->isZero();
  }

 protected:
  virtual bool moves(const Instruction& i) const = 0;  // perhaps
  virtual Value* of_mover(Instruction& i, unsigned depth) = 0;
  // And is there, where the growth is made.
  virtual bool stands_still(Value* value, unsigned depth) = 0;
  static Value* zero(const Value* like) {
    return like->getType()->isIntegerTy() ? llvm::ConstantInt::get(like->getType(), 0) : nullptr;
  }

 private:
  Value* both(const Instruction& i, Value* a, Value* b) {
    if (a == nullptr || b == nullptr) return nullptr;
    if (i.getOpcode() == Instruction::Sub) return is_zero(b) ? a : builder_.CreateSub(a, b);
    return is_zero(a) ? b : is_zero(b) ? a : builder_.CreateAdd(a, b);
  }

  llvm::IRBuilder<> builder_;
};

// From one turn of a loop to the next, known at the end of its preheader.
class GrowthOfTurn final : public Growth {
 public:
  GrowthOfTurn(const Loop& loop, llvm::LoopInfo& loops)
      : Growth(loop.getLoopPreheader()->getTerminator()), loop_(loop), loops_(loops) {}

 private:
  bool moves(const Instruction& i) const override { return loop_.contains(&i); }
  bool stands_still(Value* value, unsigned) override {
    auto* i = llvm::dyn_cast<Instruction>(value);
    return i == nullptr || !moves(*i);
  }

  Value* of_mover(Instruction& i, unsigned depth) override {
    auto* phi = llvm::dyn_cast<llvm::PHINode>(&i);
    if (phi == nullptr) return nullptr;
    const Loop* around = loops_.getLoopFor(phi->getParent());
    if (around == nullptr || around->getHeader() != phi->getParent() || around->getLoopLatch() == nullptr)
      return nullptr;
    // Of an inner loop: where it starts is what moves.
    if (around != &loop_) return of(phi->getIncomingValueForBlock(around->getLoopPreheader()), depth + 1);
    auto* next = llvm::dyn_cast<Instruction>(phi->getIncomingValueForBlock(around->getLoopLatch()));
    if (next == nullptr || next->getOpcode() != Instruction::Add || next->getOperand(0) != phi)
      return nullptr;
    return stands_still(next->getOperand(1), depth) ? next->getOperand(1) : nullptr;
  }

  const Loop& loop_;
  llvm::LoopInfo& loops_;
};

// From one block to the next along x: the order in which they are run.
class GrowthOfBlock final : public Growth {
 public:
  // `blocks`: of the launch from one to the next.
  GrowthOfBlock(Instruction* before, unsigned blocks) : Growth(before), blocks_(blocks) {}

 private:
  bool moves(const Instruction& i) const override {
    const auto op = op_of(&i);
    if (!op) return true;
    if (*op == Op::ctaid) return immediate(llvm::cast<llvm::CallInst>(i), 0) == 0;
    return !llvm::is_contained({Op::tid, Op::nctaid, Op::parameter}, *op);
  }
  bool stands_still(Value* value, unsigned depth) override {
    Value* grows = of(value, depth + 1);
    return grows != nullptr && is_zero(grows);
  }
  Value* of_mover(Instruction& i, unsigned) override {
    return is_op(&i, Op::ctaid) ? llvm::ConstantInt::get(i.getType(), blocks_) : nullptr;
  }

  const unsigned blocks_;
};

// As far as the whole grid reaches: the host does not see that coming.
bool is_far(const Value* grows, unsigned depth = 0) {
  const auto* i = llvm::dyn_cast<Instruction>(grows);
  if (i == nullptr || depth > 8) return false;
  if (op_of(i)) return is_op(i, Op::nctaid);
  return llvm::any_of(i->operands(), [&](const llvm::Use& use) { return is_far(use.get(), depth + 1); });
}

void hint(llvm::IRBuilder<>& builder, const llvm::CallInst& access, Value* ahead, uint64_t written,
          bool rows = false) {
  Value* place = builder.CreateAdd(access.getArgOperand(0), ahead);
  call_op(builder, Op::prefetch, builder.getVoidTy(),
          {place, access.getArgOperand(1), builder.getInt32(static_cast<uint32_t>(written)),
           builder.getInt32(rows ? 1 : 0)});
}

// Of a run that is a line or more: a thread goes along a row of its own, a line a turn. The threads of a
// group do so along more rows than the host's prefetchers follow.
bool prefetch_row(llvm::CallInst& load, llvm::LoopInfo& loops) {
  if ((immediate(load, 2) & access_run) == 0) return false;
  const auto [elements, type] = elements_of(load);
  const uint64_t bytes = uint64_t{elements} * type->getScalarSizeInBits() / 8;
  const Loop* loop = loops.getLoopFor(load.getParent());
  if (bytes < cost::most_run_bytes || loop->getLoopPreheader() == nullptr) return false;
  const auto* grows =
      llvm::dyn_cast_or_null<llvm::ConstantInt>(GrowthOfTurn(*loop, loops).of(load.getArgOperand(0)));
  if (grows == nullptr || grows->getValue().abs() != bytes) return false;
  llvm::IRBuilder<> builder(&load);
  const uint64_t ahead = cost::row_ahead / bytes * static_cast<uint64_t>(grows->getSExtValue());
  hint(builder, load, builder.getInt64(ahead), 0, true);
  return true;
}

bool prefetch_load(llvm::CallInst& load, llvm::LoopInfo& loops) {
  if (prefetch_row(load, loops)) return true;
  Value* address = load.getArgOperand(0);
  // The outermost loop that the address follows; the innermost only where its turns are a grid apart:
  // others the host sees.
  const Loop* innermost = loops.getLoopFor(load.getParent());
  llvm::SmallVector<const Loop*, 4> around;
  for (const Loop* loop = innermost; loop != nullptr; loop = loop->getParentLoop()) around.push_back(loop);
  for (const Loop* loop : llvm::reverse(around)) {
    if (loop->getLoopPreheader() == nullptr) continue;
    Value* grows = GrowthOfTurn(*loop, loops).of(address);
    if (grows == nullptr || Growth::is_zero(grows)) continue;
    if (loop == innermost && !is_far(grows)) continue;
    llvm::IRBuilder<> builder(&load);
    // Its turns are short: the one after the next.
    if (loop == innermost) grows = builder.CreateShl(grows, 1);
    hint(builder, load, grows, 0);
    return true;
  }
  return false;
}

bool prefetch_store(llvm::CallInst& store, uint64_t threads, unsigned merged) {
  Value* grows = GrowthOfBlock(&store, merged).of(store.getArgOperand(0));
  if (grows == nullptr || Growth::is_zero(grows)) return false;
  const uint64_t bytes = stored_bytes(store);
  const uint64_t blocks = std::max<uint64_t>(1, cost::prefetched_ahead / (threads * bytes));
  llvm::IRBuilder<> builder(&store);
  hint(builder, store, builder.CreateMul(grows, llvm::ConstantInt::get(grows->getType(), blocks)), bytes);
  return true;
}

}  // namespace

unsigned add_prefetches(llvm::Function& thread, uint64_t threads_of_block, unsigned merged_blocks) {
  Flow flow(thread);
  auto& loops = const_cast<llvm::LoopInfo&>(flow.loops());
  std::vector<llvm::CallInst*> loads, stores;
  for (Instruction& i : llvm::instructions(thread)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
    const bool in_loop = loops.getLoopFor(i.getParent()) != nullptr;
    if (is_op(&i, Op::load) && in_loop && immediate(*call, 1) == static_cast<uint64_t>(module::Space::global))
      loads.push_back(call);
    if (is_op(&i, Op::store) && !in_loop && may_stream(*call)) stores.push_back(call);
  }
  unsigned added = 0;
  for (llvm::CallInst* load : loads) added += prefetch_load(*load, loops) ? 1 : 0;
  for (llvm::CallInst* store : stores)
    added += prefetch_store(*store, threads_of_block, merged_blocks) ? 1 : 0;
  return added;
}

}  // namespace heddle::exec::jit
