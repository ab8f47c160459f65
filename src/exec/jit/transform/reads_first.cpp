#include "exec/jit/transform/reads_first.h"

#include <bit>

#include "exec/jit/analysis/run_order.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

namespace heddle::exec::jit {

namespace {

using llvm::ConstantRange;
using llvm::Instruction;
using llvm::Value;

bool is_shared(const Instruction& i) {
  const auto op = op_of(&i);
  return op && (*op == Op::load || *op == Op::store || *op == Op::atomic || *op == Op::reduce) &&
         space_of(llvm::cast<llvm::CallInst>(i)) == module::Space::shared;
}

class Finder {
 public:
  Finder(llvm::Function& thread, const Dim3& block) : block_(block), analyses_(thread) {}

  // Where all that others need kept from stores of a later turn has been read; nullptr: there is no such
  // read.
  Instruction* place_behind_reads(Instruction& barrier) {
    Instruction* place = nullptr;
    Instruction* i = barrier.getNextNode();
    for (unsigned blocks = 0; blocks < 16; ++blocks) {
      for (; !ends(*i); i = i->getNextNode())
        if (needs_keeping(*i)) place = i->getNextNode();
      auto* branch = llvm::dyn_cast<llvm::BranchInst>(i);
      llvm::BasicBlock* join = branch != nullptr && branch->isConditional() ? join_of(*branch) : nullptr;
      if (join == nullptr || !is_of_every_warp(*branch->getCondition())) break;
      i = &*join->getFirstInsertionPt();
      for (llvm::BasicBlock* side : branch->successors())
        if (side != join && llvm::any_of(*side, [&](const Instruction& one) { return needs_keeping(one); }))
          place = i;
    }
    return place;
  }

 private:
  // Reads that come at once, before the thread does anything others could see.
  static bool ends(const Instruction& i) {
    if (i.isTerminator()) return true;
    const auto op = op_of(&i);
    return op && effect(*op) != Effect::none && *op != Op::load && !is_told(*op);
  }
  // To observers, who stand outside.
  static bool is_told(Op op) { return op >= Op::observe_come && op <= Op::observe_value; }
  bool needs_keeping(const Instruction& i) {
    return is_op(&i, Op::load) && is_shared(i) && is_stored_again(i);
  }
  // Where the ways of a short branch that only read meet; nullptr: it is none.
  static llvm::BasicBlock* join_of(llvm::BranchInst& branch) {
    llvm::BasicBlock *first = branch.getSuccessor(0), *second = branch.getSuccessor(1);
    const llvm::BasicBlock* head = branch.getParent();
    const auto leads_to = [&](llvm::BasicBlock* side) -> llvm::BasicBlock* {
      if (side->getSinglePredecessor() != head) return nullptr;
      for (const Instruction& i : *side)
        if (ends(i)) return i.isTerminator() ? side->getSingleSuccessor() : nullptr;
      return nullptr;
    };
    llvm::BasicBlock* join = leads_to(first) == second ? second : leads_to(second);
    const bool meets = join != nullptr && (join == first || join == second || leads_to(first) == join);
    return meets && llvm::pred_size(join) == 2 ? join : nullptr;
  }

  bool is_stored_again(const Instruction& load) {
    const auto& read = llvm::cast<llvm::CallInst>(load);
    if (!is_of_every_warp(*read.getArgOperand(0))) return false;
    const std::optional<ConstantRange> bytes = bytes_of_all(read);
    return bytes && reaches_store(load, *bytes);
  }

  // The same for all warps, and in each turn of a loop: of the lane's number and what the block shares. Then
  // every warp reads all of it, and whoever stores there stores what others read. Of a value only the bits of
  // `wanted` are of interest.
  bool is_of_every_warp(const Value& value, uint64_t wanted = ~uint64_t{0}, unsigned depth = 0) const {
    if (llvm::isa<llvm::Constant>(value)) return true;
    const auto* i = llvm::dyn_cast<Instruction>(&value);
    if (i == nullptr || depth > 12) return false;
    if (const auto op = op_of(i)) return is_of_lanes(*op, llvm::cast<llvm::CallInst>(*i), wanted);
    if (!i->isBinaryOp() && !i->isCast() && !llvm::isa<llvm::SelectInst, llvm::ICmpInst>(i)) return false;
    const uint64_t of_operands = wanted_of_operands(*i, wanted);
    return llvm::all_of(i->operands(),
                        [&](const Value* one) { return is_of_every_warp(*one, of_operands, depth + 1); });
  }
  static uint64_t wanted_of_operands(const Instruction& i, uint64_t wanted) {
    const auto* number =
        i.getNumOperands() == 2 ? llvm::dyn_cast<llvm::ConstantInt>(i.getOperand(1)) : nullptr;
    switch (i.getOpcode()) {
      case Instruction::ZExt:
      case Instruction::Trunc:
      case Instruction::Or:
      case Instruction::Xor: return wanted;
      case Instruction::And: return number != nullptr ? wanted & number->getZExtValue() : wanted;
      case Instruction::Shl: return number != nullptr ? wanted >> number->getZExtValue() % 64 : ~uint64_t{0};
      case Instruction::LShr: return number != nullptr ? wanted << number->getZExtValue() % 64 : ~uint64_t{0};
      // Carries go upwards.
      case Instruction::Add:
      case Instruction::Sub:
      case Instruction::Mul: return wanted == 0 ? 0 : ~uint64_t{0} >> std::countl_zero(wanted);
      default: return ~uint64_t{0};
    }
  }
  bool is_of_lanes(Op op, const llvm::CallInst& call, uint64_t wanted) const {
    switch (op) {
      case Op::laneid:
      case Op::ctaid:
      case Op::nctaid:
      case Op::ntid:
      case Op::parameter:
      case Op::symbol:
      case Op::dynamic_shared_bytes: return true;
      // Of %tid.x the last bits where rows are whole warps, all of it where warps are whole rows.
      case Op::tid:
        return immediate(call, 0) == 0 &&
               (32 % block_.x == 0 || (wanted < 32 && (block_.x % 32 == 0 || block_.y * block_.z == 1)));
      default: return false;
    }
  }

  // The bytes that all threads together touch in a turn; none where it depends on the turn, as in two halves
  // of a buffer that take turns, or is not known.
  std::optional<ConstantRange> bytes_of_all(const llvm::CallInst& access) {
    llvm::SmallPtrSet<const Value*, 16> seen;
    const Value* address = access.getArgOperand(0);
    if (depends_on_turn(address, seen)) return std::nullopt;
    const ConstantRange first =
        analyses_.evolution.getUnsignedRange(analyses_.evolution.getSCEV(const_cast<Value*>(address)));
    constexpr unsigned most = 1U << 20;  // more than a block may have
    if (first.isWrappedSet() || first.getUpper().ugt(most)) return std::nullopt;
    return ConstantRange(first.getLower(), first.getUpper() + (bytes_of(access) - 1));
  }
  static bool depends_on_turn(const Value* value, llvm::SmallPtrSet<const Value*, 16>& seen) {
    const auto* i = llvm::dyn_cast<Instruction>(value);
    if (i == nullptr || !seen.insert(i).second) return false;
    if (const auto op = op_of(i)) return effect(*op) != Effect::none;
    return llvm::isa<llvm::PHINode>(i) || i->mayReadFromMemory() || seen.size() > 16 ||
           llvm::any_of(i->operands(), [&](const Value* one) { return depends_on_turn(one, seen); });
  }

  // On some way from there that meets no barrier.
  bool reaches_store(const Instruction& from, const ConstantRange& bytes) {
    llvm::SmallPtrSet<const llvm::BasicBlock*, 16> seen;
    llvm::SmallVector<const Instruction*> ways{from.getNextNode()};
    while (!ways.empty()) {
      const Instruction* i = ways.pop_back_val();
      for (; i != nullptr; i = i->getNextNode()) {
        if (is_whole_barrier(*i) || is_op(i, Op::barrier_some)) break;
        if (is_shared(*i) && !is_op(i, Op::load)) {
          const auto stored = bytes_of_all(llvm::cast<llvm::CallInst>(*i));
          if (stored && !stored->intersectWith(bytes).isEmptySet()) return true;
        }
        if (!i->isTerminator()) continue;
        for (const llvm::BasicBlock* next : llvm::successors(i->getParent()))
          if (seen.insert(next).second) ways.push_back(&next->front());
      }
    }
    return false;
  }

  const Dim3 block_;
  ThreadAnalyses analyses_;
};

}  // namespace

unsigned keep_reads_first(ThreadProgram& program, const Dim3& block) {
  if (block.count() <= 32) return 0;
  llvm::SmallVector<Instruction*> barriers;
  bool stores = false;
  for (Instruction& i : llvm::instructions(*program.entry)) {
    if (is_whole_barrier(i)) barriers.push_back(&i);
    stores |= is_shared(i) && !is_op(&i, Op::load);
  }
  if (barriers.empty() || !stores) return 0;
  llvm::SmallVector<std::pair<Instruction*, Value*>> places;  // and the barrier's number
  Finder finder(*program.entry, block);
  for (Instruction* barrier : barriers)
    if (Instruction* place = finder.place_behind_reads(*barrier))
      places.emplace_back(place, llvm::cast<llvm::CallInst>(barrier)->getArgOperand(0));
  llvm::IRBuilder<> ir(program.entry->getContext());
  for (const auto& [place, id] : places) {
    ir.SetInsertPoint(place);
    call_op(ir, Op::barrier, ir.getVoidTy(), {id});
  }
  return static_cast<unsigned>(places.size());
}

}  // namespace heddle::exec::jit
