// What `heddle occupancy` tells: how many blocks share a multiprocessor, why not more, and how that changes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "arch/device.h"
#include "model/occupancy.h"
#include "model/occupancy_curves.h"

namespace heddle::cli {

// Warps of a multiprocessor that hide a latency.
struct Hiding {
  std::string_view of;  // "arithmetic", "memory"; empty: of a number that was given
  uint32_t clocks = 0, instructions = 1;
  uint32_t warps = 0;    // OpenCL Programming Guide 3.2.3
  uint64_t threads = 0;  // so many that each core has one of each clock: CUDA C Best Practices Guide 3.2.6
};

struct OccupancyReport {
  const arch::Device* device = nullptr;
  std::string kernel;  // empty: of numbers
  std::string file;
  bool estimated = false;      // the registers are an estimate
  uint32_t static_shared = 0;  // of needs.shared_bytes, as far as known
  uint32_t most_threads = 0;   // that the kernel takes in a block
  uint64_t local_bytes = 0;    // of a thread
  uint32_t latency = 0;       // clocks that warps are to hide; 0: those of the device's record, if it has any
  uint32_t instructions = 0;  // between two that take so long; 0: one of arithmetic, ten of memory
  std::vector<Hiding> hiding;
  model::BlockNeeds needs;
  model::Occupancy now;
  model::BestBlock best;
  std::vector<model::Gain> gains;
  model::Curves curves;
};
// Fills what follows from the device and the needs.
void complete(OccupancyReport&);

std::string occupancy_text(const OccupancyReport&);
std::string occupancy_csv(std::span<const OccupancyReport>);
std::string occupancy_json(std::span<const OccupancyReport>);
// A page that needs nothing else: the curves of every report, and where the kernel stands on them.
std::string occupancy_page(std::span<const OccupancyReport>);

// "62.5": per cent of the multiprocessor's warps.
std::string percent(const model::Occupancy&);
// All limits that the blocks reach, the scarcest ones: "registers, shared memory".
std::vector<model::Limiter> limiters(const model::Occupancy&);
std::string joined(const std::vector<model::Limiter>&);
// "24 clocks of arithmetic: 6 warps"
std::string in_words(const Hiding&);
// "at most 24 registers a thread: 10 blocks"
std::string in_words(const model::Gain&);

}  // namespace heddle::cli
