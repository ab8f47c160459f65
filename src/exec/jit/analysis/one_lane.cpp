#include "exec/jit/analysis/one_lane.h"

#include <array>

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

// factor[0] * tid.x + factor[1] * tid.y + factor[2] * tid.z + rest. Exact: no sum of these overflows that a
// thread's number in its block is (at most 1023), in 16 bits or more.
struct OfThread {
  std::array<int64_t, 3> factor{};
  int64_t rest = 0;
};

std::optional<OfThread> of_thread(llvm::Value* value, int depth = 0) {
  if (depth > most_depth) return std::nullopt;
  llvm::Value *a = nullptr, *b = nullptr;
  llvm::ConstantInt* number = nullptr;
  const auto inner = [&](llvm::Value* v) { return of_thread(v, depth + 1); };
  if (match(value, m_ConstantInt(number))) {
    if (number->getBitWidth() > 64) return std::nullopt;
    return OfThread{.rest = number->getSExtValue()};
  }
  if (is_op(value, Op::tid)) {
    OfThread found;
    found.factor.at(immediate(*llvm::cast<llvm::CallInst>(value), 0)) = 1;
    return found;
  }
  if (match(value, m_ZExtOrSExt(m_Value(a)))) return inner(a);
  if (match(value, m_Trunc(m_Value(a))) && value->getType()->getIntegerBitWidth() >= 16) return inner(a);
  if (match(value, m_AddLike(m_Value(a), m_Value(b)))) {
    auto sum = inner(a);
    const auto other = sum ? inner(b) : std::nullopt;
    if (!other) return std::nullopt;
    for (unsigned d = 0; d < 3; ++d) sum->factor[d] += other->factor[d];
    sum->rest += other->rest;
    return sum;
  }
  int64_t times = 0;
  if (match(value, m_Mul(m_Value(a), m_ConstantInt(number))))
    times = number->getSExtValue();
  else if (match(value, m_Shl(m_Value(a), m_ConstantInt(number))) && number->getZExtValue() < 16)
    times = int64_t{1} << number->getZExtValue();
  constexpr int64_t most_threads = 1024;
  if (times <= 0 || times > most_threads * most_threads) return std::nullopt;
  auto product = inner(a);
  if (!product) return std::nullopt;
  for (int64_t& factor : product->factor) factor *= times;
  product->rest *= times;
  return product;
}

using Index = std::array<std::optional<uint32_t>, 3>;  // of a thread, as far as it is known

// What it means for the thread's index that this number is `is`.
void learn_equal(llvm::Value* number, int64_t is, const Dim3& block, Index& known, int depth) {
  llvm::Value *a = nullptr, *b = nullptr;
  if (is == 0 && depth <= most_depth && match(number, m_Or(m_Value(a), m_Value(b)))) {
    learn_equal(a, 0, block, known, depth + 1);
    learn_equal(b, 0, block, known, depth + 1);
    return;
  }
  const auto form = of_thread(number);
  if (!form) return;
  const uint32_t size[] = {block.x, block.y, block.z};
  int64_t value = is - form->rest;
  unsigned terms = 0, last = 0;
  for (unsigned d = 0; d < 3; ++d)
    if (size[d] > 1 && form->factor[d] != 0) ++terms, last = d;
  const int64_t row = block.x, layer = row * block.y;
  if (terms == 1 && form->factor[last] == 1) {
    if (value >= 0 && value < size[last]) known[last] = static_cast<uint32_t>(value);
  } else if ((block.x == 1 || form->factor[0] == 1) && (block.y == 1 || form->factor[1] == row) &&
             (block.z == 1 || form->factor[2] == layer) && value >= 0 && value < layer * block.z) {
    known = {static_cast<uint32_t>(value % row), static_cast<uint32_t>(value / row % block.y),
             static_cast<uint32_t>(value / layer)};
  }
}

void learn(llvm::Value* condition, bool truth, const Dim3& block, Index& known, int depth = 0) {
  if (depth > most_depth) return;
  llvm::Value *a = nullptr, *b = nullptr;
  if (match(condition, m_Not(m_Value(a)))) return learn(a, !truth, block, known, depth + 1);
  const bool both = truth ? match(condition, m_LogicalAnd(m_Value(a), m_Value(b)))
                          : match(condition, m_LogicalOr(m_Value(a), m_Value(b)));
  if (both) {
    learn(a, truth, block, known, depth + 1);
    return learn(b, truth, block, known, depth + 1);
  }
  const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(condition);
  if (compare == nullptr) return;
  const auto* limit = llvm::dyn_cast<llvm::ConstantInt>(compare->getOperand(1));
  if (limit == nullptr || limit->getBitWidth() > 64) return;
  using enum llvm::CmpInst::Predicate;
  const auto predicate = truth ? compare->getPredicate() : compare->getInversePredicate();
  if (predicate == ICMP_EQ)
    learn_equal(compare->getOperand(0), limit->getSExtValue(), block, known, depth);
  else if ((predicate == ICMP_ULT && limit->isOne()) || (predicate == ICMP_ULE && limit->isZero()))
    learn_equal(compare->getOperand(0), 0, block, known, depth);
}

}  // namespace

std::optional<uint32_t> only_thread(const llvm::BasicBlock& place, const llvm::DominatorTree& dominators,
                                    const Dim3& block) {
  Index known;
  if (block.x == 1) known[0] = 0;
  if (block.y == 1) known[1] = 0;
  if (block.z == 1) known[2] = 0;
  for (const auto* node = dominators.getNode(&place); node != nullptr; node = node->getIDom()) {
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(node->getBlock()->getTerminator());
    if (branch == nullptr || !branch->isConditional()) continue;
    for (const unsigned way : {0U, 1U}) {
      const llvm::BasicBlockEdge edge(node->getBlock(), branch->getSuccessor(way));
      if (dominators.dominates(edge, &place)) learn(branch->getCondition(), way == 0, block, known);
    }
  }
  if (!known[0] || !known[1] || !known[2]) return std::nullopt;
  return *known[0] + block.x * (*known[1] + block.y * *known[2]);
}

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
