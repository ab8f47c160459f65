#include "exec/jit/launch/handout.h"

namespace heddle::exec::jit {

void Handout::share(unsigned parts, unsigned together) {
  const uint64_t begun = this->begun();
  auto made = std::make_unique<Part[]>(parts);
  const auto edge = [&](unsigned p) {
    return p == parts ? blocks_ : blocks_ * p / parts / together * together;
  };
  for (unsigned p = 0; p < parts; ++p) {
    const uint64_t first = edge(p), end = edge(p + 1);
    made[p].rest.store(packed(std::clamp(begun, first, end), end), std::memory_order_relaxed);
  }
  count_ = parts;
  parts_ = std::move(made);
}

// With blocks in it: the thread's own, or else one that nobody has begun. Should a kernel wait for blocks
// before, though nobody said so, then somebody runs these all the same: the first thread takes the parts in
// order, and nothing of another's before they are all begun.
Handout::Part* Handout::own_part(Place& place) {
  const auto has_blocks = [](const Part& part) {
    return unpacked(part.rest.load(std::memory_order_relaxed)).count != 0;
  };
  const auto begin = [&](unsigned p) {
    place = {p, has_blocks(parts_[p]) && !parts_[p].begun.load(std::memory_order_relaxed) &&
                    !parts_[p].begun.exchange(true, std::memory_order_relaxed)};
    return place.mine;
  };
  if (place.part < count_) {
    if (place.mine ? has_blocks(parts_[place.part]) : begin(place.part)) return &parts_[place.part];
  }
  for (unsigned p = 0; p < count_; ++p)
    if (begin(p)) return &parts_[p];
  return nullptr;
}

Handout::Part* Handout::fullest() {
  Part* found = nullptr;
  uint64_t most = 0;
  for (unsigned p = 0; p < count_; ++p) {
    const uint64_t left = unpacked(parts_[p].rest.load(std::memory_order_relaxed)).count;
    if (left <= most) continue;
    most = left;
    found = &parts_[p];
  }
  return found;
}

}  // namespace heddle::exec::jit
