#include "exec/jit/transform/fission.h"

#include <algorithm>
#include <string>

#include "exec/jit/analysis/flow.h"
#include "exec/jit/analysis/live.h"
#include "exec/jit/ir/ops.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace heddle::exec::jit {

using llvm::BasicBlock;
using llvm::Function;
using llvm::Instruction;

namespace {

std::vector<llvm::CallInst*> barriers_of(Function& function) {
  std::vector<llvm::CallInst*> all;
  for (Instruction& i : llvm::instructions(function))
    if (is_whole_barrier(i)) all.push_back(llvm::cast<llvm::CallInst>(&i));
  return all;
}

using Values = LiveValues;

bool is_cheap(const Instruction& i) {
  if (auto operation = op_of(&i)) {
    switch (*operation) {
      case Op::tid:
      case Op::ntid:
      case Op::ctaid:
      case Op::nctaid:
      case Op::threads_here:
      case Op::laneid:
      case Op::warpid:
      case Op::grid_id:
      case Op::dynamic_shared_bytes:
      case Op::environment:
      case Op::parameter:
      case Op::symbol:
      case Op::generic:
      case Op::local_address: return true;
      default: return false;
    }
  }
  switch (i.getOpcode()) {
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::Mul:
    case Instruction::Shl:
    case Instruction::LShr:
    case Instruction::AShr:
    case Instruction::And:
    case Instruction::Or:
    case Instruction::Xor:
    case Instruction::ZExt:
    case Instruction::SExt:
    case Instruction::Trunc:
    case Instruction::ICmp:
    case Instruction::Select:
    case Instruction::BitCast: return !i.getType()->isVectorTy();
    default: return false;
  }
}

class Splitter {
 public:
  explicit Splitter(Function& thread) : thread_(thread) {}

  Regions run() {
    Regions regions;
    barriers_ = barriers_of(thread_);
    for (llvm::CallInst* barrier : barriers_) llvm::SplitBlock(barrier->getParent(), barrier);
    const auto live = live_in(thread_);
    std::vector<Values> at(barriers_.size());
    std::vector<Instruction*> crossing;
    Values seen;
    for (std::size_t b = 0; b < barriers_.size(); ++b) {
      at[b] = live.lookup(barriers_[b]->getParent());
      at[b].erase(barriers_[b]);
      for (Instruction* operand : at[b])
        if (seen.insert(operand).second) crossing.push_back(operand);
    }
    // The barrier's own operands are read before it.
    llvm::DenseMap<Instruction*, unsigned> number;
    unsigned n = 0;
    for (Instruction& i : llvm::instructions(thread_)) number[&i] = n++;
    std::sort(crossing.begin(), crossing.end(),
              [&](Instruction* a, Instruction* b) { return number[a] < number[b]; });
    choose_slots(crossing, at, regions);
    to_memory(crossing);
    for (std::size_t r = 0; r <= barriers_.size(); ++r) regions.functions.push_back(region(r, crossing, at));
    for (Function* function : regions.functions) finish(*function, crossing.size());
    thread_.eraseFromParent();
    return regions;
  }

 private:
  // A value is recomputed when everything below it is too, or lives across the same barriers anyway.
  void choose_slots(const std::vector<Instruction*>& crossing, const std::vector<Values>& at,
                    Regions& regions) {
    for (Instruction* value : crossing) {
      llvm::SmallVector<Instruction*, 8> chain;
      if (can_recompute(value, value, at, chain) && chain.size() <= 12) {
        recompute_[value] = chain;
        ++regions.recomputed;
      } else {
        slot_[value] = static_cast<unsigned>(regions.slots.size());
        regions.slots.push_back({value->getType()});
      }
    }
  }

  bool lives_wherever(Instruction* operand, Instruction* value, const std::vector<Values>& at) const {
    for (const Values& live : at)
      if (live.contains(value) && !live.contains(operand)) return false;
    return slot_.contains(operand);
  }

  bool can_recompute(Instruction* value, Instruction* root, const std::vector<Values>& at,
                     llvm::SmallVectorImpl<Instruction*>& chain) const {
    if (value != root && lives_wherever(value, root, at)) return true;  // read from its slot
    if (!is_cheap(*value) || chain.size() > 12) return false;
    for (llvm::Value* operand : value->operands()) {
      auto* below = llvm::dyn_cast<Instruction>(operand);
      if (below != nullptr && !llvm::is_contained(chain, below) && !can_recompute(below, root, at, chain))
        return false;
    }
    if (!llvm::is_contained(chain, value)) chain.push_back(value);
    return true;
  }

  void to_memory(const std::vector<Instruction*>& crossing) {
    Instruction* front = &*thread_.getEntryBlock().getFirstInsertionPt();
    for (Instruction* value : crossing) {
      auto* home = new llvm::AllocaInst(value->getType(), 0, "home", front->getIterator());
      home_[value] = home;
    }
    for (Instruction* value : crossing) {
      llvm::AllocaInst* home = home_[value];
      llvm::SmallVector<llvm::Use*, 8> uses;
      for (llvm::Use& use : value->uses()) uses.push_back(&use);
      llvm::DenseMap<BasicBlock*, llvm::Value*> loaded;  // for phis with several edges from one block
      for (llvm::Use* use : uses) {
        auto* user = llvm::cast<Instruction>(use->getUser());
        if (auto* phi = llvm::dyn_cast<llvm::PHINode>(user)) {
          BasicBlock* from = phi->getIncomingBlock(*use);
          llvm::Value*& load = loaded[from];
          if (load == nullptr)
            load = new llvm::LoadInst(value->getType(), home, "", from->getTerminator()->getIterator());
          use->set(load);
        } else {
          use->set(new llvm::LoadInst(value->getType(), home, "", user->getIterator()));
        }
      }
      BasicBlock::iterator after = llvm::isa<llvm::PHINode>(value) ? value->getParent()->getFirstInsertionPt()
                                                                   : std::next(value->getIterator());
      new llvm::StoreInst(value, home, after);
    }
  }

  // The blocks that may run from `first` on until a barrier, those of the barriers included, in `function`. A
  // program with many barriers has as many regions, and most of it is in few of them.
  llvm::SmallPtrSet<BasicBlock*, 32> copy_what_runs(BasicBlock& first, Function& function,
                                                    llvm::ValueToValueMapTy& map) {
    llvm::SmallPtrSet<const BasicBlock*, 16> of_barriers;
    for (const llvm::CallInst* barrier : barriers_) of_barriers.insert(barrier->getParent());
    const auto goes_on = [&](const BasicBlock* block) {
      return block == &first || !of_barriers.contains(block);
    };
    llvm::SmallPtrSet<BasicBlock*, 32> reached = {&first};
    llvm::SmallVector<BasicBlock*, 32> open = {&first};
    while (!open.empty()) {
      BasicBlock* block = open.pop_back_val();
      if (!goes_on(block)) continue;
      for (BasicBlock* next : llvm::successors(block))
        if (reached.insert(next).second) open.push_back(next);
    }
    std::vector<BasicBlock*> copies;
    for (BasicBlock& block : thread_) {
      if (!reached.contains(&block)) continue;
      BasicBlock* copy = llvm::CloneBasicBlock(&block, map, "", &function);
      map[&block] = copy;
      copies.push_back(copy);
      if (llvm::isa<llvm::ReturnInst>(copy->getTerminator())) {
        copy->getTerminator()->eraseFromParent();
        llvm::IRBuilder<>(copy).CreateRet(llvm::ConstantInt::get(function.getReturnType(), region_end));
      } else if (!goes_on(&block)) {
        copy->getTerminator()->eraseFromParent();
        new llvm::UnreachableInst(function.getContext(), copy);
      }
    }
    for (const auto& [value, home] : home_)
      if (map.count(home) == 0) {
        Instruction* copy = home->clone();
        copy->insertBefore(function.getEntryBlock(), function.getEntryBlock().end());
        map[home] = copy;
      }
    for (BasicBlock* copy : copies)
      for (Instruction& i : *copy) {
        if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&i))
          for (unsigned n = phi->getNumIncomingValues(); n-- > 0;) {
            BasicBlock* from = phi->getIncomingBlock(n);
            if (!reached.contains(from) || !goes_on(from)) phi->removeIncomingValue(n, false);
          }
        llvm::RemapInstruction(&i, map, llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
      }
    return reached;
  }

  Function* region(std::size_t r, const std::vector<Instruction*>& crossing, const std::vector<Values>& at) {
    llvm::LLVMContext& context = thread_.getContext();
    auto* type = llvm::FunctionType::get(llvm::Type::getInt32Ty(context), false);
    Function* function = Function::Create(type, llvm::GlobalValue::InternalLinkage,
                                          "region" + std::to_string(r), thread_.getParent());
    function->copyAttributesFrom(&thread_);
    function->setDSOLocal(true);
    auto* entry = BasicBlock::Create(context, "", function);
    llvm::IRBuilder<> builder(entry);
    llvm::ValueToValueMapTy map;
    BasicBlock* first = r == 0 ? &thread_.getEntryBlock() : barriers_[r - 1]->getParent();
    const auto reached = copy_what_runs(*first, *function, map);
    entry->setName("entry");
    // The homes belong to the region from its beginning on.
    for (Instruction* value : crossing)
      llvm::cast<Instruction>(map[home_[value]])->moveBefore(*entry, entry->end());
    builder.SetInsertPoint(entry);
    if (r != 0) {
      reload(builder, crossing, at[r - 1], map);
      if (barriers_[r - 1]->getType()->isVoidTy() == false) {
        auto* barrier = llvm::cast<llvm::CallInst>(map[barriers_[r - 1]]);
        llvm::CallInst* result =
            call_op(builder, Op::barrier_result, barrier->getType(), {barrier->getArgOperand(1)});
        for (llvm::Use& use : llvm::make_early_inc_range(barrier->uses())) {
          // Only those after this barrier: the block of the barrier is left by the other way below.
          use.set(result);
        }
      }
    }
    // Every barrier ends the region; the one that it starts behind is passed.
    for (std::size_t b = 0; b < barriers_.size(); ++b) {
      if (!reached.contains(barriers_[b]->getParent())) continue;
      auto* barrier = llvm::cast<llvm::CallInst>(map[barriers_[b]]);
      BasicBlock* block = barrier->getParent();
      if (b + 1 == r) {
        // A way back to this barrier ends here too: a copy of the block's head that stops.
        BasicBlock* rest = llvm::SplitBlock(block, barrier->getNextNode());
        builder.CreateBr(rest);
        stop(block, barrier, b, crossing, at[b], map);
      } else {
        stop(block, barrier, b, crossing, at[b], map);
      }
    }
    if (r == 0) builder.CreateBr(llvm::cast<BasicBlock>(map[first]));
    llvm::removeUnreachableBlocks(*function);
    return function;
  }

  void reload(llvm::IRBuilder<>& builder, const std::vector<Instruction*>& crossing, const Values& live,
              llvm::ValueToValueMapTy& map) {
    llvm::DenseMap<Instruction*, llvm::Value*> value_of;
    for (Instruction* value : crossing)
      if (live.contains(value) && slot_.contains(value))
        value_of[value] = call_op(builder, Op::slot_load, value->getType(), {builder.getInt32(slot_[value])});
    for (Instruction* value : crossing) {
      if (!live.contains(value) || slot_.contains(value)) continue;
      for (Instruction* link : recompute_[value]) {
        if (value_of.contains(link)) continue;
        Instruction* copy = original(link)->clone();
        for (llvm::Use& operand : copy->operands())
          if (auto* below = source(operand.get())) operand.set(value_of[below]);
        if (!copy->getType()->isVoidTy()) copy->setName(link->getName());
        builder.Insert(copy);
        value_of[link] = copy;
      }
    }
    for (Instruction* value : crossing)
      if (live.contains(value))
        builder.CreateStore(value_of[value], llvm::cast<Instruction>(map[home_[value]]));
  }

  // After to_memory the operands of a crossing value are loads from homes.
  Instruction* original(Instruction* link) { return link; }
  Instruction* source(llvm::Value* operand) {
    auto* instruction = llvm::dyn_cast<Instruction>(operand);
    if (instruction == nullptr) return nullptr;
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction))
      for (auto& [value, home] : home_)
        if (load->getPointerOperand() == home) return value;
    return instruction;
  }

  void stop(BasicBlock* block, llvm::CallInst* barrier, std::size_t b,
            const std::vector<Instruction*>& crossing, const Values& live, llvm::ValueToValueMapTy& map) {
    llvm::IRBuilder<> builder(barrier);
    if (is_op(barrier, Op::barrier_reduce))
      call_op(builder, Op::barrier_contribute, builder.getVoidTy(),
              {barrier->getArgOperand(1), barrier->getArgOperand(2)});
    for (Instruction* value : crossing)
      if (live.contains(value) && slot_.contains(value)) {
        auto* home = llvm::cast<llvm::AllocaInst>(map[home_[value]]);
        call_op(builder, Op::slot_store, builder.getVoidTy(),
                {builder.getInt32(slot_[value]), builder.CreateLoad(value->getType(), home)});
      }
    const Instruction* end = builder.CreateRet(builder.getInt32(static_cast<uint32_t>(b + 1)));
    for (BasicBlock* next : llvm::successors(block))
      next->removePredecessor(block, /*KeepOneInputPHIs=*/true);
    while (&block->back() != end) {
      Instruction& last = block->back();
      if (!last.use_empty()) last.replaceAllUsesWith(llvm::PoisonValue::get(last.getType()));
      last.eraseFromParent();
    }
  }

  void finish(Function& function, std::size_t) {
    std::vector<llvm::AllocaInst*> homes;
    for (Instruction& i : function.getEntryBlock())
      if (auto* home = llvm::dyn_cast<llvm::AllocaInst>(&i);
          home != nullptr && llvm::isAllocaPromotable(home))
        homes.push_back(home);
    llvm::DominatorTree dominators(function);
    if (!homes.empty()) llvm::PromoteMemToReg(homes, dominators);
    bool changed = true;
    while (changed) {  // slot loads that nobody needs
      changed = false;
      for (Instruction& i : llvm::make_early_inc_range(llvm::instructions(function)))
        if (i.use_empty() && (llvm::isInstructionTriviallyDead(&i) || is_op(&i, Op::slot_load))) {
          i.eraseFromParent();
          changed = true;
        }
    }
  }

  Function& thread_;
  std::vector<llvm::CallInst*> barriers_;
  llvm::DenseMap<Instruction*, unsigned> slot_;
  llvm::DenseMap<Instruction*, llvm::SmallVector<Instruction*, 8>> recompute_;
  llvm::MapVector<Instruction*, llvm::AllocaInst*> home_;  // goes in its order
};

}  // namespace

Regions split_at_barriers(Function& thread) { return Splitter(thread).run(); }

// Threads that part at a branch must meet again before the next barrier. Ways on which no barrier comes any
// more do not count: who takes one counts as arrived. So: post-dominators of the graph of blocks from which a
// barrier can be reached, in which a block with a barrier is an end.
const Instruction* divergent_barrier(Function& thread, const Flow& flow) {
  const auto is_any = [](const Instruction& i) { return is_whole_barrier(i) || is_op(&i, Op::barrier_some); };
  if (llvm::none_of(llvm::instructions(thread), is_any)) return nullptr;
  const auto& order = flow.order();
  const auto count = static_cast<unsigned>(order.size());
  llvm::BitVector stops(count), comes(count);
  for (unsigned b = 0; b < count; ++b)
    for (const Instruction& i : *order[b]) stops[b] = stops[b] || is_any(i);
  comes = stops;
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned b = count; b-- > 0;)
      for (const BasicBlock* next : llvm::successors(order[b]))
        if (!comes[b] && comes[flow.position(next)]) comes[b] = changed = true;
  }
  std::vector<llvm::BitVector> after(count, llvm::BitVector(count, true));  // blocks that come on every way
  for (unsigned b = 0; b < count; ++b)
    if (stops[b]) after[b].reset(), after[b].set(b);
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned b = count; b-- > 0;) {
      if (stops[b] || !comes[b]) continue;
      llvm::BitVector all(count, true);
      for (const BasicBlock* next : llvm::successors(order[b]))
        if (comes[flow.position(next)]) all &= after[flow.position(next)];
      all.set(b);
      changed |= all != after[b];
      after[b] = all;
    }
  }
  for (unsigned b = 0; b < count; ++b) {
    if (!flow.is_divergent(order[b]) || !comes[b]) continue;
    const auto both = llvm::all_of(llvm::successors(order[b]),
                                   [&](const BasicBlock* next) { return comes[flow.position(next)]; });
    if (!both) continue;
    llvm::BitVector meets(count, true);
    for (const BasicBlock* next : llvm::successors(order[b])) meets &= after[flow.position(next)];
    if (meets.none()) return order[b]->getTerminator();
  }
  return nullptr;
}

llvm::SmallVector<uint32_t, 4> outcomes_of(const llvm::Function& region) {
  llvm::SmallVector<uint32_t, 4> outcomes;
  llvm::SmallPtrSet<const llvm::Value*, 8> seen;
  llvm::SmallVector<const llvm::Value*, 8> open;
  for (const BasicBlock& block : region)
    if (const auto* ret = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator()))
      open.push_back(ret->getReturnValue());
  while (!open.empty()) {
    const llvm::Value* value = open.pop_back_val();
    if (!seen.insert(value).second) continue;
    if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value)) {
      outcomes.push_back(static_cast<uint32_t>(number->getZExtValue()));
    } else if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(value)) {
      open.append(phi->op_begin(), phi->op_end());
    } else if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(value)) {
      open.append({select->getTrueValue(), select->getFalseValue()});
    } else {
      return {};
    }
  }
  llvm::sort(outcomes);
  return outcomes;
}

}  // namespace heddle::exec::jit
