// Barriers of the block, fences (PTX ISA 9.7.13.1, .3, .4, .13).
#include "exec/jit/thread/function_lowering.h"
#include "exec/jit/thread/lowering.h"
#include "exec/jit/thread/values.h"

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

// Whether the whole block comes: no count is given, or that of all threads. Warps that wait for some others
// need threads that go their own ways.
bool is_whole(Lowering& l, int count) {
  if (!l.present(count)) return true;
  const module::Operand& o = l.operand(count);
  if (o.kind == module::OperandKind::immediate && o.value == required_threads(l)) return true;
  l.need_independent_threads();
  l.need_reference("a barrier of some threads of the block");
  return false;
}

uint32_t level_of(Word scope) {
  switch (scope) {
    case Word::cta: return 0;
    case Word::sys:
    case Word::none: return 2;
    default: return 1;
  }
}

void fence(Lowering& l) { l.op(Op::fence, l.ir().getVoidTy(), {l.imm(level_of(l.word(Slot::scope)))}); }

void cluster_barrier(Lowering& l) {
  l.need_independent_threads();
  l.need_reference("a barrier of a cluster");
}

}  // namespace

void lower_bar_sync(Lowering& l) {
  if (is_whole(l, 1)) l.op(Op::barrier, l.ir().getVoidTy(), {l.get_bits(0)});
}

void lower_bar_arrive(Lowering& l) { is_whole(l, 1) ? l.need_reference("bar.arrive") : void(); }

void lower_bar_red_popc(Lowering& l) {
  if (!is_whole(l, 2)) return;
  l.set(0, l.op(Op::barrier_reduce, l.integer(32), {l.get_bits(1), l.imm(0), l.get_predicate(3)}));
}

void lower_bar_red(Lowering& l) {
  if (!is_whole(l, 2)) return;
  const uint32_t kind = l.word(Slot::op) == Word::and_ ? 1 : 2;
  l.set(0, l.op(Op::barrier_reduce, l.integer(1), {l.get_bits(1), l.imm(kind), l.get_predicate(3)}));
}

void lower_bar_warp_sync(Lowering& l) {
  // Before independent scheduling the lanes of a warp are together anyway.
  if (l.meaning().independent) l.op(Op::warp_barrier, l.ir().getVoidTy(), {l.get_bits(0)});
}

void lower_barrier_cluster_arrive(Lowering& l) { cluster_barrier(l); }
void lower_barrier_cluster_wait(Lowering& l) { cluster_barrier(l); }

void lower_membar(Lowering& l) { fence(l); }
void lower_fence(Lowering& l) { fence(l); }
void lower_fence_sync_restrict(Lowering& l) { fence(l); }
void lower_fence_mbarrier_init(Lowering& l) { fence(l); }
void lower_fence_proxy(Lowering& l) { fence(l); }
void lower_fence_proxy_async_generic(Lowering& l) { fence(l); }

// Grids of one stream run one after another: what a grid waits for has ended.
void lower_griddepcontrol(Lowering&) {}

}  // namespace heddle::exec::jit
