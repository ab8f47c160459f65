// Shared memory between two barriers of a whole block. Most programs do nothing wrong there, and behind the
// barrier nobody needs to know who accessed what: so only the last one of each word is remembered, and what
// was told is kept. Where two threads meet, it is looked at exactly (race_launch.cpp), from the barrier on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "checker/place_facts.h"
#include "checker/rows/rows.h"
#include "observe/observer.h"

namespace heddle::checker {

class SharedInterval {
 public:
  struct Told {
    PlaceId place = 0;
    uint32_t warp = 0, bytes = 0;
    observe::Mask lanes = 0;
    observe::AccessKind kind{};
    std::array<uint32_t, 32> offsets{};
  };
  static constexpr std::size_t most = 4096;  // accesses that are kept

  explicit SharedInterval(uint32_t bytes) : bytes_(bytes), owners_(bytes / 4 + 1) {}
  // One that may stand among them: of the block's own memory, ordering nothing. `thread`: whom lane 0 counts
  // as, and the others by so much more. False: there are too many, or it is elsewhere.
  bool add(PlaceId place, const observe::Access& access, uint32_t thread, uint32_t step);
  bool met() const { return met_; }  // two threads, of which one writes
  std::span<const Told> told() const { return {told_.data(), count_}; }
  void clear();  // a barrier: what was there is ordered

 private:
  const rows::Level& rows_ = rows::of_host();
  const uint32_t bytes_;
  std::vector<uint32_t> owners_;  // of each word: rows.h
  uint32_t now_ = 1;
  bool met_ = false;
  std::vector<Told> told_;  // the first count_ of it
  std::size_t count_ = 0;
};

}  // namespace heddle::checker
