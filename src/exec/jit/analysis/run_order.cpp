#include "exec/jit/analysis/run_order.h"

#include <cstdlib>

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Metadata.h"

namespace heddle::exec::jit {

using llvm::CallInst;
using llvm::Instruction;
using module::Space;

namespace {

constexpr const char* step_mark = "heddle.lane_step";
constexpr const char* tested_mark = "heddle.tested_row";

bool may_be_same_space(Space a, Space b) { return a == b || a == Space::generic || b == Space::generic; }

}  // namespace

unsigned bytes_of(const CallInst& access) {
  if (is_op(&access, Op::store)) {
    unsigned bits = 0;
    for (unsigned e = 3; e < access.arg_size(); ++e)
      bits += access.getArgOperand(e)->getType()->getScalarSizeInBits();
    return bits / 8;
  }
  if (const auto* several = llvm::dyn_cast<llvm::StructType>(access.getType()))
    return several->getNumElements() * several->getElementType(0)->getScalarSizeInBits() / 8;
  return access.getType()->getScalarSizeInBits() / 8;
}

void keep_lane_step(CallInst& access, const Pattern& address) {
  if (address.kind != Pattern::affine || address.lane_step == 0) return;
  if (address.vector_step % address.lane_step != 0) return;
  llvm::LLVMContext& context = access.getContext();
  auto* step = llvm::ConstantInt::get(llvm::Type::getInt64Ty(context),
                                      static_cast<uint64_t>(std::abs(address.lane_step)));
  access.setMetadata(step_mark, llvm::MDNode::get(context, {llvm::ConstantAsMetadata::get(step)}));
}

void copy_lane_step(const CallInst& from, CallInst& to) {
  to.setMetadata(step_mark, from.getMetadata(step_mark));
}

std::optional<int64_t> lane_step_of(const CallInst& access) {
  const llvm::MDNode* kept = access.getMetadata(step_mark);
  if (kept == nullptr) return std::nullopt;
  return llvm::mdconst::extract<llvm::ConstantInt>(kept->getOperand(0))->getSExtValue();
}

void keep_tested_row(CallInst& access, const TestedRow& row) {
  llvm::Type* i64 = llvm::Type::getInt64Ty(access.getContext());
  const auto number = [&](uint64_t n) {
    return llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(i64, n));
  };
  access.setMetadata(tested_mark,
                     llvm::MDNode::get(access.getContext(), {number(row.loop), number(row.row)}));
}

void copy_tested_row(const CallInst& from, CallInst& to) {
  to.setMetadata(tested_mark, from.getMetadata(tested_mark));
}

std::optional<TestedRow> tested_row_of(const CallInst& access) {
  const llvm::MDNode* kept = access.getMetadata(tested_mark);
  if (kept == nullptr) return std::nullopt;
  const auto number = [&](unsigned n) {
    return llvm::mdconst::extract<llvm::ConstantInt>(kept->getOperand(n))->getZExtValue();
  };
  return TestedRow{number(0), number(1)};
}

bool are_tested_apart(const CallInst& a, const CallInst& b) {
  const auto row = tested_row_of(a), other = tested_row_of(b);
  return row && other && row->loop == other->loop && row->row != other->row;
}

std::optional<int64_t> ThreadAnalyses::distance(const CallInst& a, const CallInst& b) {
  const auto* apart = llvm::dyn_cast<llvm::SCEVConstant>(
      evolution.getMinusSCEV(evolution.getSCEV(b.getArgOperand(0)), evolution.getSCEV(a.getArgOperand(0))));
  if (apart == nullptr) return std::nullopt;
  return apart->getAPInt().getSExtValue();
}

bool lanes_are_known(const CallInst& a, const CallInst& b) {
  const auto row = tested_row_of(a);
  if (row && row == tested_row_of(b)) return true;
  const auto step = lane_step_of(a);
  return step && step == lane_step_of(b);
}

bool lie_apart(const CallInst& a, const CallInst& b, int64_t distance) {
  // Of other threads nothing is there.
  if (const auto row = tested_row_of(a); row && row == tested_row_of(b))
    return distance >= int64_t{bytes_of(a)} || -distance >= int64_t{bytes_of(b)};
  const auto step = lane_step_of(a);
  if (!step || step != lane_step_of(b)) return false;
  const int64_t behind = (distance % *step + *step) % *step;  // of b behind a's lane, or the next one's
  return behind >= bytes_of(a) && *step - behind >= bytes_of(b);
}

Crossing crossing_of_load(const Instruction& i, Space space, bool non_coherent) {
  const auto op = op_of(&i);
  if (!op) {
    if (llvm::isa<llvm::LoadInst>(i)) return Crossing::free;  // a table of the program's own
    return i.mayHaveSideEffects() || i.mayReadOrWriteMemory() ? Crossing::barred : Crossing::free;
  }
  if (effect(*op) == Effect::none || *op == Op::prefetch) return Crossing::free;
  const auto* call = llvm::cast<CallInst>(&i);
  switch (*op) {
    case Op::load: return is_ordered(*call) ? Crossing::barred : Crossing::free;
    case Op::store:
      if (is_ordered(*call)) return Crossing::barred;
      // Of memory that nobody writes while the kernel runs (.nc, .const) it needs no proof.
      if (non_coherent || !may_be_same_space(space_of(*call), space)) return Crossing::free;
      return space_of(*call) == space ? Crossing::by_place : Crossing::barred;
    case Op::atomic:
    case Op::reduce:
      if ((flags_of(*call) & (access_acquire | access_release)) != 0) return Crossing::barred;
      return !non_coherent && may_be_same_space(space_of(*call), space) ? Crossing::barred : Crossing::free;
    default: return Crossing::barred;
  }
}

Crossing crossing_of_store(const Instruction& i, Space space) {
  const auto op = op_of(&i);
  if (!op) {
    if (llvm::isa<llvm::LoadInst>(i)) return Crossing::free;
    return i.mayHaveSideEffects() || i.mayReadOrWriteMemory() ? Crossing::barred : Crossing::free;
  }
  if (effect(*op) == Effect::none || *op == Op::prefetch) return Crossing::free;
  const auto* call = llvm::cast<CallInst>(&i);
  if (*op != Op::load && *op != Op::store) return Crossing::barred;
  if (is_ordered(*call)) return Crossing::barred;
  if (*op == Op::load && (flags_of(*call) & access_non_coherent) != 0) return Crossing::free;
  if (!may_be_same_space(space_of(*call), space)) return Crossing::free;
  return space_of(*call) == space ? Crossing::by_place : Crossing::barred;
}

}  // namespace heddle::exec::jit
