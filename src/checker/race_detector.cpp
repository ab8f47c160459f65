// What is kept between launches, and what was found.
#include "checker/race_detector.h"

#include <algorithm>

namespace heddle::checker {

std::unique_ptr<LaunchRaces> RaceDetector::launch(const exec::Launch& launch,
                                                  std::vector<uint32_t> unordered) {
  const std::lock_guard lock(mutex_);
  std::erase_if(unordered, [&](uint32_t number) { return number == 0 || number >= launches_.size(); });
  // What nobody can meet any more is let go.
  if (running_ == 0 && unordered.empty()) {
    first_segment_ += static_cast<uint32_t>(segments_.size());
    segments_.clear();
    if (first_segment_ > UINT32_MAX / 2) {
      shadow_.clear();
      first_segment_ = 1;
    }
    sections_.assign(1, Section{});
  }
  const auto number = static_cast<uint32_t>(launches_.size());
  launches_.push_back({launch.grid_id, launch.shape.grid, launch.shape.block, false});
  ++running_;
  return std::make_unique<LaunchRaces>(*this, launch, number, std::move(unordered));
}

void RaceDetector::forget(uint64_t address, uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  shadow_.forget(address, bytes);
}

// One pair of instructions is one race, whichever comes first.
void RaceDetector::report(const Race& told, bool if_not_polled) {
  if (each_ && !if_not_polled) each_(told, places_);
  const auto side = [](const RaceSide& s) { return static_cast<uint8_t>(s.writes | s.reads << 1); };
  Key key{told.first.place, told.second.place,
          static_cast<uint8_t>(side(told.first) | side(told.second) << 2 |
                               static_cast<uint8_t>(told.space) << 4)};
  const Key other{told.second.place, told.first.place,
                  static_cast<uint8_t>(side(told.second) | side(told.first) << 2 |
                                       static_cast<uint8_t>(told.space) << 4)};
  auto& all = if_not_polled ? unless_polled_ : found_;
  if (all.contains(other)) key = other;
  const auto [found, fresh] = all.try_emplace(key);
  Found& known = found->second;
  if (fresh) {
    known.race = told;
  } else {
    Race& kept = known.race;
    kept.hazards += told.hazards;
    kept.same_warp &= told.same_warp;
    kept.severity = std::max(kept.severity, told.severity);
    if (told.missing > kept.missing) {  // the example that says more
      const uint64_t hazards = kept.hazards;
      const bool same_warp = kept.same_warp;
      const Severity severity = kept.severity;
      kept = told;
      kept.hazards = hazards, kept.same_warp = same_warp, kept.severity = severity;
    }
  }
  constexpr std::size_t most_places = 4096;
  if (if_not_polled && known.hazards_at.size() < most_places) known.hazards_at[told.address] += told.hazards;
}

std::vector<Race> RaceDetector::races() const {
  const std::lock_guard lock(mutex_);
  std::vector<Race> all;
  for (const auto& [key, found] : found_) all.push_back(found.race);
  for (const auto& [key, found] : unless_polled_) {
    Race race = found.race;
    bool any = false;
    for (const auto& [address, hazards] : found.hazards_at) {
      if (race.space == observe::Space::global && polled_.contains(address)) {
        race.hazards -= hazards;
        continue;
      }
      if (!any) race.address = address;
      any = true;
    }
    if (any) all.push_back(race);
  }
  std::ranges::sort(all, {}, [](const Race& r) { return std::pair(r.first.place, r.second.place); });
  return all;
}

// Sections that met under one lock: whatever their order, each must have had its fences.
void RaceDetector::ended(LaunchRaces& launch) {
  const std::lock_guard lock(mutex_);
  for (const UnderLock& pair : launch.under_lock_) {
    const Section &first = sections_[pair.first_section], &second = sections_[pair.second_section];
    const uint8_t needed =
        pair.race.first.block == pair.race.second.block ? LaunchRaces::of_block : LaunchRaces::of_device;
    const bool taken = first.acquired >= needed && second.acquired >= needed;
    const bool given = (first.open || first.released >= needed) && (second.open || second.released >= needed);
    if (taken && given) continue;
    Race race = pair.race;
    race.missing = taken ? Missing::lock_release : Missing::lock_acquire;
    report(race, false);
  }
  launches_[launch.number_].ended = true;
  --running_;
}

}  // namespace heddle::checker
