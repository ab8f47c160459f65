// Short parts that lanes of a group go through or not: fast code does them itself, under masks, with all that
// it knows of the group. What takes longer, and what threads may take turns in, is slow code's.
#include "exec/jit/passes/costs.h"
#include "exec/jit/vectorize/region.h"
#include "llvm/IR/CFG.h"

namespace heddle::exec::jit {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

namespace {

bool works_under_masks(const Instruction& i) {
  if (const auto op = op_of(&i))
    return *op == Op::load || *op == Op::store || *op == Op::atomic || *op == Op::reduce ||
           *op == Op::prefetch || is_math(*op) || (effect(*op) == Effect::none && *op != Op::barrier_result);
  return true;
}

}  // namespace

bool RegionEmitter::is_short(const BasicBlock& branch) const {
  if (!weaver_.passes.has(Pass::short_parts)) return false;
  const Flow& flow = *region_.fast_flow;
  // The context has room for the mask of one warp.
  if (weaver_.geometry.group_warps() != 1) return false;
  const BasicBlock* end = flow.meeting_of(&branch);
  if (end == nullptr) return false;
  const auto inside = flow.masked_by(&branch);
  unsigned instructions = 0;
  // What is chosen where lanes meet may differ from lane to lane, and patterns know it, or is no choice.
  const auto may_choose = [&](const BasicBlock& block) {
    for (const llvm::PHINode& phi : block.phis()) {
      if (region_.fast->of(&phi).kind == Pattern::vector) continue;
      const Value* same = phi.getIncomingValue(0);
      for (const Value* value : phi.incoming_values())
        if (value != same) return false;
    }
    return true;
  };
  if (!may_choose(*end)) return false;
  for (const BasicBlock* block : inside) {
    if (block == &branch || flow.position(block) >= flow.position(end) || region_.is_serial(block) ||
        flow.loops().getLoopFor(block) != flow.loops().getLoopFor(&branch) || guards_.contains(block) ||
        !llvm::isa<llvm::BranchInst>(block->getTerminator()) || !may_choose(*block))
      return false;
    for (const BasicBlock* before : llvm::predecessors(block))
      if (before != &branch && !inside.contains(before)) return false;
    for (const Instruction& i : *block) {
      if (!i.isTerminator() && !works_under_masks(i)) return false;
      ++instructions;
    }
  }
  return instructions <= cost::most_of_short_parts;
}

void RegionEmitter::short_edge(const BasicBlock& from, const BasicBlock& to, llvm::ArrayRef<Value*> mask) {
  llvm::SmallVector<std::pair<const llvm::PHINode*, Rep>, 4> values;
  for (const llvm::PHINode& phi : to.phis()) {
    const Value* value = phi.getIncomingValueForBlock(&from);
    if (llvm::isa<llvm::UndefValue>(value)) continue;
    Rep rep = fast_->convert(fast_->get(value), fast_->patterns().of(&phi));
    if (rep.pattern.kind == Pattern::vector) {
      const auto home = fast_->home(&phi);
      for (unsigned j = 0; j < home.size(); ++j)
        rep.parts[j] =
            b_.CreateSelect(mask[j], rep.parts[j], b_.CreateLoad(home[j]->getAllocatedType(), home[j]));
    }
    values.emplace_back(&phi, std::move(rep));
  }
  for (auto& [phi, rep] : values) {
    const auto home = fast_->home(phi);
    for (unsigned j = 0; j < home.size(); ++j) b_.CreateStore(rep.parts[j], home[j]);
  }
  if (&to == region_.fast_flow->meeting_of(short_branch_)) return;
  const auto home = mask_home(&to, 4);
  llvm::SmallVector<Value*, 4> sum = load_mask(home);
  for (unsigned j = 0; j < sum.size(); ++j) sum[j] = b_.CreateOr(sum[j], mask[j]);
  store_mask(home, sum);
}

// At the end of `branch`, whose lanes part; goes on in fast code where they meet.
void RegionEmitter::short_part(const BasicBlock& branch) {
  const Flow& flow = *region_.fast_flow;
  short_branch_ = &branch;
  const auto inside = flow.masked_by(&branch);
  const llvm::SmallVector<Value*, 4> nothing(fast_->vectors(), zero_mask()),
      everyone(fast_->vectors(), fast_->full_mask());
  for (const BasicBlock* block : flow.order())
    if (inside.contains(block)) store_mask(mask_home(block, 4), nothing);
  const auto leave = [&](const BasicBlock& block, llvm::ArrayRef<Value*> mask) {
    const auto* jump = llvm::cast<llvm::BranchInst>(block.getTerminator());
    if (jump->isUnconditional()) return short_edge(block, *jump->getSuccessor(0), mask);
    const Rep condition = fast_->get(jump->getCondition());
    llvm::SmallVector<Value*, 4> yes, no;
    for (unsigned j = 0; j < mask.size(); ++j) {
      Value* taken = weaver_.lanes.vector(condition, j);
      yes.push_back(b_.CreateSelect(mask[j], taken, zero_mask()));
      no.push_back(b_.CreateSelect(mask[j], b_.CreateNot(taken), zero_mask()));
    }
    short_edge(block, *jump->getSuccessor(0), yes);
    short_edge(block, *jump->getSuccessor(1), no);
  };
  leave(branch, everyone);
  for (const BasicBlock* block : flow.order()) {
    if (!inside.contains(block)) continue;
    fast_->begin_block();
    const auto mask = load_mask(mask_home(block, 4));
    BasicBlock* next = nullptr;
    // Some lanes go each way from `branch`.
    if (block->getSinglePredecessor() != &branch) {
      BasicBlock* body = weaver_.block("short." + block->getName());
      next = weaver_.block("short.end");
      b_.CreateCondBr(fast_->any(mask), body, next);
      b_.SetInsertPoint(body);
    }
    fast_->set_mask(mask);
    if (asks_for_mask(*block)) note_active(mask);
    for (const Instruction& i : *block)
      if (!llvm::isa<llvm::PHINode>(i) && !i.isTerminator()) fast_->emit(i);
    leave(*block, mask);
    if (next == nullptr) continue;
    b_.CreateBr(next);
    b_.SetInsertPoint(next);
  }
  fast_->begin_block();
  fast_->drop_mask();
  b_.CreateBr(fast_blocks_[flow.meeting_of(&branch)]);
}

// A fault of an access that is no row is of a lane of the context's mask.
bool RegionEmitter::asks_for_mask(const BasicBlock& block) const {
  return llvm::any_of(block, [&](const Instruction& i) {
    if (!is_op(&i, Op::load) && !is_op(&i, Op::store)) return false;
    const Pattern address = region_.fast->of(i.getOperand(0));
    const llvm::Type* type = is_op(&i, Op::load) ? i.getType() : i.getOperand(3)->getType();
    return !address.stepped() || type->isStructTy() ||
           address.lane_step != static_cast<int64_t>(type->getScalarSizeInBits() / 8);
  });
}

}  // namespace heddle::exec::jit
