#include "exec/jit/fiber/barriers.h"

#include <bit>

namespace heddle::exec::jit {

void Barriers::reset(uint32_t threads) {
  warps_ = (threads + 31) / 32;
  absent_.fill(0);
  all_there_ = threads % 32 == 0;
  if (!all_there_) absent_[warps_ - 1] = ~0u << threads % 32;
  for (Barrier& b : barriers_) {
    b.arrived = 0;
    b.lanes.fill(0);
    b.waiting.clear();
  }
  pending_ = 0;
}

uint32_t Barriers::counted(const Barrier& b) const {
  uint32_t total = b.arrived;
  if (all_there_) return total;
  for (uint32_t w = 0; w < warps_; ++w) {
    if (b.all || b.lanes[w] != 0) total += static_cast<uint32_t>(std::popcount(absent_[w] & ~b.lanes[w]));
  }
  return total;
}

const char* Barriers::arrive(uint32_t thread, const Arrival& a) {
  const uint32_t lane = 1u << thread % 32;
  return arrive(thread / 32, lane, lane, a.predicate ? lane : 0, a);
}

const char* Barriers::arrive(uint32_t warp, uint32_t lanes, uint32_t active, uint32_t predicates,
                             const Arrival& a) {
  if (a.barrier >= count) return "there is no such barrier, the last one is 15";
  if (a.count % 32 != 0) return "a count of threads that is no multiple of the warp size";
  if (a.count > warps_ * 32) return "a count of threads that can never be reached";
  Barrier& b = barriers_[a.barrier];
  const uint32_t expected = a.count != 0 ? a.count : warps_ * 32;
  if (b.arrived == 0) {
    b.expected = expected;
    b.all = a.count == 0;
    b.popc = 0;
    b.and_ = true;
    b.or_ = false;
    pending_ |= 1u << a.barrier;
  } else if (b.expected != expected) {
    return "a barrier that others wait at with another count of threads";
  }
  b.arrived += static_cast<uint32_t>(std::popcount(lanes));
  b.lanes[warp] |= lanes;
  predicates &= active;
  b.popc += static_cast<uint32_t>(std::popcount(predicates));
  b.and_ &= predicates == active;
  b.or_ |= predicates != 0;
  if (a.waits) b.waiting.push_back(warp * 32 + static_cast<uint32_t>(std::countr_zero(lanes)));
  return counted(b) > b.expected ? "more threads arrived at a barrier than its count" : nullptr;
}

void Barriers::exit(uint32_t thread) {
  absent_[thread / 32] |= 1u << thread % 32;
  all_there_ = false;
}

bool Barriers::open(Opened& opened) {
  for (uint32_t rest = pending_; rest != 0; rest &= rest - 1) {
    Barrier& b = barriers_[static_cast<uint32_t>(std::countr_zero(rest))];
    if (counted(b) != b.expected) continue;
    pending_ &= ~(rest & -rest);
    opened_.swap(b.waiting);
    b.waiting.clear();
    b.arrived = 0;
    b.lanes.fill(0);
    opened = {b.popc, b.and_, b.or_, opened_};
    return true;
  }
  return false;
}

}  // namespace heddle::exec::jit
