#include "checker/race_interval.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "checker/race_detector.h"
#include "exec/memory_map.h"

namespace heddle::checker {

bool SharedInterval::add(PlaceId place, const observe::Access& access, uint32_t thread, uint32_t step) {
  constexpr uint32_t own = (1U << exec::shared_rank_shift) - 1;
  if (count_ == told_.size()) {
    if (count_ >= most) return false;
    told_.resize(std::max<std::size_t>(2 * count_, 64));
  }
  Told& told = told_[count_];
  told.place = place, told.warp = access.warp, told.bytes = access.bytes;
  told.lanes = access.lanes, told.kind = access.kind;
  const rows::Touched touched = rows_.touch({.owners = owners_.data(),
                                             .size = bytes_,
                                             .own = own,
                                             .addresses = access.addresses,
                                             .offsets = told.offsets.data(),
                                             .lanes = access.lanes,
                                             .bytes = access.bytes,
                                             .now = now_ << rows::owner_now_shift,
                                             .thread = thread,
                                             .step = step,
                                             .reads = access.kind != observe::AccessKind::store,
                                             .writes = access.kind != observe::AccessKind::load});
  if (touched == rows::Touched::outside) return false;
  met_ |= touched == rows::Touched::met;
  ++count_;
  return true;
}

void SharedInterval::clear() {
  count_ = 0;
  met_ = false;
  if (++now_ < 1U << (32 - rows::owner_now_shift)) return;
  now_ = 1;
  std::ranges::fill(owners_, 0U);
}

// ---- of a launch

// Nothing orders threads by it: it finds no flag and raises none.
bool LaunchRaces::orders_nothing(const Block& b, const PlaceFacts& facts, observe::Space space) const {
  if (!facts.strong) return true;
  if (facts.releases || facts.polls) return false;
  const SyncPlaces& places = space == observe::Space::global || clusters_ ? sync_ : b.shared_sync;
  return places.empty() && b.threads.empty();
}

bool LaunchRaces::defer(Block& b, const Warp& w, const observe::Access& access, PlaceId place,
                        const PlaceFacts& facts) {
  if (b.interval == nullptr) return false;
  const bool plain = !facts.asynchronous && !facts.ends_copies && w.special == 0 && b.copying == 0 &&
                     (access.kind != observe::AccessKind::change || facts.atomic) &&
                     orders_nothing(b, facts, access.space);
  if (plain && std::has_single_bit(access.bytes) && access.bytes <= 16 &&
      b.interval->add(place, access, independent_ ? access.warp * 32 : access.warp, independent_ ? 1 : 0))
    return true;
  look_at_interval(b);
  return false;
}

// What was kept is looked at now, by what is known now, and what follows as it comes.
void LaunchRaces::look_at_interval(Block& b) {
  if (b.interval == nullptr) return;
  std::unique_ptr<SharedInterval> interval = std::move(b.interval);
  std::array<uint64_t, 32> addresses{};
  for (const SharedInterval::Told& told : interval->told()) {
    std::ranges::copy(told.offsets, addresses.begin());
    const PlaceFacts& facts = detector_.places_[told.place];
    look_at(b, b.warps[told.warp],
            {.place = facts.place,
             .block = b.index,
             .warp = told.warp,
             .lanes = told.lanes,
             .bytes = told.bytes,
             .space = observe::Space::shared,
             .kind = told.kind,
             .addresses = addresses.data()},
            told.place, facts);
  }
  looked_at_ += interval->told().size();
  interval->clear();
  intervals_.push_back(std::move(interval));
}

// At a barrier of the whole block, and at its end.
void LaunchRaces::end_interval(Block& b) {
  if (b.interval == nullptr) return;
  if (b.interval->met()) return look_at_interval(b);
  passed_over_ += b.interval->told().size();
  b.interval->clear();
}

// Everything before is ordered.
void LaunchRaces::begin_interval(Block& b) {
  // Where it does not pay, all is looked at as it comes.
  constexpr uint64_t enough = 4 * SharedInterval::most;
  if (b.interval != nullptr || clusters_ || b.copying != 0 || !detector_.keeps_intervals_ ||
      (looked_at_ > enough && looked_at_ > passed_over_))
    return;
  if (intervals_.empty()) intervals_.push_back(std::make_unique<SharedInterval>(shared_bytes_));
  b.interval = std::move(intervals_.back());
  intervals_.pop_back();
}

}  // namespace heddle::checker
