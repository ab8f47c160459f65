// Whether the threads of a launch keep to themselves in global memory: each byte that any of them writes is
// accessed by one thread alone. Told from the text and the launch's values (thread_sums.h), before it runs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "analysis/thread_sums.h"
#include "module/image.h"

namespace heddle::analysis {

struct MemoryRange {
  uint64_t begin = 0, bytes = 0;
};

struct OwnPlaces {
  bool known = false;            // false: threads may meet in global memory
  bool accesses_shared = false;  // the block's memory as well
};

// `entry`: a function of the image. `find`: the allocation that has an address; no two have one byte. Not
// known: where it calls functions that access memory, makes atomic, volatile or asynchronous accesses to
// global memory, where addresses depend on memory or on how often a loop has run, or may lie outside of an
// allocation.
OwnPlaces own_places(const module::Image& image, uint32_t entry, const LaunchValues& values,
                     const std::function<std::optional<MemoryRange>(uint64_t address)>& find);

}  // namespace heddle::analysis
