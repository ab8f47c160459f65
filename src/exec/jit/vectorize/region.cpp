#include "exec/jit/vectorize/region.h"

#include <cstddef>

#include "exec/jit/abi/context.h"
#include "exec/jit/analysis/ring.h"
#include "exec/jit/ir/ops.h"
#include "llvm/IR/CFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::exec::jit {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

// Extensions at the head of a block behind a test belong to that test.
void split_at_guards(llvm::Function& function, const Patterns& fast) {
  const auto guarded = [&](const Instruction& i) { return fast.is_guarded(&i) || fast.is_row_guarded(&i); };
  std::vector<BasicBlock*> blocks;
  for (BasicBlock& block : function) blocks.push_back(&block);
  for (BasicBlock* block : blocks)
    for (bool tested = false;; tested = true) {
      BasicBlock::iterator at = block->begin();
      while (tested && guarded(*at)) ++at;
      while (at != block->end() && !guarded(*at)) ++at;
      if (at == block->end()) break;
      Instruction* first = &*at;
      // One test for all whose source is there already.
      llvm::SmallVector<Instruction*, 4> together;
      const auto is_later = [&](const Value* operand) {
        const auto* i = llvm::dyn_cast<Instruction>(operand);
        return i != nullptr && i->getParent() == block && !i->comesBefore(first);
      };
      for (auto i = std::next(at); i != block->end(); ++i)
        if (guarded(*i) && llvm::none_of(i->operand_values(), is_later)) together.push_back(&*i);
      for (Instruction* i : together) i->moveAfter(first);
      block = llvm::SplitBlock(block, first);
    }
}

bool RegionEmitter::may_stay_slow(const Region& region) {
  if (!region.fast->guarded().empty() || !region.fast->row_guarded().empty()) return true;
  for (const BasicBlock* block : region.fast_flow->order())
    if (region.fast_flow->is_divergent(block)) {
      const auto& component = region.fast_flow->components()[region.fast_flow->component_of_branch(block)];
      if (component.end == nullptr) return true;
    }
  return false;
}

RegionEmitter::RegionEmitter(Weaver& weaver, const Region& region, unsigned number)
    : weaver_(weaver), b_(weaver.builder), region_(region), number_(number) {
  unsigned position = 0;
  for (BasicBlock& block : *region.function)
    for (Instruction& i : block) {
      position_[&i] = position++;
      bool crosses = llvm::isa<llvm::PHINode>(i);
      for (const llvm::User* user : i.users()) {
        const auto* at = llvm::cast<Instruction>(user);
        crosses |= at->getParent() != &block || llvm::isa<llvm::PHINode>(at) || at->isTerminator();
      }
      if (crosses) crossing_.insert(&i);
    }
  // What the test of a ring's row asks for may be of another block.
  for (const BasicBlock& block : *region.function)
    for (const Instruction& i : block)
      if (is_op(&i, Op::load) || is_op(&i, Op::store)) keep_for_rings(llvm::cast<llvm::CallInst>(i));
  fast_ = std::make_unique<Unit>(weaver, region, crossing_, false);
  slow_ = std::make_unique<Unit>(weaver, region, crossing_, true);
  live_ = live_in(*region.function);
  for (const BasicBlock& block : *region.function)
    if (const BasicBlock* before = block.getSinglePredecessor())
      for (const Instruction& i : block)
        if (region.fast->is_guarded(&i) || region.fast->is_row_guarded(&i))
          guards_[before].extensions.push_back(&i);
}

void RegionEmitter::keep_for_rings(const llvm::CallInst& access) {
  const auto [elements, type] = elements_of(access);
  const uint64_t bytes = uint64_t{elements} * type->getScalarSizeInBits() / 8;
  for (const Patterns* patterns : {region_.fast.get(), region_.slow.get()})
    if (const auto ring = find_ring(access.getArgOperand(0), *patterns, bytes))
      ring->each_value([&](Value* value) {
        const auto* i = llvm::dyn_cast<Instruction>(value);
        if (i != nullptr && i->getParent() != access.getParent()) crossing_.insert(i);
      });
}

void RegionEmitter::emit(Value* group, BasicBlock* done) {
  group_ = group, done_ = done;
  const Geometry& g = weaver_.geometry;
  const bool fast = g.full_groups() != 0;
  const bool starts_slow = weaver_.sticky != nullptr || g.has_tail();
  BasicBlock* slow_start = weaver_.block("slow");
  mode_ = weaver_.make_alloca(b_.getInt32Ty(), "mode");
  resume_ = weaver_.make_alloca(b_.getInt32Ty(), "resume");
  if (g.group_warps() > 1) pending_ = weaver_.make_alloca(b_.getInt32Ty(), "pending");
  warp_begin_ = weaver_.block("warp"), warp_end_ = weaver_.block("warp.end");
  Value* slowly = b_.getFalse();
  if (!fast)
    slowly = b_.getTrue();
  else if (g.has_tail())
    slowly = b_.CreateICmpUGE(group, b_.getInt32(g.full_groups()));
  if (fast && weaver_.sticky != nullptr && number_ != 0) {
    Value* stays = b_.CreateLoad(b_.getInt8Ty(), b_.CreateInBoundsGEP(b_.getInt8Ty(), weaver_.sticky, group));
    slowly = b_.CreateOr(slowly, b_.CreateICmpNE(stays, b_.getInt8(0)));
  }
  if (fast) {
    for (const BasicBlock* block : region_.fast_flow->order())
      if (!region_.is_serial(block)) fast_blocks_[block] = weaver_.block("fast." + block->getName());
    BasicBlock* start = weaver_.block("fast");
    fast_->set_place(group, b_.CreateMul(group, b_.getInt32(g.vectors), "", true, true));
    b_.CreateCondBr(slowly, slow_start, start);
    b_.SetInsertPoint(start);
    note_first_thread(*fast_);
    b_.CreateBr(fast_blocks_[region_.fast_flow->order().front()]);
    emit_fast();
  } else {
    b_.CreateBr(slow_start);
  }
  b_.SetInsertPoint(slow_start);
  if (!starts_slow && resumes_.empty()) {  // never comes here
    b_.CreateUnreachable();
    b_.SetInsertPoint(warp_begin_);
    b_.CreateUnreachable();
    b_.SetInsertPoint(warp_end_);
    b_.CreateUnreachable();
    return;
  }
  b_.CreateStore(b_.getInt32(0), mode_);
  b_.CreateStore(b_.getInt32(0), resume_);
  if (pending_ != nullptr) b_.CreateStore(b_.getInt32(g.all_warps()), pending_);
  b_.CreateBr(warp_begin_);
  emit_slow();
  if (!fast) return;
  backs_.push_back(done_);
  weaver_.slow_parts.push_back({warp_begin_, std::move(backs_)});
}

}  // namespace heddle::exec::jit
