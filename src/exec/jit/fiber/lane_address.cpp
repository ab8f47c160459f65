#include "exec/jit/fiber/lane_address.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Operator.h"

namespace heddle::exec::jit {

namespace {

constexpr uint64_t warp = 32;
constexpr unsigned most_values = 64, most_depth = 16;

int64_t product(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
int64_t sum_of(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

const llvm::ConstantInt* number(const llvm::Value* value) {
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(value);
  return known != nullptr && known->getBitWidth() <= 64 ? known : nullptr;
}

bool is_same_for_a_warp(Op op) {
  switch (op) {
    case Op::ntid:
    case Op::ctaid:
    case Op::nctaid:
    case Op::warpid:
    case Op::grid_id:
    case Op::dynamic_shared_bytes:
    case Op::environment:
    case Op::parameter:
    case Op::symbol: return true;
    default: return false;
  }
}

bool is_tid(const llvm::Value* value, unsigned dimension) {
  return is_op(value, Op::tid) && immediate(*llvm::cast<llvm::CallInst>(value), 0) == dimension;
}

// Of a loop, `start` at first and `step` more each turn.
struct Counter {
  const llvm::Value *start = nullptr, *step = nullptr;
};
Counter counter_of(const llvm::PHINode& phi) {
  if (phi.getNumIncomingValues() != 2) return {};
  for (unsigned k = 0; k < 2; ++k) {
    const auto* next = llvm::dyn_cast<llvm::BinaryOperator>(phi.getIncomingValue(k));
    if (next == nullptr || next->getOpcode() != llvm::Instruction::Add) continue;
    if (next->getOperand(0) == &phi) return {phi.getIncomingValue(1 - k), next->getOperand(1)};
  }
  return {};
}

}  // namespace

LaneAddresses::LaneAddresses(const Dim3& block)
    : row_(block.x),
      plane_(uint64_t{block.x} * block.y),
      rows_(block.y),
      planes_(block.z),
      rows_are_whole_(block.x % warp == 0 || (block.y == 1 && block.z == 1)) {}

// Operations of the same meaning are one value.
const llvm::Value* LaneAddresses::same(const llvm::CallInst& call, Op op) {
  const uint64_t which = call.arg_size() == 0 ? 0 : immediate(call, 0);
  return first_.try_emplace({op, which}, &call).first->second;
}

bool LaneAddresses::is_fixed(const llvm::Value* value, unsigned depth) {
  if (llvm::isa<llvm::Constant>(value)) return true;
  const auto* i = llvm::dyn_cast<llvm::Instruction>(value);
  if (i == nullptr || depth > most_depth || llvm::isa<llvm::PHINode>(i)) return false;
  if (const auto known = fixed_.find(i); known != fixed_.end()) return known->second;
  const auto find = [&] {
    if (const auto op = op_of(i))
      return is_same_for_a_warp(*op) || (rows_are_whole_ && *op == Op::tid && !is_tid(i, 0));
    if (i->getOpcode() == llvm::Instruction::LShr || i->getOpcode() == llvm::Instruction::And) {
      const auto* by = number(i->getOperand(1));
      if (rows_are_whole_ && by != nullptr && is_tid(i->getOperand(0), 0))
        return i->getOpcode() == llvm::Instruction::LShr ? by->getZExtValue() >= 5
                                                         : by->getZExtValue() % warp == 0;
    }
    if (i->mayReadOrWriteMemory() || i->isTerminator() || llvm::isa<llvm::CallBase>(i)) return false;
    return llvm::all_of(i->operands(), [&](const llvm::Value* o) { return is_fixed(o, depth + 1); });
  };
  const bool is = find();
  if (is || depth == 0) fixed_[i] = is;
  return is;
}

bool LaneAddresses::is_uniform(const llvm::Value* value) {
  llvm::SmallVector<const llvm::Value*> open{value};
  llvm::DenseSet<const llvm::Value*> seen;
  bool is = true;
  while (is && !open.empty()) {
    const llvm::Value* v = open.pop_back_val();
    if (uniform_.contains(v) || !seen.insert(v).second || is_fixed(v)) continue;
    const auto* i = llvm::dyn_cast<llvm::Instruction>(v);
    const auto* phi = llvm::dyn_cast<llvm::PHINode>(v);
    // Lanes that are in a loop together are in the same turn of it.
    const Counter counter = phi != nullptr ? counter_of(*phi) : Counter();
    is = i != nullptr && !not_uniform_.contains(v) && !i->mayReadOrWriteMemory() &&
         !llvm::isa<llvm::CallBase>(i) && (phi == nullptr || counter.start != nullptr);
    if (!is) break;
    if (phi != nullptr)
      open.append({counter.start, counter.step});
    else
      open.append(i->op_begin(), i->op_end());
  }
  if (is)
    uniform_.insert(seen.begin(), seen.end());
  else
    not_uniform_.insert(value);
  return is;
}

// Extensions are looked through: lanes that differ before differ behind one, by as much or by 2^32 more.
void LaneAddresses::add(Sum& sum, const llvm::Value* value, int64_t factor) {
  if (const auto* known = number(value)) {
    sum.constant = sum_of(sum.constant, product(known->getSExtValue(), factor));
    return;
  }
  if (sum.left != 0) --sum.left;
  if (const auto op = op_of(value)) {
    const auto& call = *llvm::cast<llvm::CallInst>(value);
    if (*op == Op::tid) {
      int64_t& place = sum.place[immediate(call, 0)];
      place = sum_of(place, factor);
      return;
    }
    if (*op == Op::laneid) {
      sum.lane = sum_of(sum.lane, factor);
      return;
    }
    if (is_same_for_a_warp(*op)) value = same(call, *op);
  }
  const auto* i = llvm::dyn_cast<llvm::Instruction>(value);
  const bool opaque = i == nullptr || sum.left == 0;
  switch (opaque ? 0 : i->getOpcode()) {
    case llvm::Instruction::ZExt:
    case llvm::Instruction::SExt:
      if (i->getOperand(0)->getType()->getIntegerBitWidth() < 32) break;
      return add(sum, i->getOperand(0), factor);
    case llvm::Instruction::Trunc:
      if (i->getType()->getIntegerBitWidth() < 32) break;
      return add(sum, i->getOperand(0), factor);
    case llvm::Instruction::Or:
      if (!llvm::cast<llvm::PossiblyDisjointInst>(i)->isDisjoint()) break;
      [[fallthrough]];
    case llvm::Instruction::Add:
      add(sum, i->getOperand(0), factor);
      return add(sum, i->getOperand(1), factor);
    case llvm::Instruction::Sub:
      add(sum, i->getOperand(0), factor);
      return add(sum, i->getOperand(1), product(factor, -1));
    case llvm::Instruction::Mul:
      if (const auto* by = number(i->getOperand(1)))
        return add(sum, i->getOperand(0), product(factor, by->getSExtValue()));
      break;
    case llvm::Instruction::Shl:
      if (const auto* by = number(i->getOperand(1)); by != nullptr && by->getZExtValue() < 62)
        return add(sum, i->getOperand(0), product(factor, int64_t{1} << by->getZExtValue()));
      break;
    case llvm::Instruction::And:
      if (const auto* mask = number(i->getOperand(1)); mask != nullptr && mask->getZExtValue() == warp - 1 &&
                                                       rows_are_whole_ && is_tid(i->getOperand(0), 0)) {
        sum.lane = sum_of(sum.lane, factor);
        return;
      }
      break;
    case llvm::Instruction::PHI: {
      const Counter counter = counter_of(*llvm::cast<llvm::PHINode>(i));
      const auto* step = counter.step != nullptr ? number(counter.step) : nullptr;
      if (step == nullptr) break;
      sum.varying |= static_cast<uint64_t>(product(step->getSExtValue(), factor));
      return add(sum, counter.start, factor);
    }
    default: break;
  }
  if (is_fixed(value)) {
    int64_t& part = sum.fixed[value];
    part = sum_of(part, factor);
  } else {
    sum.varying |= static_cast<uint64_t>(factor);
  }
}

LaneAddress LaneAddresses::of(const llvm::Value* address) {
  Sum sum;
  sum.left = most_values;
  add(sum, address, 1);
  LaneAddress result{sum.constant, sum.lane, std::move(sum.fixed), sum.varying};
  std::erase_if(result.fixed, [](const auto& part) { return part.second == 0; });
  // A thread's number in its block is that of its lane and of its warp.
  const int64_t x = sum.place[0], y = sum.place[1], z = sum.place[2];
  const auto is = [x](int64_t place, uint64_t count) {
    return place == product(x, static_cast<int64_t>(count));
  };
  const bool by_number = (rows_ == 1 || is(y, row_)) && (planes_ == 1 || is(z, plane_));
  if (!rows_are_whole_ && !by_number) {
    result.varying |= static_cast<uint64_t>(x | y | z);
    return result;
  }
  result.lane = sum_of(result.lane, x);
  // What is left is the same for the whole warp; %tid itself stands for that here, by no other name.
  const int64_t left[3] = {x, y, z};
  static const char names[3] = {};
  for (unsigned d = 0; d < 3; ++d)
    if (left[d] != 0) result.fixed[reinterpret_cast<const llvm::Value*>(&names[d])] = left[d];
  return result;
}

bool are_lanes_own(const LaneAddress& a, uint64_t a_bytes, const LaneAddress& b, uint64_t b_bytes) {
  if (a.lane == 0 || a.lane != b.lane || a.fixed != b.fixed) return false;
  constexpr int64_t most = int64_t{1} << 30;
  const int64_t apart = std::abs(a.constant - b.constant);
  if (std::abs(a.lane) > most || apart > most || apart < 0) return false;
  const auto step = static_cast<uint64_t>(std::abs(a.lane));
  if (step < static_cast<uint64_t>(apart) + std::max(a_bytes, b_bytes)) return false;
  const uint64_t varying = a.varying | b.varying;
  if (varying == 0) return true;
  // All lanes together lie in a row that the rest moves by whole rows.
  return std::has_single_bit(step) && varying % (step * warp) == 0;
}

}  // namespace heddle::exec::jit
