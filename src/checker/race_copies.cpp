// Copies and fills that nothing orders with kernels, or with one another.
#include <algorithm>
#include <bit>

#include "checker/race_detector.h"

namespace heddle::checker {

namespace {

Race race_between(const RaceSide& first, const RaceSide& second, uint64_t address, uint64_t hazards) {
  Race race;
  race.first = first, race.second = second;
  race.missing = Missing::launch_order;
  race.severity = Severity::error;
  race.space = observe::Space::global;
  race.address = address;
  race.hazards = hazards;
  race.same_warp = false;
  return race;
}

RaceSide side_of_call(uint32_t call, bool writes) {
  return {.call = call, .writes = writes, .reads = !writes};
}

}  // namespace

RaceSide RaceDetector::side_of(const Segment& segment, Mark mark, bool writes) const {
  const LaunchInfo& launch = launches_[segment.launch];
  const exec::Dim3& grid = launch.grid;
  const bool both = writes && places_[mark.place()].atomic;
  return {.place = mark.place(),
          .writes = writes,
          .reads = !writes || both,
          .block = {static_cast<uint32_t>(segment.block % grid.x),
                    static_cast<uint32_t>(segment.block / grid.x % grid.y),
                    static_cast<uint32_t>(segment.block / grid.x / grid.y)},
          .thread = mark.thread(),
          .shape = launch.block,
          .launch = launch.grid_id};
}

uint32_t RaceDetector::copied(const Copy& copy, std::span<const uint32_t> launches,
                              std::span<const uint32_t> copies) {
  const Locked locked(*this);
  const auto [known, fresh] = call_numbers_.try_emplace(copy.call, static_cast<uint32_t>(calls_.size()));
  if (fresh) calls_.push_back(copy.call);
  const KnownCopy made{known->second, copy.from, copy.to};
  if (!launches.empty()) {
    look_at_marks(made.call, copy.to, true, launches);
    if (copy.from) look_at_marks(made.call, *copy.from, false, launches);
    for (const uint32_t number : launches)
      if (LaunchRaces* running = launches_[number].running) running->copies_.push_back(made);
  }
  for (const uint32_t number : copies)
    if (const auto other = copies_.find(number); other != copies_.end()) meet(other->second, made);
  copies_.emplace(next_copy_, made);
  return next_copy_++;
}

// What kernels have done there.
void RaceDetector::look_at_marks(uint32_t call, const CopyRegion& region, bool writes,
                                 std::span<const uint32_t> launches) {
  const RaceSide own = side_of_call(call, writes);
  const auto look = [&](Mark mark, bool mark_writes, uint64_t address, uint32_t bytes) {
    if (!mark || !(writes || mark_writes)) return;
    const Segment* found = segment(mark.segment());
    if (found == nullptr || std::ranges::find(launches, found->launch) == launches.end()) return;
    report(race_between(side_of(*found, mark, mark_writes), own, address, bytes), false);
  };
  region.each_row([&](uint64_t address, uint64_t bytes) {
    shadow_.each_page(address, bytes, [&](uint64_t begin, RacePage& page) {
      const uint64_t from = std::max(address, begin),
                     end = std::min(address + bytes, begin + RacePage::bytes);
      page.expand(static_cast<uint32_t>(from - begin), static_cast<uint32_t>(end - from));
      const uint32_t last = page.cell_of(static_cast<uint32_t>(end - 1 - begin));
      for (uint32_t cell = page.cell_of(static_cast<uint32_t>(from - begin)); cell <= last; ++cell) {
        const uint64_t at = begin + uint64_t{cell} * page.cell_bytes();
        for (unsigned which = 0; which < 2; ++which) {
          if (page.has_writers(which)) look(page.writers(which)[cell], true, at, page.cell_bytes());
          if (page.has_readers(which)) look(page.readers(which)[cell], false, at, page.cell_bytes());
        }
      }
    });
  });
}

void RaceDetector::meet(const KnownCopy& first, const KnownCopy& second) {
  const auto look = [&](const CopyRegion& a, bool a_writes, const CopyRegion& b, bool b_writes) {
    if (const uint64_t address = a.meets(b); address != 0)
      report(
          race_between(side_of_call(first.call, a_writes), side_of_call(second.call, b_writes), address, 1),
          false);
  };
  look(first.to, true, second.to, true);
  if (second.from) look(first.to, true, *second.from, false);
  if (first.from) look(*first.from, false, second.to, true);
}

void LaunchRaces::meets(std::span<const uint32_t> copies) {
  const RaceDetector::Locked locked(detector_);
  for (const uint32_t number : copies)
    if (const auto copy = detector_.copies_.find(number); copy != detector_.copies_.end())
      copies_.push_back(copy->second);
}

void LaunchRaces::look_at_copies(const Now& now, const observe::Access& access) {
  for (const RaceDetector::KnownCopy& copy : copies_)
    for (observe::Mask rest = access.lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      const uint64_t address = access.addresses[lane];
      const auto look = [&](const CopyRegion& region, bool writes) {
        if (!(writes || now.writes) || !region.touches(address, access.bytes)) return;
        detector_.report(race_between(side_of_call(copy.call, writes),
                                      side_of(now, now.warp_index * 32 + lane), address, access.bytes),
                         false);
      };
      look(copy.to, true);
      if (copy.from) look(*copy.from, false);
    }
}

}  // namespace heddle::checker
