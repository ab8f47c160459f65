// Barriers of the block, fences (PTX ISA 9.7.13.1, .3, .4, .13).
#include "exec/jit/ir/values.h"
#include "exec/jit/lower/function_lowering.h"
#include "exec/jit/lower/lowering.h"
#include "exec/told_access.h"

namespace heddle::exec::jit {

namespace {

using isa::Slot;
using isa::Word;

uint64_t required_threads(const Lowering& l) {
  const module::Limits& limits = const_cast<Lowering&>(l).body().program().entry.limits;
  uint64_t product = 1;
  for (const uint32_t n : limits.required_threads) product *= n;
  return product;
}

// Whether the whole block comes for certain: no count is given, or that of all threads, which are whole
// warps. What comes of another count is known with the block (needs.h).
bool is_whole(Lowering& l, int count) {
  if (!l.present(count)) return true;
  const module::Operand& o = l.operand(count);
  return o.kind == module::OperandKind::immediate && o.value == required_threads(l) && o.value % 32 == 0;
}

// At barrier `id`, for `count` threads.
void tells(Lowering& l, observe::SyncKind kind, int id, int count) {
  l.tells(kind, l.get_bits(id), l.present(count) ? l.get_bits(count) : nullptr);
}

llvm::Value* some(Lowering& l, BarrierKind kind, llvm::Type* result, int id, int count,
                  llvm::Value* predicate) {
  return l.op(Op::barrier_some, result,
              {l.imm(static_cast<uint32_t>(kind)), l.get_bits(id), l.get_bits(count), predicate});
}

uint32_t level_of(Word scope) {
  switch (scope) {
    case Word::cta: return 0;
    case Word::sys:
    case Word::none: return 2;
    default: return 1;
  }
}

void device_fence(Lowering& l) {
  l.op(Op::fence, l.ir().getVoidTy(), {l.imm(level_of(l.word(Slot::scope)))});
}

void fence(Lowering& l) {
  l.tells(observe::SyncKind::fence, l.imm(static_cast<uint32_t>(scope_of(l.word(Slot::scope)))));
  device_fence(l);
}

void proxy_fence(Lowering& l) {
  l.tells(observe::SyncKind::proxy_fence);
  device_fence(l);
}

// Of all threads, of which nobody counts any.
void cluster_barrier(Lowering& l, BarrierKind kind) {
  if (l.meaning().observed != observe::nothing)
    l.need_reference("a barrier of a cluster that somebody watches");
  l.need_independent_warps();
  l.op(Op::barrier_some, l.ir().getVoidTy(),
       {l.imm(static_cast<uint32_t>(kind)), l.imm(0), l.imm(1), l.ir().getFalse()});
}

}  // namespace

void lower_bar_sync(Lowering& l) {
  tells(l, observe::SyncKind::barrier, 0, 1);
  if (is_whole(l, 1))
    l.op(Op::barrier, l.ir().getVoidTy(), {l.get_bits(0)});
  else
    some(l, BarrierKind::sync, l.ir().getVoidTy(), 0, 1, l.ir().getFalse());
}

void lower_bar_arrive(Lowering& l) {
  tells(l, observe::SyncKind::barrier_arrive, 0, 1);
  some(l, BarrierKind::arrive, l.ir().getVoidTy(), 0, 1, l.ir().getFalse());
}

void lower_bar_red_popc(Lowering& l) {
  tells(l, observe::SyncKind::barrier, 1, 2);
  llvm::Type* result = l.integer(32);
  l.set(0, is_whole(l, 2) ? l.op(Op::barrier_reduce, result, {l.get_bits(1), l.imm(0), l.get_predicate(3)})
                          : some(l, BarrierKind::popc, result, 1, 2, l.get_predicate(3)));
}

void lower_bar_red(Lowering& l) {
  tells(l, observe::SyncKind::barrier, 1, 2);
  const bool is_and = l.word(Slot::op) == Word::and_;
  llvm::Type* result = l.integer(1);
  l.set(0, is_whole(l, 2)
               ? l.op(Op::barrier_reduce, result, {l.get_bits(1), l.imm(is_and ? 1 : 2), l.get_predicate(3)})
               : some(l, is_and ? BarrierKind::and_ : BarrierKind::or_, result, 1, 2, l.get_predicate(3)));
}

void lower_bar_warp_sync(Lowering& l) {
  l.tells(observe::SyncKind::warp_barrier, l.get_bits(0));
  // Before independent scheduling the lanes of a warp are together anyway.
  if (l.meaning().independent) l.op(Op::warp_barrier, l.ir().getVoidTy(), {l.get_bits(0)});
}

void lower_barrier_cluster_arrive(Lowering& l) { cluster_barrier(l, BarrierKind::cluster_arrive); }
void lower_barrier_cluster_wait(Lowering& l) { cluster_barrier(l, BarrierKind::cluster_wait); }

void lower_membar(Lowering& l) { fence(l); }
void lower_fence(Lowering& l) { fence(l); }
void lower_fence_sync_restrict(Lowering& l) { fence(l); }
void lower_fence_mbarrier_init(Lowering& l) { fence(l); }
void lower_fence_proxy(Lowering& l) { proxy_fence(l); }
void lower_fence_proxy_async_generic(Lowering& l) { proxy_fence(l); }
void lower_fence_proxy_tensormap_release(Lowering& l) { proxy_fence(l); }
void lower_fence_proxy_tensormap_acquire(Lowering& l) { proxy_fence(l); }

// Grids of one stream run one after another: what a grid waits for has ended.
void lower_griddepcontrol(Lowering&) {}

}  // namespace heddle::exec::jit
