// What the run must know of a thread program. No LLVM here: the run does not see it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "module/image.h"

namespace heddle::exec::jit {

// A place in the PTX, the line number of debug locations is its index in ThreadProgram::sites plus 1.
struct Site {
  uint32_t function = module::none, instruction = module::none;
  uint32_t called_from = module::none;  // the site of the call that was lowered in place
  // Where the frame of this activation of the function begins in a thread's local memory: a step's operands
  // may name variables of the frame (module::Symbol::offset counts from there).
  uint32_t frame = 0;
  uint32_t order = 0;  // of an element of a run (transform/runs.h): how many of the others come before it
  // It stands for the same instruction of so many more turns of an unrolled loop (transform/rolled_loops.h).
  uint32_t turns = 0;
};

// The elements of a run as they come in the program, whose sites begin with `sites`; without sites as they
// lie.
inline std::vector<uint32_t> in_program_order(std::span<const Site> sites, uint32_t elements) {
  std::vector<uint32_t> result(elements);
  std::iota(result.begin(), result.end(), 0u);
  if (sites.size() >= elements)
    std::ranges::sort(result, {}, [&](uint32_t element) { return sites[element].order; });
  return result;
}

// Why a program is not for vectors, see needs.h.
struct Needs {
  bool reference = false;            // has something that only the reference executor does
  std::string reason;                // the first such thing, in words
  bool independent_threads = false;  // lanes or warps may wait for each other: as fibers
  // Lanes of one warp do, or it is not known how to wait in vectors: threads as fibers, not warps.
  bool independent_lanes = false;
  // Loops wait for other blocks alone, and a block that waits has nothing left that those may wait for:
  // vectors, of which whole blocks take turns (fiber/blocks.h).
  bool blocks_wait = false;
  // A loop looks at what others write: blocks may wait for blocks before them.
  bool watches = false;
};

}  // namespace heddle::exec::jit
