// A kernel's operations in the order in which an assembler issues them (analysis/registers/issue_order.h).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "observe/observer.h"
#include "timing/program.h"

namespace heddle::timing {

// What a warp does from one visit on, to the next one that begins a run.
struct Run {
  uint32_t first = 0, end = 0;  // operations
  uint32_t operations = 0;      // those that cost something; of all copies
  uint32_t copies = 1;          // visits that it takes
  uint32_t repeated = ~0U;      // the run of several visits, where all of them come with the same lanes
};

struct IssuedBody {
  static constexpr uint32_t none = ~0U;
  std::vector<Operation> operations;  // run by run
  std::vector<uint32_t> registers;    // slots
  std::vector<Run> runs;
  std::vector<uint32_t> run_at;  // by instruction: the run that begins there, or none
  uint32_t slots = 0;
  // nullptr: none begins there.
  const Run* run_from(uint32_t instruction) const {
    const uint32_t number = instruction < run_at.size() ? run_at[instruction] : none;
    return number == none ? nullptr : &runs[number];
  }
  std::span<const uint32_t> reads(const Operation& o) const {
    return {registers.data() + o.first_register, o.reads};
  }
  std::span<const uint32_t> writes(const Operation& o) const {
    return {registers.data() + o.first_register + o.reads, o.writes};
  }
};

struct IssuedProgram {
  std::vector<IssuedBody> bodies;  // by function of the image; empty: nobody can come there
};

// That warps do who come to a place, until the next one where counts are kept.
uint64_t operations_at(const IssuedProgram&, observe::Place);
// Of all warps.
uint64_t operations_of(const IssuedProgram&, const std::map<observe::Place, observe::Count>&);

// Of the kernel and all that it may call.
IssuedProgram issue_program(const module::Image&, uint32_t entry, const Machine&);

}  // namespace heddle::timing
