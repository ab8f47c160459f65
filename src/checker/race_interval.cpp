#include "checker/race_interval.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "checker/race_detector.h"
#include "exec/memory_map.h"

namespace heddle::checker {

bool SharedInterval::add(PlaceId place, const observe::Access& access, uint32_t thread, uint32_t step) {
  constexpr uint32_t own = (1U << exec::shared_rank_shift) - 1, most_bytes = 1 << 20;
  if (told_.size() >= most) return false;
  Told& told = told_.emplace_back(Told{place, access.warp, access.bytes, access.lanes, access.kind, {}});
  uint32_t highest = 0;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const auto offset = static_cast<uint32_t>(access.addresses[lane]) & own;
    told.offsets[lane] = offset;
    highest = std::max(highest, (access.lanes >> lane & 1) != 0 ? offset : 0);
  }
  if (met_) return true;
  if (highest >= most_bytes) {  // a fault
    told_.pop_back();
    return false;
  }
  const std::size_t words = (std::size_t{highest} + access.bytes + 3) / 4;
  if (owners_.size() < words) owners_.resize(words + words / 2);
  static const rows::Level& level = rows::of_host();
  met_ = !level.touch({.owners = owners_.data(),
                       .offsets = told.offsets.data(),
                       .lanes = access.lanes,
                       .words = std::max(access.bytes / 4, 1U),
                       .now = now_ << rows::owner_now_shift,
                       .thread = thread,
                       .step = step,
                       .reads = access.kind != observe::AccessKind::store,
                       .writes = access.kind != observe::AccessKind::load});
  return true;
}

void SharedInterval::clear() {
  told_.clear();
  met_ = false;
  if (++now_ < 1U << (32 - rows::owner_now_shift)) return;
  now_ = 1;
  std::ranges::fill(owners_, 0U);
}

// ---- of a launch

// Nothing orders threads by it: an atomic operation that finds no flag and raises none.
bool LaunchRaces::orders_nothing(const Block& b, const PlaceFacts& facts, observe::Space space) const {
  if (!facts.strong) return true;
  if (!facts.atomic || facts.releases || facts.polls) return false;
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
  if (intervals_.empty()) intervals_.push_back(std::make_unique<SharedInterval>());
  b.interval = std::move(intervals_.back());
  intervals_.pop_back();
}

}  // namespace heddle::checker
