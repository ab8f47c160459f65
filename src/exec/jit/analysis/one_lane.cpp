#include "exec/jit/analysis/one_lane.h"

#include "exec/jit/ir/ops.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::exec::jit {

namespace {

using namespace llvm::PatternMatch;

constexpr uint32_t warp_size = 32;
constexpr int most_depth = 8;

// Whether no two lanes of a warp have the same: a number of the lane, or of the thread in rows that are no
// shorter than a warp, perhaps with others' bits cut off.
bool is_each_lanes_own(llvm::Value* value, const Dim3& block, int depth = 0) {
  if (depth > most_depth) return false;
  llvm::Value* inner = nullptr;
  llvm::ConstantInt* bits = nullptr;
  const auto is = [&](llvm::Value* v) { return is_each_lanes_own(v, block, depth + 1); };
  if (match(value, m_ZExtOrSExt(m_Value(inner)))) return is(inner);
  if (match(value, m_Trunc(m_Value(inner)))) return value->getType()->getIntegerBitWidth() >= 8 && is(inner);
  if (match(value, m_And(m_Value(inner), m_ConstantInt(bits)))) {
    // The threads of a warp follow one another; where rows are whole warps their last five bits are the
    // lane's.
    const bool whole = block.x % warp_size == 0 || (block.y == 1 && block.z == 1);
    return (bits->getZExtValue() & (warp_size - 1)) == warp_size - 1 && whole && is(inner);
  }
  if (is_op(value, Op::laneid)) return true;
  if (!is_op(value, Op::tid)) return false;
  const bool one_row = block.y == 1 && block.z == 1;
  return immediate(*llvm::cast<llvm::CallInst>(value), 0) == 0 && (block.x >= warp_size || one_row);
}

// Of a number that is the same for all lanes that look: a constant, a parameter, the block's place.
bool is_same_for_all(const llvm::Value* value) {
  return llvm::isa<llvm::Constant>(value) || is_op(value, Op::parameter) || is_op(value, Op::ctaid);
}

bool is_one_lanes(llvm::Value* condition, bool truth, const Dim3& block, int depth = 0) {
  if (depth > most_depth) return false;
  llvm::Value *a = nullptr, *b = nullptr;
  if (match(condition, m_Not(m_Value(a)))) return is_one_lanes(a, !truth, block, depth + 1);
  const bool both = truth ? match(condition, m_LogicalAnd(m_Value(a), m_Value(b)))
                          : match(condition, m_LogicalOr(m_Value(a), m_Value(b)));
  if (both) return is_one_lanes(a, truth, block, depth + 1) || is_one_lanes(b, truth, block, depth + 1);
  const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(condition);
  if (compare == nullptr) return false;
  llvm::Value *left = compare->getOperand(0), *right = compare->getOperand(1);
  const auto* limit = llvm::dyn_cast<llvm::ConstantInt>(right);
  if (truth && limit != nullptr && limit->isOne() && compare->getPredicate() == llvm::CmpInst::ICMP_ULT)
    return is_each_lanes_own(left, block);
  if (!truth && limit != nullptr && limit->isZero() && compare->getPredicate() == llvm::CmpInst::ICMP_UGT)
    return is_each_lanes_own(left, block);
  if (compare->getPredicate() != (truth ? llvm::CmpInst::ICMP_EQ : llvm::CmpInst::ICMP_NE)) return false;
  return (is_each_lanes_own(left, block) && is_same_for_all(right)) ||
         (is_each_lanes_own(right, block) && is_same_for_all(left));
}

}  // namespace

bool is_for_one_lane(const llvm::BasicBlock& place, const llvm::DominatorTree& dominators,
                     const Dim3& block) {
  for (const auto* node = dominators.getNode(&place); node != nullptr; node = node->getIDom()) {
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(node->getBlock()->getTerminator());
    if (branch == nullptr || !branch->isConditional()) continue;
    for (const unsigned way : {0U, 1U}) {
      const llvm::BasicBlockEdge edge(node->getBlock(), branch->getSuccessor(way));
      if (dominators.dominates(edge, &place) && is_one_lanes(branch->getCondition(), way == 0, block))
        return true;
    }
  }
  return false;
}

}  // namespace heddle::exec::jit
