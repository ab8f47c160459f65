#include "exec/jit/analysis/needs.h"

#include "exec/fault.h"
#include "exec/jit/analysis/one_lane.h"
#include "exec/jit/analysis/run_order.h"
#include "exec/jit/ir/ops.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::exec::jit {

namespace {

// Of an address that %envreg1 and %envreg2 alone have given.
bool is_in_workspace(const llvm::Value* address, int depth = 0) {
  if (llvm::isa<llvm::Constant>(address)) return depth > 0;
  const auto* i = llvm::dyn_cast<llvm::Instruction>(address);
  if (i == nullptr || depth > 16 || llvm::isa<llvm::PHINode>(i)) return false;
  if (const auto op = op_of(i)) {
    if (*op != Op::environment) return false;
    const uint64_t index = immediate(*llvm::cast<llvm::CallInst>(i), 0);
    return index == 1 || index == 2;
  }
  if (i->mayReadOrWriteMemory()) return false;
  return llvm::all_of(i->operands(), [&](const llvm::Value* o) { return is_in_workspace(o, depth + 1); });
}

// An atomic operation that leaves what is there: atomicAdd(p, 0), atomicCAS(p, x, x).
bool only_looks(const llvm::CallInst& atomic) {
  const llvm::Value* a = atomic.getArgOperand(4);
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(a);
  switch (static_cast<AtomicKind>(immediate(atomic, 3))) {
    case AtomicKind::compare_exchange: return a == atomic.getArgOperand(5);
    case AtomicKind::add:
    case AtomicKind::or_:
    case AtomicKind::xor_:
    case AtomicKind::max_unsigned: return number != nullptr && number->isZero();
    case AtomicKind::and_:
    case AtomicKind::min_unsigned: return number != nullptr && number->isMinusOne();
    default: return false;
  }
}

class LoopCheck {
 public:
  LoopCheck(const llvm::Loop& loop, const llvm::DominatorTree& dominators)
      : loop_(loop), dominators_(dominators), writes_(has_writes()) {}

  // After waits(): nobody but other blocks can end it.
  bool for_blocks() const { return !writes_ && !other_places_; }
  // After waits(): what it waits for is a place in memory that it tries to change: a lock. Lanes of a warp
  // want it one after another, most likely.
  bool is_lock() const { return tries_; }
  // After waits(): whether it ends by itself is not known, and it looks at what others write.
  bool looks() const { return looks_ && !counted_; }
  // After waits(): what it waits for is in global memory, for which a generic address does not speak.
  bool only_global() const { return only_global_; }

  bool waits() {
    llvm::SmallVector<llvm::BasicBlock*> exiting;
    loop_.getExitingBlocks(exiting);
    bool watches = false;
    for (llvm::BasicBlock* block : exiting) {
      watched_ = counted_ = false;
      seen_.clear();
      follow_condition(*block);
      while (!open_.empty()) look_at(open_.pop_back_val());
      // It ends by itself, in time.
      if (counted_) return false;
      watches |= watched_;
    }
    return watches;
  }

 private:
  // Whether the loop does something that may change what its own loads give.
  bool has_writes() const {
    for (const llvm::BasicBlock* block : loop_.blocks())
      for (const llvm::Instruction& i : *block)
        if (const auto op = op_of(&i))
          if (*op == Op::store || *op == Op::atomic || *op == Op::reduce || *op == Op::barrier ||
              *op == Op::barrier_reduce || *op == Op::barrier_some || *op == Op::step ||
              *op == Op::warp_barrier)
            return true;
    return false;
  }

  bool is_invariant(const llvm::Value* value, int depth = 0) const {
    const auto* i = llvm::dyn_cast<llvm::Instruction>(value);
    if (i == nullptr || !loop_.contains(i)) return true;
    if (depth > 16 || llvm::isa<llvm::PHINode>(i)) return false;
    if (const auto op = op_of(i); op && effect(*op) != Effect::none) return false;
    if (i->mayReadOrWriteMemory()) return false;
    for (const llvm::Value* operand : i->operands())
      if (!is_invariant(operand, depth + 1)) return false;
    return true;
  }

  // Whether this operation gives the same again and again until another thread does something.
  bool watches(const llvm::CallInst& call, Op op) const {
    if (op == Op::load) {
      const uint64_t flags = immediate(call, 2);
      if ((flags & access_non_coherent) != 0 || !is_invariant(call.getArgOperand(0))) return false;
      return (flags & access_strong) != 0 || !writes_;
    }
    if (op != Op::atomic || !is_invariant(call.getArgOperand(0))) return false;
    const llvm::Value* a = call.getArgOperand(4);
    switch (static_cast<AtomicKind>(immediate(call, 3))) {
      case AtomicKind::exchange: return true;
      // A retry compares with what it read before; a lock with what it always compares with.
      case AtomicKind::compare_exchange: return is_invariant(call.getArgOperand(5));
      case AtomicKind::and_:
      case AtomicKind::or_:
      case AtomicKind::min_signed:
      case AtomicKind::max_signed:
      case AtomicKind::min_unsigned:
      case AtomicKind::max_unsigned: return is_invariant(a);
      case AtomicKind::add:
      case AtomicKind::xor_: {
        const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(a);
        return constant != nullptr && constant->isZero();
      }
      default: return false;
    }
  }

  // A phi of the loop's head that moves by itself: i + 1, i >> 1.
  bool is_counter(const llvm::PHINode& phi) const {
    if (phi.getParent() != loop_.getHeader()) return false;
    for (unsigned k = 0; k < phi.getNumIncomingValues(); ++k) {
      if (!loop_.contains(phi.getIncomingBlock(k))) continue;
      const auto* next = llvm::dyn_cast<llvm::BinaryOperator>(phi.getIncomingValue(k));
      if (next == nullptr) return false;
      const llvm::Value *a = next->getOperand(0), *b = next->getOperand(1);
      if (!(a == &phi && is_invariant(b)) && !(b == &phi && is_invariant(a))) return false;
    }
    return true;
  }

  void follow_condition(const llvm::BasicBlock& block) {
    const llvm::Instruction* end = block.getTerminator();
    if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(end)) {
      if (branch->isConditional()) follow(branch->getCondition());
    } else if (const auto* choice = llvm::dyn_cast<llvm::SwitchInst>(end)) {
      follow(choice->getCondition());
    }
  }

  // What decides by which way a phi's block is reached.
  void follow_ways(const llvm::PHINode& phi) {
    const auto* node = dominators_.getNode(phi.getParent());
    if (node == nullptr || node->getIDom() == nullptr) return;
    const llvm::BasicBlock* top = node->getIDom()->getBlock();
    llvm::SmallVector<const llvm::BasicBlock*> open(phi.block_begin(), phi.block_end());
    llvm::SmallPtrSet<const llvm::BasicBlock*, 16> reached;
    while (!open.empty()) {
      const llvm::BasicBlock* block = open.pop_back_val();
      if (!loop_.contains(block) || !reached.insert(block).second) continue;
      follow_condition(*block);
      if (block == top) continue;
      for (const llvm::BasicBlock* before : llvm::predecessors(block)) open.push_back(before);
    }
  }

  void follow(const llvm::Value* value) {
    const auto* i = llvm::dyn_cast<llvm::Instruction>(value);
    if (i != nullptr && loop_.contains(i) && seen_.insert(i).second) open_.push_back(i);
  }

  void look_at(const llvm::Instruction* i) {
    if (const auto op = op_of(i)) {
      looks_ |= *op == Op::atomic ||
                (*op == Op::load && (immediate(*llvm::cast<llvm::CallInst>(i), 2) & access_strong) != 0);
      if (watches(*llvm::cast<llvm::CallInst>(i), *op)) {
        watched_ = true;
        only_global_ &= space_of(*llvm::cast<llvm::CallInst>(i)) == module::Space::global;
        tries_ |= *op != Op::load && !only_looks(*llvm::cast<llvm::CallInst>(i));
        other_places_ |= *op != Op::load || !is_in_workspace(llvm::cast<llvm::CallInst>(i)->getArgOperand(0));
        return;
      }
      // What memory holds elsewhere, or now that it was changed, is news.
      if (effect(*op) == Effect::memory) return;
    }
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(i)) {
      if (is_counter(*phi)) {
        counted_ = true;
        return;
      }
      if (phi->getParent() != loop_.getHeader()) follow_ways(*phi);
    }
    for (const llvm::Value* operand : i->operands()) follow(operand);
  }

  const llvm::Loop& loop_;
  const llvm::DominatorTree& dominators_;
  const bool writes_;
  llvm::SmallPtrSet<const llvm::Value*, 32> seen_;
  llvm::SmallVector<const llvm::Instruction*> open_;
  bool watched_ = false, counted_ = false, other_places_ = false, tries_ = false, looks_ = false;
  bool only_global_ = true;
};

struct Waits {
  llvm::SmallVector<llvm::Loop*> for_threads, for_blocks, perhaps, locks;
  bool watches = false;
  bool only_global = true;  // `for_threads` wait for what is there
};

void find_waits_of(llvm::Loop& loop, const llvm::DominatorTree& dominators, Waits& waits) {
  LoopCheck check(loop, dominators);
  const bool is_wait = check.waits();
  waits.watches |= is_wait || check.looks();
  if (is_wait) {
    const bool for_blocks = check.for_blocks() && loop.getLoopLatch() != nullptr;
    (for_blocks ? waits.for_blocks : waits.for_threads).push_back(&loop);
    if (!for_blocks && check.is_lock()) waits.locks.push_back(&loop);
    waits.only_global &= for_blocks || check.only_global();
  } else if (check.looks() && loop.getLoopLatch() != nullptr) {
    waits.perhaps.push_back(&loop);
  }
  for (llvm::Loop* inner : loop.getSubLoops()) find_waits_of(*inner, dominators, waits);
}

Waits find_waits_of(const llvm::LoopInfo& loops, const llvm::DominatorTree& dominators) {
  Waits waits;
  for (llvm::Loop* loop : loops) find_waits_of(*loop, dominators, waits);
  return waits;
}

// What in the loop looks at memory that others write: there the thread is when its time is up.
const llvm::Instruction* look_of(const llvm::Loop& loop) {
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const llvm::Instruction& i : *block)
      if (is_op(&i, Op::atomic) ||
          (is_op(&i, Op::load) && (immediate(llvm::cast<llvm::CallInst>(i), 2) & access_strong) != 0))
        return &i;
  return nullptr;
}

void give_way_in(const llvm::Loop& loop) {
  llvm::IRBuilder<> ir(loop.getLoopLatch()->getTerminator());
  if (const llvm::Instruction* look = look_of(loop)) ir.SetCurrentDebugLocation(look->getDebugLoc());
  call_op(ir, Op::sleep, ir.getVoidTy(), {});
}

void say_who_is_waited_for(const llvm::Loop& loop, const char* who) {
  for (llvm::BasicBlock* block : loop.blocks())
    for (llvm::Instruction& i : *block)
      if (is_op(&i, Op::sleep))
        llvm::cast<llvm::CallInst>(i).addFnAttr(llvm::Attribute::get(i.getContext(), who));
}

// In loops that no lane of the same warp can end.
void give_way_surely_in(llvm::ArrayRef<llvm::Loop*> loops) {
  for (const llvm::Loop* loop : loops) {
    give_way_in(*loop);
    say_who_is_waited_for(*loop, waits_for_others);
  }
}

// What others may see of a lane: memory that it changes, or that it comes to a barrier of some.
bool may_be_seen(const llvm::Instruction& i) {
  const auto op = op_of(&i);
  return op && (*op == Op::store || *op == Op::atomic || *op == Op::reduce || *op == Op::step ||
                *op == Op::barrier_some || *op == Op::call);
}

// Whether lanes of the warp that are not in the loop may do what its end waits for before they come to a
// barrier of the block, where they wait for those in the loop. They have left it, or taken another way at a
// branch since the last such barrier.
bool lanes_may_end(const llvm::Loop& loop, const llvm::DominatorTree& dominators) {
  llvm::SmallVector<const llvm::BasicBlock*> open;
  llvm::SmallVector<llvm::BasicBlock*> exits;
  loop.getExitBlocks(exits);
  open.append(exits.begin(), exits.end());
  for (const auto* node = dominators.getNode(loop.getHeader())->getIDom(); node != nullptr;
       node = node->getIDom()) {
    for (const llvm::BasicBlock* way : llvm::successors(node->getBlock()))
      if (!dominators.dominates(way, loop.getHeader())) open.push_back(way);
    if (llvm::any_of(*node->getBlock(), is_whole_barrier)) break;
  }
  llvm::SmallPtrSet<const llvm::BasicBlock*, 32> seen;
  while (!open.empty()) {
    const llvm::BasicBlock* block = open.pop_back_val();
    if (loop.contains(block) || !seen.insert(block).second) continue;
    bool goes_on = true;
    for (const llvm::Instruction& i : *block) {
      if (may_be_seen(i)) return true;
      goes_on = !is_whole_barrier(i);
      if (!goes_on) break;
    }
    if (goes_on) open.append(llvm::succ_begin(block), llvm::succ_end(block));
  }
  return false;
}

using Seen = llvm::SmallSetVector<const llvm::Instruction*, 16>;

// What others may see of threads on their way from `starts` to the next barriers of the block.
Seen seen_from(llvm::ArrayRef<const llvm::Instruction*> starts) {
  Seen seen;
  llvm::SmallVector<const llvm::Instruction*> open(starts);
  llvm::SmallPtrSet<const llvm::Instruction*, 32> begun;
  while (!open.empty()) {
    const llvm::Instruction* i = open.pop_back_val();
    if (!begun.insert(i).second) continue;
    for (; i != nullptr && !is_whole_barrier(*i); i = i->getNextNode()) {
      if (may_be_seen(*i)) seen.insert(i);
      if (!i->isTerminator()) continue;
      for (const llvm::BasicBlock* next : llvm::successors(i)) open.push_back(&next->front());
    }
  }
  return seen;
}

// Between the barriers of the block before and behind a loop that waits, which has none itself: what threads
// of the block may have left to do, or have done, while others are in the loop.
struct AroundLoop {
  explicit AroundLoop(const llvm::Loop& loop) {
    llvm::SmallVector<const llvm::Instruction*> starts;
    llvm::SmallVector<const llvm::BasicBlock*> open{loop.getHeader()};
    while (!open.empty()) {
      const llvm::BasicBlock& block = *open.pop_back_val();
      if (!before.insert(&block).second) continue;
      const auto barrier = llvm::find_if(llvm::reverse(block), is_whole_barrier);
      if (barrier != block.rend())
        starts.push_back(barrier->getNextNode());
      else if (llvm::pred_empty(&block))
        starts.push_back(&block.front());
      else
        open.append(llvm::pred_begin(&block), llvm::pred_end(&block));
    }
    all = seen_from(starts);
    llvm::SmallVector<llvm::BasicBlock*> exits;
    loop.getExitBlocks(exits);
    starts.clear();
    for (const llvm::BasicBlock* exit : exits) starts.push_back(&exit->front());
    behind = seen_from(starts);
  }
  llvm::SmallPtrSet<const llvm::BasicBlock*, 32> before;  // the loop's own, too
  Seen all, behind;
};

// Whether a loop waits for other blocks alone, and so that whole blocks may take turns at it: it does not
// matter that no thread of the block gets any further while the loop runs. Either one thread waits, and from
// barrier to barrier nobody but that thread does what others may see. Or several do, perhaps all, and only
// the first thread does, before it comes to the loop: that one is in the group that runs first, and what the
// others wait for is not theirs to do.
bool blocks_wait(const llvm::Loop& loop, bool for_global, const llvm::DominatorTree& dominators,
                 const Dim3& block) {
  if (loop.getLoopLatch() == nullptr) return false;
  const auto waits = only_thread(*loop.getHeader(), dominators, block);
  const AroundLoop around(loop);
  return llvm::all_of(around.all, [&](const llvm::Instruction* i) {
    const auto op = op_of(i);
    if (*op != Op::store && *op != Op::atomic && *op != Op::reduce) return false;
    const auto& access = llvm::cast<llvm::CallInst>(*i);
    if (for_global && space_of(access) == module::Space::shared) return true;
    const auto does = only_thread(*i->getParent(), dominators, block);
    if (waits) return does == waits;
    if (loop.contains(i)) return *op == Op::atomic && only_looks(access);
    return does == 0 && around.before.contains(i->getParent()) && !around.behind.contains(i);
  });
}

}  // namespace

void find_waits(llvm::Function& thread, const Dim3& block, bool observed, Needs& needs) {
  needs.watches = needs.independent_threads;
  if (needs.independent_lanes) return;
  const llvm::DominatorTree dominators(thread);
  const llvm::LoopInfo loops(dominators);
  const Waits waits = find_waits_of(loops, dominators);
  needs.watches |= waits.watches;
  if (waits.for_threads.empty()) {
    if (needs.independent_threads) return;
    give_way_surely_in(waits.for_blocks);
    return;
  }
  // An observer of blocks that take turns is told of warps.
  if (!needs.independent_threads && !observed && llvm::all_of(waits.for_threads, [&](const llvm::Loop* loop) {
        return blocks_wait(*loop, waits.only_global, dominators, block);
      })) {
    needs.blocks_wait = true;
    give_way_surely_in(waits.for_threads);
    give_way_surely_in(waits.for_blocks);
    for (const llvm::Loop* loop : waits.perhaps) give_way_in(*loop);
    return;
  }
  needs.independent_threads = true;
  const auto has_latch = [](const llvm::Loop* loop) { return loop->getLoopLatch() != nullptr; };
  const auto is_of_lanes = [&](const llvm::Loop* loop) {
    return !is_for_one_lane(*loop->getHeader(), dominators, block);
  };
  needs.independent_lanes =
      llvm::any_of(waits.locks, is_of_lanes) || !llvm::all_of(waits.for_threads, has_latch);
}

llvm::SmallVector<const llvm::Loop*> find_lock_loops(const llvm::LoopInfo& loops,
                                                     const llvm::DominatorTree& dominators) {
  const Waits waits = find_waits_of(loops, dominators);
  return {waits.locks.begin(), waits.locks.end()};
}

bool is_of_a_warp(const llvm::CallInst& step, std::span<const Site> sites, const module::Image& image) {
  const llvm::DebugLoc& location = step.getDebugLoc();
  if (!location || location.getLine() == 0) return false;
  const Site& site = sites[location.getLine() - 1];
  const module::Instruction& instruction = image.functions[site.function].code[site.instruction];
  const isa::SlotValues& words = image.mnemonics[instruction.mnemonic].values;
  return words.has(isa::Slot::sync) || words.has(isa::Slot::aligned);
}

bool may_be_warps(const ThreadProgram& program) {
  return program.entry != nullptr && !program.needs.independent_lanes;
}

void give_way_in_waits(llvm::Function& thread) {
  const llvm::DominatorTree dominators(thread);
  const llvm::LoopInfo loops(dominators);
  const Waits waits = find_waits_of(loops, dominators);
  for (const auto* sure : {&waits.for_threads, &waits.for_blocks})
    for (const llvm::Loop* loop : *sure) {
      give_way_in(*loop);
      say_who_is_waited_for(*loop, lanes_may_end(*loop, dominators) ? waits_for_lanes : waits_for_others);
    }
  for (const llvm::Loop* loop : waits.perhaps) give_way_in(*loop);
}

WaitLoops find_wait_loops(const llvm::LoopInfo& loops, const llvm::DominatorTree& dominators) {
  const Waits waits = find_waits_of(loops, dominators);
  WaitLoops found{{waits.for_threads.begin(), waits.for_threads.end()}, waits.watches};
  found.loops.append(waits.for_blocks.begin(), waits.for_blocks.end());
  for (const llvm::Loop* loop : found.loops) say_who_is_waited_for(*loop, waits_for_others);
  return found;
}

namespace {

// Vector code does not look at the number: whoever comes to a barrier of the whole block comes to the same.
void check_number(llvm::CallInst& barrier) {
  constexpr uint64_t barriers_per_block = 16;  // PTX ISA 9.7.13.1
  llvm::Value* id = barrier.getArgOperand(0);
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(id);
  if (known != nullptr && known->getZExtValue() < barriers_per_block) return;
  llvm::IRBuilder<> ir(&barrier);
  llvm::Instruction* place = &barrier;
  if (known == nullptr)
    place = llvm::SplitBlockAndInsertIfThen(
        ir.CreateICmpUGE(id, llvm::ConstantInt::get(id->getType(), barriers_per_block)), &barrier, false);
  ir.SetInsertPoint(place);
  ir.SetCurrentDebugLocation(barrier.getDebugLoc());
  call_op(ir, Op::trap, ir.getVoidTy(), {ir.getInt32(static_cast<uint32_t>(FaultKind::illegal_barrier))});
}

}  // namespace

void count_barriers(ThreadProgram& program, const Dim3& block) {
  llvm::SmallVector<llvm::CallInst*> barriers, whole_barriers;
  for (llvm::Function& f : *program.module) {
    for (llvm::BasicBlock& b : f) {
      for (llvm::Instruction& i : b) {
        if (is_op(&i, Op::barrier_some)) barriers.push_back(llvm::cast<llvm::CallInst>(&i));
        if (is_op(&i, Op::barrier) || is_op(&i, Op::barrier_reduce))
          whole_barriers.push_back(llvm::cast<llvm::CallInst>(&i));
      }
    }
  }
  // A count is a multiple of the warp size, lanes that the block has not count as arrived (PTX ISA 9.7.13.1).
  const uint64_t whole = (block.count() + 31) / 32 * 32;
  llvm::IRBuilder<> ir(program.entry->getContext());
  for (llvm::CallInst* call : barriers) {
    const auto kind = static_cast<BarrierKind>(immediate(*call, 0));
    if (is_of_cluster(kind)) continue;
    const auto* count = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(2));
    if (!count || count->getZExtValue() != whole || kind == BarrierKind::arrive) {
      program.needs.independent_threads = true;
      continue;
    }
    ir.SetInsertPoint(call);
    llvm::Value* id = call->getArgOperand(1);
    if (kind == BarrierKind::sync) {
      whole_barriers.push_back(call_op(ir, Op::barrier, ir.getVoidTy(), {id}));
    } else {
      llvm::Value* reduction = ir.getInt32(kind == BarrierKind::popc ? 0 : kind == BarrierKind::and_ ? 1 : 2);
      whole_barriers.push_back(
          call_op(ir, Op::barrier_reduce, call->getType(), {id, reduction, call->getArgOperand(3)}));
      call->replaceAllUsesWith(whole_barriers.back());
    }
    call->eraseFromParent();
  }
  for (llvm::CallInst* barrier : whole_barriers) check_number(*barrier);
}

bool may_want_lockstep(const llvm::Function& thread, bool independent) {
  for (const llvm::Instruction& i : llvm::instructions(thread)) {
    const auto op = op_of(&i);
    if (!op) continue;
    if (!independent && effect(*op) == Effect::convergent && *op != Op::barrier && *op != Op::barrier_reduce)
      return true;
    if (*op != Op::load && *op != Op::store && *op != Op::atomic && *op != Op::reduce) continue;
    const auto& call = llvm::cast<llvm::CallInst>(i);
    const auto space = static_cast<module::Space>(immediate(call, 1));
    const bool of_block = space == module::Space::shared || space == module::Space::generic;
    const bool strong = (*op == Op::load || *op == Op::store) && (immediate(call, 2) & access_strong) != 0;
    if (independent ? of_block && strong : of_block || strong) return true;
  }
  return false;
}

}  // namespace heddle::exec::jit
