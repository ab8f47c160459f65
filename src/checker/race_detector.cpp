// What is kept between launches, and what was found.
#include "checker/race_detector.h"

#include <algorithm>
#include <utility>

namespace heddle::checker {

std::unique_ptr<LaunchRaces> RaceDetector::launch(const exec::Launch& launch, std::vector<uint32_t> unordered,
                                                  Ancestors ancestors) {
  const Locked locked(*this);
  std::erase_if(unordered, [&](uint32_t number) { return number == 0 || number >= launches_.size(); });
  drop_segments();
  const auto number = static_cast<uint32_t>(launches_.size());
  for (const auto& [ancestor, known] : ancestors) {
    unordered.push_back(ancestor);
    if (launches_[ancestor].running != nullptr) launches_[ancestor].running->children_.insert(number);
  }
  // Whichever of two comes to a place second must know.
  for (const uint32_t other : unordered)
    if (launches_[other].running != nullptr) launches_[other].running->unordered_.push_back(number);
  launches_.push_back({.grid_id = launch.grid_id,
                       .grid = launch.shape.grid,
                       .block = launch.shape.block,
                       .first_segment = first_segment_ + static_cast<uint32_t>(segments_.size())});
  ++running_;
  auto races =
      std::make_unique<LaunchRaces>(*this, launch, number, std::move(unordered), std::move(ancestors));
  launches_.back().running = races.get();
  return races;
}

// What nobody can meet any more is let go, and what is too much.
void RaceDetector::drop_segments() {
  constexpr std::size_t most = 1 << 22;
  if (segments_.size() > most)
    for (LaunchInfo& launch : launches_) launch.retired |= launch.ended;
  while (first_needed_ < launches_.size() && launches_[first_needed_].retired) ++first_needed_;
  const uint32_t end = first_segment_ + static_cast<uint32_t>(segments_.size());
  const uint32_t first = first_needed_ < launches_.size() ? launches_[first_needed_].first_segment : end;
  segments_.erase(segments_.begin(), segments_.begin() + (first - first_segment_));
  first_segment_ = first;
  if (!segments_.empty() || running_ != 0) return;
  sections_.assign(1, Section{});
  if (first_segment_ <= UINT32_MAX / 2) return;
  shadow_.clear();
  first_segment_ = 1;
}

void RaceDetector::retire(std::span<const uint32_t> launches, std::span<const uint32_t> copies) {
  const Locked locked(*this);
  for (const uint32_t number : launches) launches_[number].retired = launches_[number].ended;
  for (const uint32_t number : copies) copies_.erase(number);
}

void RaceDetector::let_go() {
  if (!is_mine() || holder_ == nullptr) return;
  std::exchange(holder_, nullptr)->holds_lock_ = false;
  unlock();
}

void RaceDetector::forget(uint64_t address, uint64_t bytes) {
  const Locked locked(*this);
  shadow_.forget(address, bytes);
  std::erase_if(copies_, [&](const auto& entry) {
    const CopyRegion& to = entry.second.to;
    return to.begin() >= address && to.begin() - address < bytes;
  });
}

// One pair of instructions is one race, whichever comes first.
RaceDetector::Found& RaceDetector::report(const Race& told, bool if_not_polled) {
  if (each_ && !if_not_polled) each_(told, places_);
  const auto side = [](const RaceSide& s) { return static_cast<uint8_t>(s.writes | s.reads << 1); };
  const Key key{told.first.place, told.second.place, told.first.call, told.second.call,
                static_cast<uint8_t>(side(told.first) | side(told.second) << 2 |
                                     static_cast<uint8_t>(told.space) << 4)};
  const Key other{told.second.place, told.first.place, told.second.call, told.first.call,
                  static_cast<uint8_t>(side(told.second) | side(told.first) << 2 |
                                       static_cast<uint8_t>(told.space) << 4)};
  ++reports_;
  // Races come in thousands of one kind.
  Recent& recent = recent_[(told.first.place * 31 + told.second.place) % recent_.size()];
  bool fresh = false;
  if (recent.found == nullptr || recent.key != key || recent.if_not_polled != if_not_polled) {
    auto& all = if_not_polled ? unless_polled_ : found_;
    recent = {key, if_not_polled, nullptr};
    const auto [found, added] = all.try_emplace(all.contains(other) ? other : key);
    recent.found = &found->second;
    fresh = added;
  }
  Found& known = *recent.found;
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
  return known;
}

std::vector<Race> RaceDetector::races() const {
  const Locked locked(*this);
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
  if (!launch.holds_lock_) launch.take_lock();
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
  launches_[launch.number_].running = nullptr;
  --running_;
  holder_ = nullptr;
  launch.holds_lock_ = false;
  unlock();
}

}  // namespace heddle::checker
