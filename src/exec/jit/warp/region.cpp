#include "exec/jit/warp/region.h"

#include <cstddef>

#include "exec/jit/context.h"
#include "llvm/IR/CFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::exec::jit {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

// Extensions at the head of a block behind a test belong to that test.
void split_at_guards(llvm::Function& function, const Patterns& fast) {
  const auto guarded = [&](const Instruction& i) { return fast.guarded().contains(&i); };
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
      llvm::SmallPtrSet<const Value*, 16> later;
      for (auto i = at; i != block->end(); ++i) later.insert(&*i);
      llvm::SmallVector<Instruction*, 4> together;
      for (auto i = std::next(at); i != block->end(); ++i)
        if (guarded(*i) && !later.contains(i->getOperand(0))) together.push_back(&*i);
      for (Instruction* i : together) i->moveAfter(first);
      block = llvm::SplitBlock(block, first);
    }
}

namespace {

Value* all_warps(const Geometry& g, llvm::LLVMContext& context) {
  const unsigned warps = g.group_warps();
  return llvm::ConstantInt::get(llvm::Type::getInt32Ty(context),
                                warps >= 32 ? 0xffffffffu : (1u << warps) - 1);
}

}  // namespace

bool RegionEmitter::may_stay_slow(const Region& region) {
  if (!region.fast->guarded().empty()) return true;
  for (const BasicBlock* block : region.fast_flow->order())
    if (region.fast_flow->is_divergent(block)) {
      const auto& component = region.fast_flow->components()[region.fast_flow->component_of_branch(block)];
      if (component.end == nullptr) return true;
    }
  return false;
}

RegionEmitter::RegionEmitter(Weaver& weaver, const Region& region, unsigned number, bool is_only_region)
    : weaver_(weaver), b_(weaver.builder), region_(region), number_(number), only_region_(is_only_region) {
  for (BasicBlock& block : *region.function)
    for (Instruction& i : block) {
      bool crosses = llvm::isa<llvm::PHINode>(i);
      for (const llvm::User* user : i.users()) {
        const auto* at = llvm::cast<Instruction>(user);
        crosses |= at->getParent() != &block || llvm::isa<llvm::PHINode>(at) || at->isTerminator();
      }
      if (crosses) crossing_.insert(&i);
    }
  fast_ = std::make_unique<Unit>(weaver, region, crossing_, false);
  slow_ = std::make_unique<Unit>(weaver, region, crossing_, true);
  live_ = live_in(*region.function);
  for (const Instruction* extension : region.fast->guarded())
    if (const BasicBlock* before = extension->getParent()->getSinglePredecessor())
      guards_[before].extensions.push_back(extension);
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
      fast_blocks_[block] = weaver_.block("fast." + block->getName());
    BasicBlock* start = weaver_.block("fast");
    fast_->set_place(group, b_.CreateMul(group, b_.getInt32(g.vectors), "", true, true));
    b_.CreateCondBr(slowly, slow_start, start);
    b_.SetInsertPoint(start);
    weaver_.store_context_field(fast_->first_thread(), offsetof(Context, first_thread));
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
  if (pending_ != nullptr) b_.CreateStore(all_warps(g, weaver_.context), pending_);
  b_.CreateBr(warp_begin_);
  emit_slow();
}

// ---- fast ------------------------------------------------------------------------------------------------

void RegionEmitter::emit_fast() {
  for (const BasicBlock* block : region_.fast_flow->order()) {
    b_.SetInsertPoint(fast_blocks_[block]);
    fast_->begin_block();
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    const bool deferred = branch != nullptr && branch->isConditional() && is_decided_by_scalars(*branch);
    for (const Instruction& i : *block) {
      if (llvm::isa<llvm::PHINode>(i) || i.isTerminator()) continue;
      if (deferred && &i == branch->getCondition() && i.hasOneUse()) continue;
      fast_->emit(i);
    }
    fast_terminator(*block);
  }
}

void RegionEmitter::fast_edge(Unit& unit, const BasicBlock& from, const BasicBlock& to) {
  llvm::SmallVector<std::pair<const llvm::PHINode*, Rep>, 4> values;
  for (const llvm::PHINode& phi : to.phis()) {
    const Value* value = phi.getIncomingValueForBlock(&from);
    if (llvm::isa<llvm::UndefValue>(value)) continue;
    values.emplace_back(&phi, unit.convert(unit.get(value), unit.patterns().of(&phi)));
  }
  for (auto& [phi, rep] : values) {
    const auto home = unit.home(phi);
    for (unsigned j = 0; j < home.size(); ++j) b_.CreateStore(rep.parts[j], home[j]);
  }
}

void RegionEmitter::fast_terminator(const BasicBlock& block) {
  const Instruction* terminator = block.getTerminator();
  if (const auto* ret = llvm::dyn_cast<llvm::ReturnInst>(terminator)) return fast_return(*ret);
  if (llvm::isa<llvm::UnreachableInst>(terminator)) {
    b_.CreateBr(done_);
    return;
  }
  const auto* branch = llvm::cast<llvm::BranchInst>(terminator);
  if (auto guard = guards_.find(&block); guard != guards_.end()) {
    Value* ok = nullptr;
    llvm::SmallPtrSet<const Value*, 4> seen;
    for (const Instruction* extension : guard->second.extensions) {
      Value* one = no_wrap(*extension);
      ok = ok == nullptr ? one : b_.CreateAnd(ok, one);
    }
    BasicBlock *go_on = weaver_.block("no_wrap"), *leave = weaver_.block("wraps");
    auto* test = b_.CreateCondBr(ok, go_on, leave);
    test->setMetadata(
        llvm::LLVMContext::MD_prof,
        llvm::MDNode::get(weaver_.context, {llvm::MDString::get(weaver_.context, "branch_weights"),
                                            llvm::ConstantAsMetadata::get(b_.getInt32(2000)),
                                            llvm::ConstantAsMetadata::get(b_.getInt32(1))}));
    b_.SetInsertPoint(leave);
    const Unit::Known known = fast_->known();
    leave_for_slow(block, 0);
    fast_->forget_but(known);
    b_.SetInsertPoint(go_on);
  }
  const auto go = [&](unsigned successor) {
    const BasicBlock* to = branch->getSuccessor(successor);
    fast_edge(*fast_, block, *to);
    b_.CreateBr(fast_blocks_[to]);
  };
  if (branch->isUnconditional()) return go(0);
  BasicBlock *yes = weaver_.block("yes"), *no = weaver_.block("no");
  Unit::Known known;
  if (!region_.fast_flow->is_divergent(&block)) {
    b_.CreateCondBr(fast_->get(branch->getCondition()).parts[0], yes, no);
    known = fast_->known();
  } else {
    bool deferred = false;
    const Decision decision = decide(*branch, deferred);
    BasicBlock *not_all = weaver_.block("not_all"), *mixed = weaver_.block("mixed");
    b_.CreateCondBr(decision.all, yes, not_all);
    b_.SetInsertPoint(not_all);
    b_.CreateCondBr(decision.none, no, mixed);
    b_.SetInsertPoint(mixed);
    known = fast_->known();
    if (deferred && branch->getCondition()->hasOneUse())
      fast_->emit(*llvm::cast<Instruction>(branch->getCondition()));
    const unsigned component = region_.fast_flow->component_of_branch(&block);
    leave_for_slow(block, region_.fast_flow->components()[component].end == nullptr ? 0 : component + 1);
  }
  fast_->forget_but(known);
  b_.SetInsertPoint(yes);
  go(0);
  fast_->forget_but(known);
  b_.SetInsertPoint(no);
  go(1);
}

void RegionEmitter::fast_return(const llvm::ReturnInst& ret) {
  if (only_region_) {
    b_.CreateBr(done_);
    return;
  }
  Value* next = fast_->get(ret.getReturnValue()).parts[0];
  Value* ends = b_.CreateICmpEQ(next, b_.getInt32(region_end));
  b_.CreateStore(b_.CreateSelect(ends, b_.CreateLoad(b_.getInt32Ty(), weaver_.next_region), next),
                 weaver_.next_region);
  if (weaver_.sticky == nullptr) {
    b_.CreateBr(done_);
    return;
  }
  // All threads of the group have exited: later regions pass it over.
  BasicBlock* gone = weaver_.block("gone");
  b_.CreateCondBr(ends, gone, done_);
  b_.SetInsertPoint(gone);
  b_.CreateStore(b_.getInt8(1), b_.CreateInBoundsGEP(b_.getInt8Ty(), weaver_.sticky, group_));
  const unsigned warps = weaver_.geometry.group_warps();
  for (unsigned w = 0; w < warps; ++w)
    for (unsigned i = 0; i < weaver_.geometry.warp_vectors(); ++i)
      b_.CreateStore(zero_mask(),
                     live_place(b_.CreateAdd(b_.CreateMul(group_, b_.getInt32(warps)), b_.getInt32(w)), i));
  b_.CreateBr(done_);
}

// base + lowest and base + highest stay within the type of the extension's source.
Value* RegionEmitter::no_wrap(const Instruction& extension) {
  const Value* source = extension.getOperand(0);
  const Rep rep = fast_->get(source);
  const bool is_signed = llvm::isa<llvm::SExtInst>(extension);
  const unsigned width = source->getType()->getIntegerBitWidth();
  const llvm::APInt most =
      is_signed ? llvm::APInt::getSignedMaxValue(width) : llvm::APInt::getMaxValue(width);
  const llvm::APInt least = is_signed ? llvm::APInt::getSignedMinValue(width) : llvm::APInt(width, 0);
  const int64_t low = fast_->patterns().lowest(rep.pattern), high = fast_->patterns().highest(rep.pattern);
  Value* ok = nullptr;
  const auto add = [&](Value* condition) { ok = ok == nullptr ? condition : b_.CreateAnd(ok, condition); };
  for (Value* base : rep.parts) {
    if (high > 0) {
      auto* limit = llvm::ConstantInt::get(base->getType(), most - static_cast<uint64_t>(high));
      add(is_signed ? b_.CreateICmpSLE(base, limit) : b_.CreateICmpULE(base, limit));
    }
    if (low < 0) {
      auto* limit = llvm::ConstantInt::get(base->getType(), least + static_cast<uint64_t>(-low));
      add(is_signed ? b_.CreateICmpSGE(base, limit) : b_.CreateICmpUGE(base, limit));
    }
  }
  return ok == nullptr ? b_.getTrue() : ok;
}

bool RegionEmitter::is_decided_by_scalars(const llvm::BranchInst& branch) const {
  if (!region_.fast_flow->is_divergent(branch.getParent())) return false;
  const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(branch.getCondition());
  if (compare == nullptr || compare->getParent() != branch.getParent()) return false;
  if (!compare->getOperand(0)->getType()->isIntegerTy() ||
      compare->getOperand(0)->getType()->getIntegerBitWidth() > 64)
    return false;
  const Pattern a = region_.fast->of(compare->getOperand(0)), b = region_.fast->of(compare->getOperand(1));
  return a.stepped() && b.stepped() && (a.uniform() || b.uniform());
}

// `i < n` with i in steps: what the first and the last lane say is what all say. In wider arithmetic, so
// that a wrap is seen: then neither holds, and the lanes are asked one by one.
bool RegionEmitter::decide_by_scalars(const llvm::ICmpInst& compare, Decision& decision) {
  Rep x = fast_->get(compare.getOperand(0)), n = fast_->get(compare.getOperand(1));
  llvm::CmpInst::Predicate predicate = compare.getPredicate();
  if (x.pattern.uniform()) {
    std::swap(x, n);
    predicate = llvm::CmpInst::getSwappedPredicate(predicate);
  }
  const unsigned width = compare.getOperand(0)->getType()->getIntegerBitWidth();
  llvm::Type* wide = b_.getIntNTy(width < 64 ? 64 : 128);
  const bool is_signed = llvm::CmpInst::isSigned(predicate);
  const auto extend = [&](Value* v) { return is_signed ? b_.CreateSExt(v, wide) : b_.CreateZExt(v, wide); };
  const unsigned bits = wide->getIntegerBitWidth();
  const auto limit = [&](const llvm::APInt& v) {
    return llvm::ConstantInt::get(wide, is_signed ? v.sext(bits) : v.zext(bits));
  };
  Value* most = limit(is_signed ? llvm::APInt::getSignedMaxValue(width) : llvm::APInt::getMaxValue(width));
  Value* least = limit(is_signed ? llvm::APInt::getSignedMinValue(width) : llvm::APInt(width, 0));
  const int64_t lowest = fast_->patterns().lowest(x.pattern), highest = fast_->patterns().highest(x.pattern);
  Value* number = extend(n.parts[0]);
  for (Value* base : x.parts) {
    Value* first =
        b_.CreateAdd(extend(base), llvm::ConstantInt::get(wide, static_cast<uint64_t>(lowest), true));
    Value* last =
        b_.CreateAdd(extend(base), llvm::ConstantInt::get(wide, static_cast<uint64_t>(highest), true));
    Value* fits_low = lowest < 0 ? b_.CreateICmpSGE(first, least) : b_.getTrue();
    Value* fits_high = highest > 0 ? b_.CreateICmpSLE(last, most) : b_.getTrue();
    Value *all = nullptr, *none = nullptr;
    switch (predicate) {
      case llvm::CmpInst::ICMP_ULT:
      case llvm::CmpInst::ICMP_SLT:
        all = b_.CreateAnd(b_.CreateICmpSLT(last, number), fits_low);
        none = b_.CreateAnd(b_.CreateICmpSGE(first, number), fits_high);
        break;
      case llvm::CmpInst::ICMP_ULE:
      case llvm::CmpInst::ICMP_SLE:
        all = b_.CreateAnd(b_.CreateICmpSLE(last, number), b_.CreateAnd(fits_low, fits_high));
        none = b_.CreateAnd(b_.CreateICmpSGT(first, number), fits_high);
        break;
      case llvm::CmpInst::ICMP_UGT:
      case llvm::CmpInst::ICMP_SGT:
        all = b_.CreateAnd(b_.CreateICmpSGT(first, number), fits_high);
        none = b_.CreateAnd(b_.CreateICmpSLE(last, number), b_.CreateAnd(fits_low, fits_high));
        break;
      case llvm::CmpInst::ICMP_UGE:
      case llvm::CmpInst::ICMP_SGE:
        all = b_.CreateAnd(b_.CreateICmpSGE(first, number), b_.CreateAnd(fits_low, fits_high));
        none = b_.CreateAnd(b_.CreateICmpSLT(last, number), fits_low);
        break;
      default: {
        Value* fits = b_.CreateAnd(fits_low, fits_high);
        Value* apart =
            b_.CreateAnd(fits, b_.CreateOr(b_.CreateICmpSLT(number, first), b_.CreateICmpSGT(number, last)));
        Value* alike = lowest == 0 && highest == 0 ? b_.CreateICmpEQ(first, number) : b_.getFalse();
        all = predicate == llvm::CmpInst::ICMP_EQ ? alike : apart;
        none = predicate == llvm::CmpInst::ICMP_EQ ? apart : alike;
      }
    }
    decision.all = decision.all == nullptr ? all : b_.CreateAnd(decision.all, all);
    decision.none = decision.none == nullptr ? none : b_.CreateAnd(decision.none, none);
  }
  return true;
}

RegionEmitter::Decision RegionEmitter::decide(const llvm::BranchInst& branch, bool& deferred) {
  Decision decision;
  deferred = is_decided_by_scalars(branch);
  if (deferred) {
    decide_by_scalars(*llvm::cast<llvm::ICmpInst>(branch.getCondition()), decision);
    return decision;
  }
  const Rep condition = fast_->get(branch.getCondition());
  for (unsigned j = 0; j < condition.parts.size(); ++j) {
    Value* part = condition.parts[j];
    if (condition.pattern.kind == Pattern::vector) part = fast_->bits(part);
    decision.all = j == 0 ? part : b_.CreateAnd(decision.all, part);
    decision.none = j == 0 ? part : b_.CreateOr(decision.none, part);
  }
  llvm::Type* type = decision.all->getType();
  decision.all = b_.CreateICmpEQ(decision.all, llvm::Constant::getAllOnesValue(type));
  decision.none = b_.CreateICmpEQ(decision.none, llvm::Constant::getNullValue(type));
  return decision;
}

// ---- between ---------------------------------------------------------------------------------------------

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
                        live_out(live_, const_cast<BasicBlock&>(block))});
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

llvm::SmallVector<const Instruction*, 8> RegionEmitter::results_of(const Flow::Component& component) const {
  llvm::SmallVector<const Instruction*, 8> values;
  for (const llvm::PHINode& phi : component.end->phis()) values.push_back(&phi);
  if (const auto live = live_.find(component.end); live != live_.end())
    for (const Instruction* value : live->second)
      if (component.blocks.contains(value->getParent())) values.push_back(value);
  return values;
}

// Where a way goes straight to the component's end and nothing is chosen there, a warp that goes that way as
// a whole is done.
Value* RegionEmitter::warps_that_leave(const BasicBlock& block, unsigned mode) {
  const Geometry& g = weaver_.geometry;
  Value* all = all_warps(g, weaver_.context);
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
      for (unsigned i = 0; i < count; ++i)
        rep.parts.push_back(b_.CreateLoad(
            type, b_.CreateInBoundsGEP(type, place, b_.CreateAdd(first, b_.getInt32(i), "", true, true))));
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
    for (unsigned i = 0; i < count; ++i)
      b_.CreateStore(fast.kind == Pattern::vector ? weaver_.lanes.vector(rep, i) : weaver_.lanes.base(rep, i),
                     b_.CreateInBoundsGEP(type, place, b_.CreateAdd(first, b_.getInt32(i), "", true, true)));
  }
  BasicBlock* back = weaver_.block("back");
  next_warp(back);
  b_.SetInsertPoint(back);
  for (const Instruction* value : values) {
    const auto home = fast_->home(value);
    llvm::AllocaInst* place = exchange(value, true);
    llvm::Type* type = place->getAllocatedType()->getArrayElementType();
    for (unsigned j = 0; j < home.size(); ++j)
      b_.CreateStore(b_.CreateLoad(type, b_.CreateConstInBoundsGEP1_32(type, place, j)), home[j]);
  }
  weaver_.store_context_field(fast_->first_thread(), offsetof(Context, first_thread));
  b_.CreateBr(fast_blocks_[component.end]);
}

// ---- slow ------------------------------------------------------------------------------------------------

Value* RegionEmitter::zero_mask() const {
  return llvm::Constant::getNullValue(weaver_.lanes.vector_type(b_.getInt1Ty()));
}

Value* RegionEmitter::live_place(Value* warp, unsigned i) {
  const unsigned count = weaver_.geometry.warp_vectors();
  Value* number = b_.CreateAdd(b_.CreateMul(warp, b_.getInt32(count)), b_.getInt32(i));
  return b_.CreateInBoundsGEP(weaver_.lanes.vector_type(b_.getInt1Ty()), weaver_.live, number);
}

// 0: lanes that come; 1: lanes that go round a loop again; 2: lanes at the terminator, where fast code comes
// in.
llvm::ArrayRef<llvm::AllocaInst*> RegionEmitter::mask_home(const BasicBlock* block, unsigned kind) {
  auto& home = masks_[kind][block];
  if (home.empty())
    for (unsigned i = 0; i < weaver_.geometry.warp_vectors(); ++i)
      home.push_back(weaver_.make_alloca(weaver_.lanes.vector_type(b_.getInt1Ty()), "mask"));
  return home;
}

llvm::SmallVector<Value*, 4> RegionEmitter::load_mask(llvm::ArrayRef<llvm::AllocaInst*> home) {
  llvm::SmallVector<Value*, 4> mask;
  for (llvm::AllocaInst* part : home) mask.push_back(b_.CreateLoad(part->getAllocatedType(), part));
  return mask;
}

void RegionEmitter::store_mask(llvm::ArrayRef<llvm::AllocaInst*> home, llvm::ArrayRef<Value*> mask) {
  for (unsigned i = 0; i < home.size(); ++i) b_.CreateStore(mask[i], home[i]);
}

void RegionEmitter::emit_slow() {
  const auto& order = region_.slow_flow->order();
  for (const BasicBlock* block : order) {
    slow_blocks_[block] = weaver_.block("slow." + block->getName());
    slow_ends_[block] = weaver_.block("end." + block->getName());
  }
  begin_warp();
  for (const BasicBlock* block : order) slow_block(*block);
  for (const auto& [component, block] : returns_) {
    b_.SetInsertPoint(block);
    return_to_fast(component);
  }
  b_.SetInsertPoint(warp_end_);
  next_warp(done_);
}

void RegionEmitter::begin_warp() {
  const Geometry& g = weaver_.geometry;
  const unsigned count = g.warp_vectors();
  b_.SetInsertPoint(warp_begin_);
  warp_ = b_.getInt32(0);
  if (pending_ != nullptr)
    warp_ = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, b_.CreateLoad(b_.getInt32Ty(), pending_),
                                     b_.getTrue());
  Value* number =
      b_.CreateAdd(b_.CreateMul(group_, b_.getInt32(g.group_warps()), "", true, true), warp_, "", true, true);
  slow_->set_place(number, b_.CreateMul(number, b_.getInt32(count), "", true, true));
  weaver_.store_context_field(slow_->first_thread(), offsetof(Context, first_thread));
  const llvm::SmallVector<Value*, 4> nothing(count, zero_mask());
  for (const BasicBlock* block : region_.slow_flow->order()) {
    store_mask(mask_home(block, 0), nothing);
    const llvm::Loop* loop = region_.slow_flow->loops().getLoopFor(block);
    if (loop != nullptr && loop->getHeader() == block) store_mask(mask_home(block, 1), nothing);
  }
  BasicBlock* start = weaver_.block("slow.start");
  auto* choice =
      b_.CreateSwitch(b_.CreateLoad(b_.getInt32Ty(), resume_), start, static_cast<unsigned>(resumes_.size()));
  for (unsigned r = 0; r < resumes_.size(); ++r) choice->addCase(b_.getInt32(r + 1), resumes_[r].entry);
  for (const Resume& resume : resumes_) {
    b_.SetInsertPoint(resume.entry);
    take_over(resume);
    const llvm::SmallVector<Value*, 4> everyone(count, slow_->full_mask());
    store_mask(mask_home(resume.block, 2), everyone);
    if (const llvm::Loop* steady = steady_loop(resume.block)) {
      store_mask(mask_home(steady->getHeader(), 3), everyone);
      note_active(everyone);
    }
    b_.CreateBr(slow_ends_[resume.block]);
  }
  // From the region's beginning.
  b_.SetInsertPoint(start);
  llvm::SmallVector<Value*, 4> mask;
  for (unsigned i = 0; i < count; ++i) {
    if (number_ != 0) {
      mask.push_back(weaver_.live == nullptr
                         ? slow_->full_mask()
                         : b_.CreateLoad(weaver_.lanes.vector_type(b_.getInt1Ty()), live_place(number, i)));
    } else if (g.has_tail()) {
      Value* threads = weaver_.lanes.spread(b_.CreateAdd(slow_->first_thread(), b_.getInt32(i * g.lanes)), 1);
      mask.push_back(b_.CreateICmpULT(threads, llvm::ConstantInt::get(threads->getType(), g.threads())));
    } else {
      mask.push_back(slow_->full_mask());
    }
  }
  const BasicBlock* entry = region_.slow_flow->order().front();
  store_mask(mask_home(entry, 0), mask);
  b_.CreateCondBr(slow_->any(mask), slow_blocks_[entry], warp_end_);
}

void RegionEmitter::slow_block(const BasicBlock& block) {
  b_.SetInsertPoint(slow_blocks_[&block]);
  // Fast code takes over where a component ends, if it was fast code that left.
  for (unsigned c = 0; c < region_.fast_flow->components().size(); ++c) {
    if (region_.fast_flow->components()[c].end != &block || region_.fast_flow->components()[c].blocks.empty())
      continue;
    if (fast_blocks_.empty()) continue;
    BasicBlock *back = weaver_.block("meet"), *stay = weaver_.block("stay");
    b_.CreateCondBr(b_.CreateICmpEQ(b_.CreateLoad(b_.getInt32Ty(), mode_), b_.getInt32(c + 1)), back, stay);
    returns_.emplace_back(c, back);
    b_.SetInsertPoint(stay);
  }
  if (const llvm::Loop* steady = steady_loop(&block)) return steady_block(block, *steady);
  slow_->begin_block();
  auto mask = load_mask(mask_home(&block, 0));
  const llvm::SmallVector<Value*, 4> nothing(mask.size(), zero_mask());
  store_mask(mask_home(&block, 0), nothing);
  BasicBlock* body = weaver_.block("body");
  b_.CreateCondBr(slow_->any(mask), body, after(block));
  b_.SetInsertPoint(body);
  slow_->set_mask(mask);
  if (llvm::any_of(block, [](const Instruction& i) { return is_op(&i, Op::load) || is_op(&i, Op::store); }))
    note_active(mask);
  for (const Instruction& i : block)
    if (!llvm::isa<llvm::PHINode>(i) && !i.isTerminator()) slow_->emit(i);
  store_mask(mask_home(&block, 2), mask);
  b_.CreateBr(slow_ends_[&block]);
  b_.SetInsertPoint(slow_ends_[&block]);
  slow_->begin_block();
  slow_->set_mask(load_mask(mask_home(&block, 2)));
  slow_terminator(block);
}

void RegionEmitter::note_active(llvm::ArrayRef<Value*> mask) {
  Value* all = nullptr;
  for (unsigned i = 0; i < mask.size(); ++i) {
    Value* part = b_.CreateZExt(slow_->bits(mask[i]), b_.getInt32Ty());
    if (i != 0) part = b_.CreateShl(part, i * weaver_.geometry.lanes);
    all = all == nullptr ? part : b_.CreateOr(all, part);
  }
  weaver_.store_context_field(all, offsetof(Context, active));
}

const llvm::Loop* RegionEmitter::steady_loop(const BasicBlock* block) const {
  const Flow& flow = *region_.slow_flow;
  const llvm::Loop* steady = nullptr;
  for (const llvm::Loop* loop = flow.loops().getLoopFor(block); loop != nullptr;
       loop = loop->getParentLoop()) {
    const bool parts = llvm::any_of(loop->blocks(), [&](const BasicBlock* b) {
      return flow.is_divergent(b) || !llvm::isa<llvm::BranchInst>(b->getTerminator());
    });
    if (!parts) steady = loop;
  }
  return steady;
}

// The loop's mask lies with its header (kind 3): lanes come in through the header, or where fast code left.
void RegionEmitter::steady_block(const BasicBlock& block, const llvm::Loop& loop) {
  const auto home = mask_home(loop.getHeader(), 3);
  if (&block == loop.getHeader()) {
    // slow_blocks_ of the header is the way in; the loop itself begins behind it.
    auto mask = load_mask(mask_home(&block, 0));
    const llvm::SmallVector<Value*, 4> nothing(mask.size(), zero_mask());
    store_mask(mask_home(&block, 0), nothing);
    const BasicBlock* last = &block;
    for (const BasicBlock* inside : loop.blocks())
      if (region_.slow_flow->position(inside) > region_.slow_flow->position(last)) last = inside;
    BasicBlock* enter = weaver_.block("enter");
    b_.CreateCondBr(slow_->any(mask), enter, after(*last));
    b_.SetInsertPoint(enter);
    store_mask(home, mask);
    note_active(mask);
    BasicBlock*& head = steady_heads_[&block];
    if (head == nullptr) head = weaver_.block("steady");
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
  }
  slow_->begin_block();
  slow_->set_mask(load_mask(home));
  for (const Instruction& i : block)
    if (!llvm::isa<llvm::PHINode>(i) && !i.isTerminator()) slow_->emit(i);
  b_.CreateBr(slow_ends_[&block]);
  b_.SetInsertPoint(slow_ends_[&block]);
  slow_->begin_block();
  slow_->set_mask(load_mask(home));
  steady_terminator(block, loop);
}

void RegionEmitter::steady_terminator(const BasicBlock& block, const llvm::Loop& loop) {
  const auto* branch = llvm::cast<llvm::BranchInst>(block.getTerminator());
  const BasicBlock* last = &block;
  for (const BasicBlock* inside : loop.blocks())
    if (region_.slow_flow->position(inside) > region_.slow_flow->position(last)) last = inside;
  const auto go = [&](const BasicBlock* to) {
    if (!loop.contains(to)) {
      slow_edge(block, *to, slow_->masks());
      b_.CreateBr(after(*last));
      return;
    }
    fast_edge(*slow_, block, *to);
    BasicBlock* target = slow_blocks_[to];
    if (to == loop.getHeader()) {
      BasicBlock*& head = steady_heads_[to];
      if (head == nullptr) head = weaver_.block("steady");
      target = head;
    }
    b_.CreateBr(target);
  };
  if (branch->isUnconditional()) return go(branch->getSuccessor(0));
  BasicBlock *yes = weaver_.block("yes"), *no = weaver_.block("no");
  b_.CreateCondBr(slow_->get(branch->getCondition()).parts[0], yes, no);
  const Unit::Known known = slow_->known();
  b_.SetInsertPoint(yes);
  go(branch->getSuccessor(0));
  slow_->forget_but(known);
  b_.SetInsertPoint(no);
  go(branch->getSuccessor(1));
}

// What comes after a block in slow code: the next one, but first the loops that end here go round.
BasicBlock* RegionEmitter::after(const BasicBlock& block) {
  const Flow& flow = *region_.slow_flow;
  const unsigned position = flow.position(&block);
  BasicBlock* next =
      position + 1 < flow.order().size() ? slow_blocks_[flow.order()[position + 1]] : warp_end_;
  llvm::SmallVector<const llvm::Loop*, 4> ending;
  for (const llvm::Loop* loop = flow.loops().getLoopFor(&block); loop != nullptr;
       loop = loop->getParentLoop())
    if (position + 1 == flow.order().size() || !loop->contains(flow.order()[position + 1]))
      ending.push_back(loop);
  if (ending.empty()) return next;
  // Built back to front, outermost loop last.
  const auto place = b_.saveIP();
  BasicBlock* target = next;
  for (const llvm::Loop* loop : llvm::reverse(ending)) {
    BasicBlock *test = weaver_.block("again?"), *again = weaver_.block("again");
    b_.SetInsertPoint(test);
    auto round = load_mask(mask_home(loop->getHeader(), 1));
    b_.CreateCondBr(slow_->any(round), again, target);
    b_.SetInsertPoint(again);
    store_mask(mask_home(loop->getHeader(), 0), round);
    const llvm::SmallVector<Value*, 4> nothing(round.size(), zero_mask());
    store_mask(mask_home(loop->getHeader(), 1), nothing);
    b_.CreateBr(slow_blocks_[loop->getHeader()]);
    target = test;
  }
  b_.restoreIP(place);
  return target;
}

void RegionEmitter::slow_edge(const BasicBlock& from, const BasicBlock& to, llvm::ArrayRef<Value*> mask) {
  const bool back = region_.slow_flow->is_back_edge(&from, &to);
  llvm::SmallVector<std::pair<const llvm::PHINode*, Rep>, 4> values;
  Value* any = nullptr;
  for (const llvm::PHINode& phi : to.phis()) {
    const Value* value = phi.getIncomingValueForBlock(&from);
    if (llvm::isa<llvm::UndefValue>(value)) continue;
    Rep rep = slow_->convert(slow_->get(value), slow_->patterns().of(&phi));
    const auto home = slow_->home(&phi);
    for (unsigned i = 0; i < home.size(); ++i) {
      Value* old = b_.CreateLoad(home[i]->getAllocatedType(), home[i]);
      Value* takes = nullptr;
      if (rep.pattern.kind == Pattern::vector) {
        takes = mask[i];
      } else if (rep.pattern.kind == Pattern::per_vector) {
        takes = slow_->any({mask[i]});
      } else {
        if (any == nullptr) any = slow_->any(mask);
        takes = any;
      }
      rep.parts[i] = b_.CreateSelect(takes, rep.parts[i], old);
    }
    values.emplace_back(&phi, std::move(rep));
  }
  for (auto& [phi, rep] : values) {
    const auto home = slow_->home(phi);
    for (unsigned i = 0; i < home.size(); ++i) b_.CreateStore(rep.parts[i], home[i]);
  }
  const auto home = mask_home(&to, back ? 1 : 0);
  llvm::SmallVector<Value*, 4> sum = load_mask(home);
  for (unsigned i = 0; i < sum.size(); ++i) sum[i] = b_.CreateOr(sum[i], mask[i]);
  store_mask(home, sum);
}

void RegionEmitter::slow_terminator(const BasicBlock& block) {
  const Instruction* terminator = block.getTerminator();
  if (const auto* ret = llvm::dyn_cast<llvm::ReturnInst>(terminator)) return slow_return(*ret);
  if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(terminator)) {
    if (branch->isUnconditional()) {
      slow_edge(block, *branch->getSuccessor(0), slow_->masks());
    } else {
      const Rep condition = slow_->get(branch->getCondition());
      llvm::SmallVector<Value*, 4> yes, no;
      for (unsigned i = 0; i < slow_->vectors(); ++i) {
        Value* taken = weaver_.lanes.vector(condition, i);
        Value* mask = slow_->masks()[i];
        yes.push_back(b_.CreateSelect(mask, taken, zero_mask()));
        no.push_back(b_.CreateSelect(mask, b_.CreateNot(taken), zero_mask()));
      }
      slow_edge(block, *branch->getSuccessor(0), yes);
      slow_edge(block, *branch->getSuccessor(1), no);
    }
  }
  BasicBlock* next = after(block);
  b_.CreateBr(next);
}

void RegionEmitter::slow_return(const llvm::ReturnInst& ret) {
  if (!only_region_) {
    const Rep next = slow_->get(ret.getReturnValue());
    Value* region = nullptr;
    for (unsigned i = 0; i < slow_->vectors(); ++i) {
      Value* ids = weaver_.lanes.vector(next, i);
      Value* stays = b_.CreateICmpNE(ids, llvm::ConstantInt::get(ids->getType(), region_end));
      stays = b_.CreateSelect(slow_->masks()[i], stays, zero_mask());
      if (weaver_.live != nullptr) b_.CreateStore(stays, live_place(slow_->warp_number(0), i));
      Value* id = b_.CreateIntMaxReduce(
          b_.CreateSelect(stays, ids, llvm::Constant::getNullValue(ids->getType())), false);
      region = region == nullptr ? id : b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, region, id);
    }
    Value* known = b_.CreateLoad(b_.getInt32Ty(), weaver_.next_region);
    b_.CreateStore(b_.CreateSelect(b_.CreateICmpEQ(region, b_.getInt32(region_end)), known, region),
                   weaver_.next_region);
    if (weaver_.sticky != nullptr)
      b_.CreateStore(b_.getInt8(1), b_.CreateInBoundsGEP(b_.getInt8Ty(), weaver_.sticky, group_));
  }
  b_.CreateBr(warp_end_);
}

}  // namespace heddle::exec::jit
