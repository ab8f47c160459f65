// One access of a kernel as vector code makes it for a unit: classified once, before code is emitted. The
// forms, with what each needs, are told in docs/reference/vector-code.md.
#pragma once

#include <string_view>

#include "exec/jit/analysis/pattern.h"
#include "exec/jit/kernel/kernel.h"
#include "exec/jit/passes/passes.h"
#include "llvm/IR/Instructions.h"
#include "module/image.h"

namespace heddle::exec::jit {

struct AccessRecord {
  // How the places of a unit's lanes lie, and so how many machine instructions there are.
  enum Form : uint8_t {
    broadcast,     // one place for the whole unit
    per_vector,    // one for each vector
    row,           // lanes side by side
    spaced_row,    // lanes at the beginnings of words that lie side by side
    combed_row,    // lanes at the same place of groups of elements that lie side by side, if all are there
    permuted_row,  // side by side, after lanes have changed places
    found_row,     // side by side as is found at run time, else as `lanes`
    row_tiles,     // each lane of the block's first row has a piece of memory, an element for each row
    run_row,       // runs of elements, lane behind lane
    run_pieces,    // a run is a piece of memory of each lane
    found_run,     // the same, but where runs lie an element apart they are a row for each element
    by_elements,   // the elements of a run, one access after the other
    lanes,         // each lane by itself
  };
  // And where lanes go by themselves:
  enum Lanes : uint8_t {
    unrolled,        // an instruction each
    unrolled_steps,  // the same, of an address and a step
    loop,            // in a loop over those that are there
    pieces,          // several elements in one instruction
    places,          // one gather or scatter of addresses
    steps,           // the same, of an address and a step
  };
  Form form = lanes;
  Lanes by_lane = unrolled;

  // ---- what the program says
  module::Space space = module::Space::generic;
  bool write = false;
  bool strong = false;      // other threads watch
  bool run = false;         // put together of several accesses (transform/runs.h)
  bool by_lanes = false;    // of local memory: an address in the block's
  bool of_cluster = false;  // of shared memory: of any block of the cluster
  bool masked = false;      // lanes may be absent
  unsigned elements = 1, element_bytes = 0;
  Pattern address;
  bool reversed = false;  // a row that goes backwards: `address` is that of one that goes forwards, permuted
  uint8_t in_group = 0;   // of a combed row: bytes from its group's begin to the lane's element
  bool lanes_apart = false;  // no two lanes of a vector touch one byte

  uint64_t bytes() const { return uint64_t{element_bytes} * elements; }
  uint64_t aligned_bytes() const {
    return run ? element_bytes : bytes();
  }  // what the address is a multiple of
  uint64_t side_by_side_bytes() const { return run ? element_bytes : bytes(); }  // from lane to lane
  // Each thread's own memory, at addresses that the others have as well.
  bool is_thread_by_thread() const { return space == module::Space::local && !by_lanes; }
  // One memory that all threads see at its addresses.
  bool is_plain() const { return !is_thread_by_thread() && space != module::Space::generic; }
  bool is_stepped_by(uint64_t bytes) const {
    return address.stepped() && address.lane_step == static_cast<int64_t>(bytes);
  }
  // Both are gathers or scatters.
  bool is_of_all_lanes() const { return by_lane == places || by_lane == steps; }
  bool is_unrolled() const { return by_lane == unrolled || by_lane == unrolled_steps; }
  bool is_by_steps() const { return by_lane == steps || by_lane == unrolled_steps; }
};

// What code for this host may use.
struct AccessMeans {
  VectorLevel level = VectorLevel::v2;
  bool gathers = false;  // of shared memory, without masks
  const PassSet* passes = nullptr;
};

// `elements` and their size: of the part of the operation that is accessed at once. `one_value`: all lanes
// store the same.
AccessRecord classify(const llvm::CallInst& call, const Pattern& address, const Patterns& patterns,
                      const AccessMeans& means, bool masked, unsigned elements, unsigned element_bytes,
                      bool one_value);
// Of a whole load or store.
AccessRecord classify(const llvm::CallInst& call, const Patterns& patterns, const AccessMeans& means,
                      bool masked);

std::string_view name_of(AccessRecord::Form form);
std::string text_of(const AccessRecord& record);  // "row", "found row, else places"

// Elements of a load or a store, and what they are.
std::pair<unsigned, llvm::Type*> elements_of(const llvm::CallInst& access);
// Each lane of a row has a piece of memory, an element (or several) of each row of the block.
bool rows_are_pieces(const Patterns& patterns, const llvm::CallInst& access);

}  // namespace heddle::exec::jit
