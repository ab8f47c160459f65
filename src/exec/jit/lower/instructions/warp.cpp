// Lanes of a warp that look at each other (PTX ISA 9.7.9.5, 9.7.9.6, 9.7.13.8 to 9.7.13.14).
#include "exec/jit/ir/values.h"
#include "exec/jit/lower/function_lowering.h"
#include "exec/jit/lower/lowering.h"
#include "exec/jit/lower/special.h"
#include "observe/exchange.h"

namespace heddle::exec::jit {

namespace {

using isa::Slot;
using isa::Word;

struct Members {
  llvm::Value* mask;
  llvm::Value* sync;
};

// `operand` is the membermask's, or -1. Devices without independent scheduling wait for nobody: the members
// are the lanes that are there.
Members members(Lowering& l, int operand) {
  const bool sync = operand >= 0 && l.meaning().independent;
  if (operand >= 0) l.tells(observe::warp_exchange, l.get_bits(operand));
  return {sync ? l.get_bits(operand) : l.imm(0xffffffff), l.imm(sync ? 1 : 0)};
}

void shuffle(Lowering& l, int mask) {
  uint64_t kind = 3;
  switch (l.word(Slot::shuffle)) {
    case Word::up: kind = 0; break;
    case Word::down: kind = 1; break;
    case Word::bfly: kind = 2; break;
    default: break;
  }
  const Members m = members(l, mask);
  llvm::Type* result = llvm::StructType::get(l.context(), {l.integer(32), l.integer(1)});
  llvm::Value* both =
      l.op(Op::shuffle, result, {l.imm(kind), l.get_bits(2), l.get_bits(3), l.get_bits(4), m.mask, m.sync});
  l.set(0, l.ir().CreateExtractValue(both, 0));
  if (l.present(1)) l.set(1, l.ir().CreateExtractValue(both, 1));
}

void vote(Lowering& l, int mask) {
  const Word word = l.word(Slot::vote);
  const uint64_t kind = word == Word::all ? 0 : word == Word::any ? 1 : 2;
  const Members m = members(l, mask);
  l.set(0, l.op(Op::vote, l.integer(1), {l.imm(kind), l.get_predicate(1), m.mask, m.sync}));
}

void ballot(Lowering& l, int mask) {
  const Members m = members(l, mask);
  l.set(0, l.op(Op::ballot, l.integer(32), {l.get_predicate(1), m.mask, m.sync}));
}

WarpReduction reduction(Word op, bool is_signed) {
  switch (op) {
    case Word::add: return WarpReduction::add;
    case Word::and_: return WarpReduction::and_;
    case Word::or_: return WarpReduction::or_;
    case Word::min: return is_signed ? WarpReduction::min_signed : WarpReduction::min_unsigned;
    case Word::max: return is_signed ? WarpReduction::max_signed : WarpReduction::max_unsigned;
    default: return WarpReduction::xor_;
  }
}

}  // namespace

void lower_shfl(Lowering& l) { shuffle(l, -1); }
void lower_shfl_sync(Lowering& l) { shuffle(l, 5); }
void lower_vote(Lowering& l) { vote(l, -1); }
void lower_vote_ballot(Lowering& l) { ballot(l, -1); }
void lower_vote_sync(Lowering& l) { vote(l, 2); }
void lower_vote_sync_ballot(Lowering& l) { ballot(l, 2); }

void lower_match_any(Lowering& l) {
  const Members m = members(l, 2);
  l.set(0, l.op(Op::match_any, l.integer(32), {l.get_bits(1), m.mask}));
}

void lower_match_all(Lowering& l) {
  llvm::Type* result = llvm::StructType::get(l.context(), {l.integer(32), l.integer(1)});
  const Members m = members(l, 3);
  llvm::Value* both = l.op(Op::match_all, result, {l.get_bits(2), m.mask});
  l.set(0, l.ir().CreateExtractValue(both, 0));
  if (l.present(1)) l.set(1, l.ir().CreateExtractValue(both, 1));
}

void lower_redux(Lowering& l) {
  const bool is_signed = isa::info(l.type()).kind == isa::TypeKind::signed_;
  const auto kind = static_cast<uint32_t>(reduction(l.word(Slot::op), is_signed));
  const Members m = members(l, 2);
  l.set(0, l.op(Op::warp_reduce, l.integer(32), {l.imm(kind), l.get_bits(1), m.mask}));
}

// The lowest member that is there.
void lower_elect(Lowering& l) {
  const Members m = members(l, 2);
  llvm::Value* present = l.op(Op::ballot, l.integer(32), {l.ir().getTrue(), m.mask, m.sync});
  llvm::Value* leader = l.ir().CreateBinaryIntrinsic(llvm::Intrinsic::cttz, present, l.ir().getFalse());
  llvm::Value* lane = read_special(l.body().program(), isa::SpecialRegister::laneid, Word::none);
  l.set(0, leader);
  l.set(1, l.ir().CreateICmpEQ(leader, lane));
}

void lower_activemask(Lowering& l) { l.set(0, l.op(Op::active_mask, l.integer(32), {})); }

}  // namespace heddle::exec::jit
