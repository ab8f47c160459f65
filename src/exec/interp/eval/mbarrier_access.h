// Changes of mbarrier objects by instructions: arrivals, and the completion of asynchronous copies.
#pragma once

#include "exec/interp/eval/atomic.h"
#include "exec/interp/eval/mbarrier.h"
#include "exec/interp/step.h"

namespace heddle::exec::interp {

template <class F>
void change_at(std::byte* at, F&& change) {
  atomic_change(at, 8, [&](uint64_t word) {
    Mbarrier b = Mbarrier::of(word);
    change(b);
    return b.word();
  });
}

// change(Mbarrier&) on the object that an address operand names; false after a fault.
template <class F>
bool change_mbarrier(Step& s, const module::Operand& address, int lane, F&& change) {
  s.changes();
  const Step::Place place = s.place(address, lane, 8, true);
  if (place.host == nullptr) return false;
  change_at(place.host, change);
  return true;
}

}  // namespace heddle::exec::interp
