// Asynchronous copies of a few bytes (PTX ISA 9.7.9.25.3). They complete where they are issued, so that
// groups and waits have nothing to wait for. Waiting for an mbarrier is waiting for other threads; the object
// is a word of memory, and an arrival changes it (ir/mbarrier.h).
#include "exec/jit/ir/mbarrier.h"
#include "exec/jit/ir/values.h"
#include "exec/jit/lower/function_lowering.h"
#include "exec/jit/lower/lowering.h"
#include "exec/jit/transform/mbarriers.h"
#include "exec/mbarrier_word.h"

namespace heddle::exec::jit {

namespace {

llvm::Value* part_of(Lowering& l, llvm::Value* whole, unsigned first, unsigned bits) {
  return l.ir().CreateTrunc(l.ir().CreateLShr(whole, first), l.integer(bits));
}

// An observer is told of mbarriers by the reference executor.
bool is_told(const Lowering& l) { return l.meaning().observed != observe::nothing; }

void say(llvm::Value* call, const char* what) {
  llvm::cast<llvm::CallInst>(call)->addFnAttr(llvm::Attribute::get(call->getContext(), what));
}

// `taken` where the object takes it; where it does not, the reference executor has a word for that.
template <class F>
void take_unless(Lowering& l, llvm::Value* bad, F&& taken) {
  llvm::Function* thread = l.body().program().thread;
  llvm::BasicBlock* refused = llvm::BasicBlock::Create(l.context(), "refused", thread);
  llvm::BasicBlock* good = llvm::BasicBlock::Create(l.context(), "taken", thread);
  llvm::BasicBlock* next = llvm::BasicBlock::Create(l.context(), "arrived", thread);
  const auto refuse = [&] {
    l.step();
    for (llvm::Instruction& i : *refused)
      if (is_op(&i, Op::step)) say(&i, mbarrier_refuses);
  };
  l.body().choose(bad, refused, refuse, good, taken, next);
}

// Whether the phase of that parity is over: the object is already in the other one.
template <class F>
void wait(Lowering& l, F&& parity) {
  if (is_told(l)) {
    l.need_independent_threads();
    return l.step();
  }
  llvm::Value* word = l.op(Op::load, l.integer(64),
                           {l.address(1), l.imm(static_cast<uint32_t>(l.operand(1).space)),
                            l.imm(access_strong | access_acquire)});
  say(word, mbarrier_tests);
  l.set(0, l.ir().CreateXor(part_of(l, word, mbarrier_word::parity_at, 1), parity()));
}
void wait_for_state(Lowering& l) {
  wait(l, [&] { return part_of(l, l.get_bits(2), mbarrier_word::parity_at, 1); });
}
void wait_for_parity(Lowering& l) {
  wait(l, [&] { return part_of(l, l.get_bits(2), 0, 1); });
}

// An arrival at the object that operand `at` names. `bytes` of transactions that the phase waits for besides.
void arrive(Lowering& l, int at, llvm::Value* count, bool drops, llvm::Value* bytes, llvm::Value* too_much) {
  if (is_told(l)) return l.step();
  llvm::IRBuilder<>& ir = l.ir();
  llvm::Value* word =
      l.op(Op::atomic, l.integer(64),
           {l.address(at), l.imm(static_cast<uint32_t>(l.operand(at).space)),
            l.imm(access_strong | access_release), l.imm(static_cast<uint32_t>(AtomicKind::arrive)),
            arrival(ir, count, drops, bytes)});
  llvm::Value* bad = ir.CreateNot(takes_arrivals(ir, word, count, drops));
  if (too_much != nullptr) bad = ir.CreateOr(bad, too_much);
  take_unless(l, bad, [&] {
    if (at > 0 && l.present(0)) l.set(0, word);
  });
}

bool drops_out(const Lowering& l) { return l.word(isa::Slot::action) == isa::Word::arrive_drop; }

llvm::Value* more_than_counts(Lowering& l, llvm::Value* bytes) {
  return l.ir().CreateICmpUGT(bytes, l.imm(mbarrier_word::most));
}

}  // namespace

// [a], [b], size{, n}: the first n bytes come from b, the rest is zero; or n is a predicate: all is zero.
void lower_cp_async(Lowering& l) {
  const module::Operand &to = l.operand(0), &from = l.operand(1);
  const auto bits = static_cast<unsigned>(l.operand(2).value) * 8;
  llvm::IntegerType* type = l.integer(bits);
  const auto space = [&](const module::Operand& o) { return l.imm(static_cast<uint32_t>(o.space)); };
  llvm::Value* target = l.address(to);
  llvm::Value* source = l.address(from);
  const auto load = [&] { return l.op(Op::load, type, {source, space(from), l.imm(access_weak)}); };
  llvm::Value* value = nullptr;
  if (!l.present(3)) {
    value = load();
  } else {
    const bool ignore = l.operand(3).declared == isa::Type::pred;
    llvm::Value* count = ignore ? nullptr : resize(l.ir(), l.get_bits(3), 32);
    llvm::Value* none = ignore ? l.get_predicate(3) : l.ir().CreateICmpEQ(count, l.imm(0));
    llvm::Function* thread = l.body().program().thread;
    llvm::BasicBlock* before = l.ir().GetInsertBlock();
    llvm::BasicBlock* reads = llvm::BasicBlock::Create(l.context(), "reads", thread);
    llvm::BasicBlock* next = llvm::BasicBlock::Create(l.context(), "copies", thread);
    l.ir().CreateCondBr(none, next, reads);
    l.ir().SetInsertPoint(reads);
    llvm::Value* loaded = load();
    if (!ignore) {
      llvm::Value* all = l.ir().CreateICmpUGE(count, l.imm(bits / 8));
      llvm::Value* shift = l.ir().CreateSelect(all, l.imm(0), l.ir().CreateMul(count, l.imm(8)));
      llvm::Value* low = l.ir().CreateNot(
          l.ir().CreateShl(llvm::Constant::getAllOnesValue(type), l.ir().CreateZExtOrTrunc(shift, type)));
      loaded = l.ir().CreateSelect(all, loaded, l.ir().CreateAnd(loaded, low));
    }
    l.ir().CreateBr(next);
    l.ir().SetInsertPoint(next);
    llvm::PHINode* either = l.ir().CreatePHI(type, 2);
    either->addIncoming(llvm::Constant::getNullValue(type), before);
    either->addIncoming(loaded, reads);
    value = either;
  }
  l.op(Op::store, l.ir().getVoidTy(), {target, space(to), l.imm(access_weak), value});
}

void lower_cp_async_commit_group(Lowering& l) { l.tells(observe::SyncKind::copy_commit); }
void lower_cp_async_wait_group(Lowering& l) { l.tells(observe::SyncKind::copy_wait, l.get_bits(0)); }
void lower_cp_async_wait_all(Lowering& l) { l.tells(observe::SyncKind::copy_wait, l.imm(~0U)); }
void lower_cp_async_bulk_commit_group(Lowering& l) { l.tells(observe::SyncKind::copy_commit); }
void lower_cp_async_bulk_wait_group(Lowering& l) { l.tells(observe::SyncKind::copy_wait, l.get_bits(0)); }
void lower_cp_async_bulk_prefetch(Lowering&) {}
void lower_cp_async_bulk_prefetch_tensor(Lowering&) {}
void lower_cp_async_bulk_prefetch_tensor_im2col(Lowering&) {}

// Products of a warpgroup are complete where they are issued, too.
void lower_wgmma_fence(Lowering&) {}
void lower_wgmma_commit_group(Lowering&) {}
void lower_wgmma_wait_group(Lowering&) {}

// The response as eval_clusterlaunchcontrol_try_cancel writes it: x, y and z in 32, 16 and 16 bits, and bit
// 64 says that there is one.
void lower_clusterlaunchcontrol_query_canceled(Lowering& l) { l.set(0, part_of(l, l.get_bits(1), 64, 1)); }
void lower_clusterlaunchcontrol_query_ctaid(Lowering& l) {
  llvm::Value* response = l.get_bits(1);
  const auto x = [&] { return part_of(l, response, 0, 32); };
  const auto y = [&] { return l.ir().CreateZExt(part_of(l, response, 32, 16), l.integer(32)); };
  const auto z = [&] { return l.ir().CreateZExt(part_of(l, response, 48, 16), l.integer(32)); };
  switch (l.word(isa::Slot::query)) {
    case isa::Word::get_first_ctaid_x: return l.set(0, x());
    case isa::Word::get_first_ctaid_y: return l.set(0, y());
    case isa::Word::get_first_ctaid_z: return l.set(0, z());
    default: break;
  }
  llvm::Value* const all[] = {x(), y(), z(), l.imm(0)};
  const auto parts = l.parts(l.operand(0));
  for (std::size_t i = 0; i < parts.size(); ++i) l.set(parts[i], all[i]);
}

void lower_mbarrier_init(Lowering& l) {
  using namespace mbarrier_word;
  if (is_told(l)) return l.step();
  llvm::IRBuilder<>& ir = l.ir();
  llvm::Value* count = l.get_bits(1);
  // None, or more than an object counts.
  llvm::Value* bad = ir.CreateICmpUGE(ir.CreateSub(count, l.imm(1)), l.imm(most));
  take_unless(l, bad, [&] {
    llvm::Value* many = ir.CreateZExt(count, l.integer(64));
    llvm::Value* word =
        ir.CreateOr(ir.CreateOr(many, ir.CreateShl(many, expected_at)), ir.getInt64(no_bytes << bytes_at));
    say(l.op(Op::store, ir.getVoidTy(),
             {l.address(0), l.imm(static_cast<uint32_t>(l.operand(0).space)), l.imm(access_strong), word}),
        mbarrier_begins);
  });
}
void lower_mbarrier_test_wait(Lowering& l) { wait_for_state(l); }
void lower_mbarrier_test_wait_parity(Lowering& l) { wait_for_parity(l); }
// May suspend the thread for a while; answering at once is the shortest such while.
void lower_mbarrier_try_wait(Lowering& l) { wait_for_state(l); }
void lower_mbarrier_try_wait_parity(Lowering& l) { wait_for_parity(l); }

void lower_mbarrier_arrive(Lowering& l) {
  arrive(l, 1, l.present(2) ? l.get_bits(2) : l.imm(1), drops_out(l), l.imm(0), nullptr);
}
void lower_mbarrier_arrive_expect_tx(Lowering& l) {
  llvm::Value* bytes = l.get_bits(2);
  arrive(l, 1, l.imm(1), drops_out(l), bytes, more_than_counts(l, bytes));
}
void lower_mbarrier_complete_tx(Lowering& l) {
  llvm::Value* bytes = l.get_bits(1);
  arrive(l, 0, l.imm(0), false, l.ir().CreateNeg(bytes), more_than_counts(l, bytes));
}
void lower_mbarrier_pending_count(Lowering& l) {
  l.set(0, l.ir().CreateAnd(part_of(l, l.get_bits(1), 0, 32), l.imm(mbarrier_word::most)));
}

// The arrival that the copies of this thread owe, which have happened. Without .noinc the object first
// expects one arrival more: that looks at the address alone.
void lower_cp_async_mbarrier_arrive(Lowering& l) {
  if (l.has(isa::Slot::noinc)) return arrive(l, 0, l.imm(1), false, l.imm(0), nullptr);
  if (is_told(l)) return l.step();
  l.op(Op::reduce, l.ir().getVoidTy(),
       {l.address(0), l.imm(static_cast<uint32_t>(l.operand(0).space)), l.imm(access_strong),
        l.imm(static_cast<uint32_t>(AtomicKind::add)), l.imm(0, 64)});
}

}  // namespace heddle::exec::jit
