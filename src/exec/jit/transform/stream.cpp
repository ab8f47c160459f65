#include "exec/jit/transform/stream.h"

#include <bit>

#include "exec/jit/ir/ops.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "module/image.h"

namespace heddle::exec::jit {

using llvm::Instruction;
using llvm::Value;

namespace {

constexpr const char* mark = "heddle.streams";

using Roots = llvm::SmallSet<uint64_t, 4>;

// The parameters that an address is made of, by their offsets; false: something else may be its base.
bool find_roots(const Value* address, Roots& roots) {
  llvm::SmallPtrSet<const Value*, 16> seen;
  llvm::SmallVector<const Value*, 16> work{address};
  while (!work.empty()) {
    const auto* i = llvm::dyn_cast<Instruction>(work.pop_back_val());
    if (i == nullptr || !seen.insert(i).second) continue;
    if (is_op(i, Op::parameter)) {
      if (i->getType()->isIntegerTy(64)) roots.insert(immediate(llvm::cast<llvm::CallInst>(*i), 0));
      continue;
    }
    switch (i->getOpcode()) {
      case Instruction::Add:
      case Instruction::Sub:
      case Instruction::Or:
      case Instruction::And:
      case Instruction::PHI:
      case Instruction::Select: work.append(i->op_begin(), i->op_end()); break;
      case Instruction::ZExt:
      case Instruction::SExt:
      case Instruction::Trunc:
      case Instruction::Shl:
      case Instruction::Mul:
      case Instruction::LShr: break;  // an index
      default:
        if (i->getType()->isIntegerTy(64)) return false;
    }
  }
  return !roots.empty();
}

bool is_global(const llvm::CallInst& access) {
  return immediate(access, 1) == static_cast<uint64_t>(module::Space::global);
}

// What a thread writes at a place that it writes again: a line that went past comes back for that.
llvm::SmallPtrSet<const llvm::CallInst*, 4> find_rewritten(llvm::Function& thread,
                                                           llvm::ArrayRef<llvm::CallInst*> stores) {
  llvm::SmallPtrSet<const llvm::CallInst*, 4> found;
  if (stores.empty()) return found;
  const llvm::DominatorTree dominators(thread);
  const llvm::LoopInfo loops(dominators);
  for (const llvm::CallInst* store : stores) {
    const Value* address = store->getArgOperand(0);
    const llvm::Loop* loop = loops.getLoopFor(store->getParent());
    if (loop != nullptr && loop->isLoopInvariant(address)) found.insert(store);
    for (const llvm::CallInst* other : stores)
      if (other != store && other->getArgOperand(0) == address &&
          llvm::isPotentiallyReachable(store, other, nullptr, &dominators, &loops))
        found.insert(store), found.insert(other);
  }
  return found;
}

}  // namespace

uint64_t find_streams(llvm::Function& thread) {
  Roots read;
  llvm::SmallVector<llvm::CallInst*, 8> stores;
  for (Instruction& i : llvm::instructions(thread)) {
    const auto op = op_of(&i);
    if (!op) continue;
    auto& call = llvm::cast<llvm::CallInst>(i);
    switch (*op) {
      // Who waits for what others write must not see a flag before what it stands for.
      case Op::fence:
      case Op::step: return 0;
      case Op::atomic:
      case Op::reduce:
        if (immediate(call, 1) != static_cast<uint64_t>(module::Space::shared)) return 0;
        break;
      case Op::load:
        if ((immediate(call, 2) & access_strong) != 0 && is_global(call)) return 0;
        if (!is_global(call) && immediate(call, 1) != static_cast<uint64_t>(module::Space::generic)) break;
        if (!find_roots(call.getArgOperand(0), read)) return 0;
        break;
      case Op::store:
        if ((immediate(call, 2) & access_strong) != 0 && is_global(call)) return 0;
        if (is_global(call)) stores.push_back(&call);
        break;
      default: break;
    }
  }
  const auto rewritten = find_rewritten(thread, stores);
  uint64_t bytes = 0;
  for (llvm::CallInst* store : stores) {
    if (rewritten.contains(store)) continue;
    Roots written;
    // What is read as well is in the cache already.
    if (!find_roots(store->getArgOperand(0), written) ||
        llvm::any_of(written, [&](uint64_t root) { return read.contains(root); }))
      continue;
    store->setMetadata(mark, llvm::MDNode::get(thread.getContext(), {}));
    bytes += stored_bytes(*store);
  }
  return bytes;
}

bool may_stream(const llvm::CallInst& store) { return store.getMetadata(mark) != nullptr; }

uint64_t stored_bytes(const llvm::CallInst& store) {
  return uint64_t{store.arg_size() - 3} * store.getArgOperand(3)->getType()->getScalarSizeInBits() / 8;
}

bool is_row_of_lines(const Pattern& address, uint64_t row, unsigned vectors) {
  return std::has_single_bit(row) && row >= 16 && row * vectors >= 64 && address.kind == Pattern::affine &&
         address.vector_step == static_cast<int64_t>(row);
}

Value* begins_at_line(llvm::IRBuilder<>& builder, Value* place, uint64_t row) {
  Value* beyond = builder.CreateAnd(place, builder.getInt64(std::min<uint64_t>(row, 64) - 1));
  return builder.CreateICmpEQ(beyond, builder.getInt64(0));
}

}  // namespace heddle::exec::jit
