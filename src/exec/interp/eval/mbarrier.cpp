// Barrier objects in shared memory (PTX ISA 9.7.13.15).
#include "exec/interp/eval/mbarrier.h"

#include <string>

#include "exec/interp/eval/atomic.h"
#include "exec/interp/eval/mbarrier_access.h"
#include "exec/interp/step.h"

namespace heddle::exec::interp {
namespace {

using isa::Slot;
using isa::Word;

// Operands of an arrival: state, [mbar], and perhaps a count.
uint32_t count_of(Step& s, int i, int lane) { return s.present(i) ? s.get<uint32_t>(i, lane) : 1; }

bool good_count(Step& s, int lane, uint32_t count, uint32_t least) {
  if (count >= least && count <= Mbarrier::most) return true;
  s.fault(FaultKind::illegal_instruction, lane,
          "count " + std::to_string(count) + " of an mbarrier, allowed are " + std::to_string(least) +
              " to " + std::to_string(Mbarrier::most));
  return false;
}

// The state that an arrival gives is the object as it was before: its phase and what it still waited for.
// `transactions`: bytes that the phase expects besides. An arrival that nobody counted on is undefined by the
// ISA, on a device mostly an endless wait; here a fault says so.
void arrive(Step& s, int lane, uint32_t count, uint32_t transactions) {
  const bool dropped = s.word(Slot::action) == Word::arrive_drop;
  Mbarrier before;
  bool good = true;
  if (!change_mbarrier(s, s.operand(1), lane, [&](Mbarrier& b) {
        before = b;
        good = b.takes(count, dropped) && !(s.has(Slot::noComplete) && count == b.pending && b.tx == 0);
        if (!good) return;
        b.expect(transactions);
        if (dropped)
          b.drop(count);
        else
          b.arrive(count);
      }))
    return;
  if (!good) {
    s.fault(FaultKind::illegal_instruction, lane,
            "an arrival of " + std::to_string(count) + " at an mbarrier that waits for " +
                std::to_string(before.pending) + " of " + std::to_string(before.expected) +
                (s.has(Slot::noComplete) ? ", and the phase must not end here" : ""));
    return;
  }
  if (s.present(0)) s.set<uint64_t>(0, lane, before.word());
}

template <class Count>
void each_arrival(Step& s, Count&& count, bool transactions = false) {
  fence_before(s);
  s.each([&](int lane) {
    if (s.faulted()) return;
    const uint32_t bytes = transactions ? s.get<uint32_t>(2, lane) : 0;
    if (good_count(s, lane, bytes, 0)) arrive(s, lane, count(lane), bytes);
  });
}

// Whether the phase of that parity is over: the object is already in the other one.
template <class F>
void test(Step& s, F&& parity) {
  s.polls();
  s.each([&](int lane) {
    if (s.faulted()) return;
    const Step::Place place = s.place(s.operand(1), lane, 8, false);
    if (place.host == nullptr) return;
    const uint64_t word = __atomic_load_n(reinterpret_cast<const uint64_t*>(place.host), __ATOMIC_RELAXED);
    s.set_predicate(0, lane, Mbarrier::of(word).odd != parity(lane));
  });
  fence_after(s);
}

void test_state(Step& s) {
  test(s, [&](int lane) { return Mbarrier::of(s.get<uint64_t>(2, lane)).odd; });
}
void test_parity(Step& s) {
  test(s, [&](int lane) { return (s.get<uint32_t>(2, lane) & 1) != 0; });
}

}  // namespace

void eval_mbarrier_init(Step& s) {
  s.each([&](int lane) {
    const uint32_t count = s.get<uint32_t>(1, lane);
    if (s.faulted() || !good_count(s, lane, count, 1)) return;
    const Step::Place place = s.place(s.operand(0), lane, 8, true);
    if (place.host == nullptr) return;
    Mbarrier b;
    b.pending = b.expected = count;
    __atomic_store_n(reinterpret_cast<uint64_t*>(place.host), b.word(), __ATOMIC_RELAXED);
  });
}

// The memory may be used for anything afterwards; its content is undefined.
void eval_mbarrier_inval(Step& s) {
  s.each([&](int lane) { s.place(s.operand(0), lane, 8, true); });
}

void eval_mbarrier_expect_tx(Step& s) {
  s.each([&](int lane) {
    const uint32_t bytes = s.get<uint32_t>(1, lane);
    if (s.faulted() || !good_count(s, lane, bytes, 0)) return;
    change_mbarrier(s, s.operand(0), lane, [&](Mbarrier& b) { b.expect(bytes); });
  });
}

void eval_mbarrier_complete_tx(Step& s) {
  s.each([&](int lane) {
    const uint32_t bytes = s.get<uint32_t>(1, lane);
    if (s.faulted() || !good_count(s, lane, bytes, 0)) return;
    change_mbarrier(s, s.operand(0), lane, [&](Mbarrier& b) { b.complete(bytes); });
  });
}

void eval_mbarrier_arrive(Step& s) {
  each_arrival(s, [&](int lane) { return count_of(s, 2, lane); });
}
void eval_mbarrier_arrive_no_complete(Step& s) {
  each_arrival(s, [&](int lane) { return count_of(s, 2, lane); });
}
void eval_mbarrier_arrive_expect_tx(Step& s) {
  each_arrival(s, [](int) { return 1u; }, true);
}

void eval_mbarrier_test_wait(Step& s) { test_state(s); }
void eval_mbarrier_test_wait_parity(Step& s) { test_parity(s); }
// May suspend the thread for a while; answering at once is the shortest such while.
void eval_mbarrier_try_wait(Step& s) { test_state(s); }
void eval_mbarrier_try_wait_parity(Step& s) { test_parity(s); }

void eval_mbarrier_pending_count(Step& s) {
  s.each([&](int lane) { s.set<uint32_t>(0, lane, Mbarrier::of(s.get<uint64_t>(1, lane)).pending); });
}

}  // namespace heddle::exec::interp
