// From fast code to slow code and back: what is carried over, and for which warps.

#include "exec/jit/vectorize/region.h"
#include "llvm/IR/CFG.h"

namespace heddle::exec::jit {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

llvm::AllocaInst* RegionEmitter::exchange(const Value* value, bool out) {
  llvm::AllocaInst*& place = exchanges_[out][value];
  if (place == nullptr) {
    const Pattern pattern = fast_->patterns().of(value);
    llvm::Type* type = part_type(pattern, value->getType(), weaver_.geometry.lanes);
    place =
        weaver_.make_alloca(llvm::ArrayType::get(type, part_count(pattern, fast_->vectors())), "exchange");
  }
  return place;
}

// Mode 0: slow code runs to the region's end; else until the end of component mode - 1.
void RegionEmitter::leave_for_slow(const BasicBlock& block, unsigned mode) {
  Resume* resume = nullptr;
  for (Resume& known : resumes_)
    if (known.block == &block) resume = &known;
  if (resume == nullptr) {
    resumes_.push_back({&block, weaver_.block("resume." + block.getName()),
                        in_order(live_out(live_, const_cast<BasicBlock&>(block)))});
    resume = &resumes_.back();
  }
  for (const Instruction* value : resume->values) {
    const Rep rep = fast_->get(value);
    llvm::AllocaInst* place = exchange(value, false);
    llvm::Type* type = place->getAllocatedType()->getArrayElementType();
    for (unsigned j = 0; j < rep.parts.size(); ++j)
      b_.CreateStore(rep.parts[j], b_.CreateConstInBoundsGEP1_32(type, place, j));
  }
  b_.CreateStore(b_.getInt32(mode), mode_);
  b_.CreateStore(b_.getInt32(static_cast<uint32_t>(resume - resumes_.data()) + 1), resume_);
  if (pending_ != nullptr) b_.CreateStore(warps_that_leave(block, mode), pending_);
  b_.CreateBr(warp_begin_);
}

llvm::SmallVector<const Instruction*, 16> RegionEmitter::in_order(const LiveValues& values) const {
  llvm::SmallVector<const Instruction*, 16> list(values.begin(), values.end());
  llvm::sort(list, [&](const Instruction* a, const Instruction* b) {
    return position_.lookup(a) < position_.lookup(b);
  });
  return list;
}

llvm::SmallVector<const Instruction*, 16> RegionEmitter::results_of(const Flow::Component& component) const {
  llvm::SmallVector<const Instruction*, 16> values;
  for (const llvm::PHINode& phi : component.end->phis()) values.push_back(&phi);
  if (const auto live = live_.find(component.end); live != live_.end())
    for (const Instruction* value : in_order(live->second))
      if (component.blocks.contains(value->getParent())) values.push_back(value);
  return values;
}

// Where a way goes straight to the component's end and nothing is chosen there, a warp that goes that way as
// a whole is done.
Value* RegionEmitter::warps_that_leave(const BasicBlock& block, unsigned mode) {
  const Geometry& g = weaver_.geometry;
  Value* all = b_.getInt32(g.all_warps());
  if (mode == 0) return all;
  const auto& component = region_.fast_flow->components()[mode - 1];
  const auto* branch = llvm::cast<llvm::BranchInst>(block.getTerminator());
  const bool yes_ends = branch->getSuccessor(0) == component.end,
             no_ends = branch->getSuccessor(1) == component.end;
  if (yes_ends == no_ends || !results_of(component).empty()) return all;
  const Rep condition = fast_->get(branch->getCondition());
  Value* result = b_.getInt32(0);
  for (unsigned w = 0; w < g.group_warps(); ++w) {
    Value* leaves = nullptr;
    for (unsigned i = 0; i < g.warp_vectors(); ++i) {
      Value* lanes = weaver_.lanes.vector(condition, w * g.warp_vectors() + i);
      if (yes_ends) lanes = b_.CreateNot(lanes);
      leaves = leaves == nullptr ? lanes : b_.CreateOr(leaves, lanes);
    }
    result = b_.CreateOr(result, b_.CreateShl(b_.CreateZExt(fast_->any({leaves}), b_.getInt32Ty()), w));
  }
  return result;
}

void RegionEmitter::next_warp(BasicBlock* after_the_last) {
  if (pending_ == nullptr) {
    b_.CreateBr(after_the_last);
    return;
  }
  Value* pending = b_.CreateLoad(b_.getInt32Ty(), pending_);
  Value* rest = b_.CreateAnd(pending, b_.CreateSub(pending, b_.getInt32(1)));
  b_.CreateStore(rest, pending_);
  b_.CreateCondBr(b_.CreateICmpNE(rest, b_.getInt32(0)), warp_begin_, after_the_last);
}

void RegionEmitter::take_over(const Resume& resume) {
  const unsigned count = weaver_.geometry.warp_vectors();
  Value* first = b_.CreateMul(warp_, b_.getInt32(count), "", true, true);
  for (const Instruction* value : resume.values) {
    Rep rep{fast_->patterns().of(value), {}};
    llvm::AllocaInst* place = exchange(value, false);
    llvm::Type* type = place->getAllocatedType()->getArrayElementType();
    if (rep.pattern.kind == Pattern::affine) {
      rep.parts.push_back(b_.CreateLoad(type, place));
      rep.parts[0] = weaver_.lanes.base(rep, first);
    } else {
      for (unsigned part = 0; part < part_count(rep.pattern, fast_->vectors()); part += fast_->vectors())
        for (unsigned i = 0; i < count; ++i)
          rep.parts.push_back(b_.CreateLoad(
              type,
              b_.CreateInBoundsGEP(type, place, b_.CreateAdd(first, b_.getInt32(part + i), "", true, true))));
    }
    const Rep converted = slow_->convert(rep, slow_->patterns().of(value));
    const auto home = slow_->home(value);
    for (unsigned i = 0; i < home.size(); ++i) b_.CreateStore(converted.parts[i], home[i]);
  }
}

void RegionEmitter::return_to_fast(unsigned component_index) {
  const auto& component = region_.fast_flow->components()[component_index];
  const unsigned count = weaver_.geometry.warp_vectors();
  const auto values = results_of(component);
  slow_->begin_block();
  Value* first = b_.CreateMul(warp_, b_.getInt32(count), "", true, true);
  for (const Instruction* value : values) {
    const Rep rep = slow_->get(value);
    const Pattern fast = fast_->patterns().of(value);
    llvm::AllocaInst* place = exchange(value, true);
    llvm::Type* type = place->getAllocatedType()->getArrayElementType();
    if (fast.kind == Pattern::affine) {
      Value* base = weaver_.lanes.base(rep, 0u);
      if (pending_ != nullptr)
        base = b_.CreateSelect(b_.CreateICmpEQ(warp_, b_.getInt32(0)), base, b_.CreateLoad(type, place));
      b_.CreateStore(base, place);
      continue;
    }
    const Rep back = slow_->convert(rep, fast);
    for (unsigned i = 0; i < back.parts.size(); ++i) {
      const unsigned part = i / count * fast_->vectors() + i % count;
      b_.CreateStore(back.parts[i], b_.CreateInBoundsGEP(
                                        type, place, b_.CreateAdd(first, b_.getInt32(part), "", true, true)));
    }
  }
  BasicBlock* back = weaver_.block("back");
  backs_.push_back(back);
  next_warp(back);
  b_.SetInsertPoint(back);
  for (const Instruction* value : values) {
    const auto home = fast_->home(value);
    llvm::AllocaInst* place = exchange(value, true);
    llvm::Type* type = place->getAllocatedType()->getArrayElementType();
    for (unsigned j = 0; j < home.size(); ++j)
      b_.CreateStore(b_.CreateLoad(type, b_.CreateConstInBoundsGEP1_32(type, place, j)), home[j]);
  }
  note_first_thread(*fast_);
  b_.CreateBr(fast_blocks_[component.end]);
}

}  // namespace heddle::exec::jit
