// Barriers (PTX ISA 9.7.13.1, .2, .4) and what else orders threads: fences, activemask, griddepcontrol.
#include <atomic>
#include <bit>

#include "exec/interp/block.h"
#include "exec/interp/cluster.h"
#include "exec/interp/step.h"
#include "exec/told_access.h"

namespace heddle::exec::interp {

namespace {

// The lanes may name different barriers; each set of them arrives at its own.
void arrive(Step& s, int barrier, int count, bool waits, Mask predicate = 0, FinishBarrier finish = nullptr) {
  s.tells(waits ? observe::SyncKind::barrier : observe::SyncKind::barrier_arrive, barrier, count);
  for (Mask left = s.lanes(); left != 0 && !s.faulted();) {
    BarrierArrival arrival{.waits = waits, .predicate = predicate, .finish = finish};
    Mask same = 0;
    for (Mask rest = left; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const auto id = s.get<uint32_t>(barrier, lane);
      const uint32_t threads = s.present(count) ? s.get<uint32_t>(count, lane) : 0;
      if (same == 0) arrival.barrier = id, arrival.count = threads;
      if (id == arrival.barrier && threads == arrival.count) same |= Mask{1} << lane;
    }
    left &= ~same;
    if (s.present(count) && arrival.count == 0)
      return s.fault(FaultKind::illegal_barrier, std::countr_zero(same), "a count of 0 threads");
    s.block().arrive(s, same, arrival);
  }
}

Mask predicates(const Step& s, int operand) {
  Mask mask = 0;
  s.each([&](int lane) { mask |= static_cast<Mask>(s.get_predicate(operand, lane)) << lane; });
  return mask;
}

// One host thread runs a launch, in program order; a fence orders it against the host and other launches. The
// strongest one serves all.
void fence(Step& s) {
  s.tells(observe::SyncKind::fence, s.lanes(), static_cast<uint32_t>(scope_of(s.word(isa::Slot::scope))), 0);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void proxy_fence(Step& s) {
  s.tells(observe::SyncKind::proxy_fence);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace

void eval_bar_sync(Step& s) { arrive(s, 0, 1, true); }
void eval_bar_arrive(Step& s) { arrive(s, 0, 1, false); }

void eval_bar_red_popc(Step& s) {
  arrive(s, 1, 2, true, predicates(s, 3), [](Step& done, const Reduction& reduction) {
    done.each([&](int lane) { done.set(0, lane, reduction.popc); });
  });
}

void eval_bar_red(Step& s) {
  arrive(s, 1, 2, true, predicates(s, 3), [](Step& done, const Reduction& reduction) {
    const bool result = done.word(isa::Slot::op) == isa::Word::and_ ? reduction.and_ : reduction.or_;
    done.each([&](int lane) { done.set_predicate(0, lane, result); });
  });
}

void eval_bar_warp_sync(Step& s) {
  if (s.collect(0)) s.tells(observe::SyncKind::warp_barrier, 0);
}

void eval_barrier_cluster_arrive(Step& s) {
  s.tells(observe::SyncKind::cluster_arrive);
  s.block().cluster().arrive(s);
}
void eval_barrier_cluster_wait(Step& s) {
  s.tells(observe::SyncKind::cluster_wait);
  s.block().cluster().wait(s);
}

void eval_membar(Step& s) { fence(s); }
void eval_fence(Step& s) { fence(s); }
void eval_fence_sync_restrict(Step& s) { fence(s); }
void eval_fence_mbarrier_init(Step& s) { fence(s); }
void eval_fence_proxy(Step& s) { proxy_fence(s); }
void eval_fence_proxy_async_generic(Step& s) { proxy_fence(s); }
// One memory: the generic proxy and the tensor map's see the same.
void eval_fence_proxy_tensormap_release(Step& s) { proxy_fence(s); }
void eval_fence_proxy_tensormap_acquire(Step& s) { proxy_fence(s); }

void eval_activemask(Step& s) {
  s.each([&](int lane) { s.set(0, lane, s.lanes()); });
}

// Grids of one stream run one after another: what a grid waits for has ended (PTX ISA 9.7.13.12).
void eval_griddepcontrol(Step&) {}

}  // namespace heddle::exec::interp
