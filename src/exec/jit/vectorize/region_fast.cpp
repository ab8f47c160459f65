// Fast code: a whole group, as long as its threads stay together.
#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "exec/jit/abi/context.h"
#include "exec/jit/vectorize/access/transpose.h"
#include "exec/jit/vectorize/region.h"
#include "llvm/IR/CFG.h"

namespace heddle::exec::jit {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

void RegionEmitter::emit_fast() {
  for (const BasicBlock* block : region_.fast_flow->order()) {
    if (region_.is_serial(block)) continue;
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
    if (region_.is_serial(to)) {
      b_.CreateUnreachable();
      return;
    }
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
    // A part that threads go through one after another is slow code's.
    const auto is_fast = [&](unsigned successor) {
      return !region_.is_serial(branch->getSuccessor(successor));
    };
    BasicBlock *not_all = weaver_.block("not_all"), *mixed = weaver_.block("mixed");
    b_.CreateCondBr(is_fast(0) ? decision.all : b_.getFalse(), yes, not_all);
    b_.SetInsertPoint(not_all);
    b_.CreateCondBr(is_fast(1) ? decision.none : b_.getFalse(), no, mixed);
    b_.SetInsertPoint(mixed);
    known = fast_->known();
    if (deferred && branch->getCondition()->hasOneUse())
      fast_->emit(*llvm::cast<Instruction>(branch->getCondition()));
    const unsigned component = region_.fast_flow->component_of_branch(&block);
    if (is_short(block))
      short_part(block);
    else
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
  if (region_.is_certain()) {  // nobody is left behind, or nothing follows
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
  if (extension.getOpcode() == Instruction::Xor) return row_begins(extension);
  if (!region_.fast->is_guarded(&extension)) return rows_do_not_wrap(extension);
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
  for (Value* base : rep.bases()) {
    if (high > 0) {
      auto* limit = llvm::ConstantInt::get(base->getType(), most - static_cast<uint64_t>(high));
      add(is_signed ? b_.CreateICmpSLE(base, limit) : b_.CreateICmpULE(base, limit));
    }
    if (low < 0) {
      auto* limit = llvm::ConstantInt::get(base->getType(), least + static_cast<uint64_t>(-low));
      add(is_signed ? b_.CreateICmpSGE(base, limit) : b_.CreateICmpUGE(base, limit));
    }
  }
  if (region_.fast->is_row_guarded(&extension)) {
    Value* rows = rows_do_not_wrap(extension);
    ok = ok == nullptr ? rows : b_.CreateAnd(ok, rows);
  }
  return ok == nullptr ? b_.getTrue() : ok;
}

// Of an exclusive or: its row begins at a multiple of its length, in every vector.
Value* RegionEmitter::row_begins(const Instruction& exclusive_or) {
  const unsigned row = region_.fast->of(exclusive_or.getOperand(0)).lane_uniform() ? 1 : 0;
  const Rep rep = fast_->get(exclusive_or.getOperand(row));
  Value* all = nullptr;
  for (Value* base : rep.bases()) all = all == nullptr ? base : b_.CreateOr(all, base);
  const auto low = llvm::maskTrailingOnes<uint64_t>(region_.fast->row_zeros(rep.pattern.lane_step));
  return b_.CreateICmpEQ(b_.CreateAnd(all, low), llvm::Constant::getNullValue(all->getType()));
}

// Asked of the first row: the last one's values stay within the type too.
Value* RegionEmitter::rows_do_not_wrap(const Instruction& extension) {
  const Value* source = extension.getOperand(0);
  const Rep rep = fast_->get(source);
  const Patterns& patterns = *region_.fast;
  const bool is_signed = llvm::isa<llvm::SExtInst>(extension);
  const unsigned width = source->getType()->getIntegerBitWidth(), lanes = weaver_.geometry.lanes;
  const llvm::APInt least = is_signed ? llvm::APInt::getSignedMinValue(width) : llvm::APInt(width, 0);
  const llvm::APInt most =
      is_signed ? llvm::APInt::getSignedMaxValue(width) : llvm::APInt::getMaxValue(width);
  const int64_t last = patterns.of(source).row_step * (int64_t{patterns.row_count()} - 1);
  const llvm::APInt span(128, static_cast<uint64_t>(std::abs(last)));
  if (span.ugt((most - least).zext(128))) return b_.getFalse();
  Value* limit = llvm::ConstantInt::get(source->getType(),
                                        last > 0 ? most - span.trunc(width) : least + span.trunc(width));
  Value* ok = nullptr;
  for (unsigned r = 0; r < std::max(1u, patterns.row() / lanes); ++r) {
    Value* first = slice(b_, weaver_.lanes.vector(rep, r), 0, std::min(patterns.row(), lanes));
    const unsigned count = llvm::cast<llvm::FixedVectorType>(first->getType())->getNumElements();
    Value* limits = b_.CreateVectorSplat(count, limit);
    const auto predicate = last > 0    ? is_signed ? llvm::CmpInst::ICMP_SLE : llvm::CmpInst::ICMP_ULE
                           : is_signed ? llvm::CmpInst::ICMP_SGE
                                       : llvm::CmpInst::ICMP_UGE;
    llvm::Type* bits = b_.getIntNTy(count);
    Value* all = b_.CreateICmpEQ(b_.CreateBitCast(b_.CreateICmp(predicate, first, limits), bits),
                                 llvm::Constant::getAllOnesValue(bits));
    ok = ok == nullptr ? all : b_.CreateAnd(ok, all);
  }
  return ok;
}

bool RegionEmitter::is_decided_by_scalars(const llvm::BranchInst& branch) const {
  if (!region_.fast_flow->is_divergent(branch.getParent())) return false;
  const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(branch.getCondition());
  if (compare == nullptr || compare->getParent() != branch.getParent()) return false;
  if (!compare->getOperand(0)->getType()->isIntegerTy() ||
      compare->getOperand(0)->getType()->getIntegerBitWidth() > 64)
    return false;
  const Pattern a = region_.fast->of(compare->getOperand(0)), b = region_.fast->of(compare->getOperand(1));
  return a.stepped() && b.stepped() && (a.uniform() || b.uniform()) && region_.fast->is_known(a) &&
         region_.fast->is_known(b);
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

}  // namespace heddle::exec::jit
