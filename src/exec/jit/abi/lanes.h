// Whose accesses a machine instruction makes, and where their places lie: what a fault is located by. A
// kernel keeps a table of these; the column of a debug location is an index into it (abi/code.h). No LLVM
// here: the run reads them.
#pragma once

#include <bit>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace heddle::exec::jit {

// Lanes are counted from Context::first_thread on. Those of a vector that a mask excludes are told by
// Context::active, but where all lanes take part.
struct AccessLanes {
  enum Kind : uint8_t {
    unknown,       // nothing is known of lanes
    one,           // lane `first`
    first_active,  // the first of Context::active, for all of them
    noted,         // the one that Context::lane says
    row,  // side by side in memory from `first` on, `step` bytes from one another; 0: as wide as they are
    addresses,  // a vector from `first` on, at Context::addresses
    steps,      // the same, from Context::addresses[0] on, Context::addresses[1] bytes from lane to lane
    permuted,  // the same, a row at Context::addresses[0] in which lane l has place l ^ Context::addresses[1]
    // A run: 2^log_elements elements of each lane one behind the other, whose sites follow one another.
    runs,     // of a group of 2^log_lanes lanes, which begin at Context::addresses
    run_row,  // of a vector of 2^log_lanes lanes, one behind the other in memory; `first` is where the
              // instruction begins
    // A piece of memory of each of the 2^log_lanes threads of a row of the block, at Context::addresses, with
    // an element for each of 2^log_elements rows.
    row_pieces,
    // A vector of 2^log_lanes lanes, whose groups of 2^log_elements bytes lie side by side in memory, and
    // `step` bytes in each what is accessed. The instruction begins with the group of lane `first`.
    comb,
  };
  Kind kind = unknown;
  bool all = false;  // lanes take part, whatever Context::active says
  uint8_t log_elements = 0, log_lanes = 0;
  uint16_t first = 0, step = 0;

  bool operator==(const AccessLanes&) const = default;

  static constexpr AccessLanes of_one(unsigned lane) {
    return {.kind = one, .first = static_cast<uint16_t>(lane)};
  }
  static constexpr AccessLanes of_noted() { return {.kind = noted}; }
  static constexpr AccessLanes of_row(unsigned first, unsigned step = 0) {
    return {.kind = row, .first = static_cast<uint16_t>(first), .step = static_cast<uint16_t>(step)};
  }
  static constexpr AccessLanes of_comb(unsigned first, unsigned lanes, unsigned group_bytes,
                                       unsigned in_group) {
    return {.kind = comb,
            .log_elements = static_cast<uint8_t>(std::countr_zero(group_bytes)),
            .log_lanes = static_cast<uint8_t>(std::countr_zero(lanes)),
            .first = static_cast<uint16_t>(first),
            .step = static_cast<uint16_t>(in_group)};
  }
  static constexpr AccessLanes of_vector(Kind kind, unsigned first, bool all) {
    return {.kind = kind, .all = all, .first = static_cast<uint16_t>(first)};
  }
  static constexpr AccessLanes of_runs(Kind kind, unsigned elements, unsigned lanes, unsigned first = 0) {
    return {.kind = kind,
            .log_elements = static_cast<uint8_t>(std::countr_zero(elements)),
            .log_lanes = static_cast<uint8_t>(std::countr_zero(lanes)),
            .first = static_cast<uint16_t>(first)};
  }
};

// Of one kernel, each once. The first says nothing.
class AccessTable {
 public:
  // 0 where the table is full: the columns of LLVM's debug locations have 16 bits.
  unsigned index_of(const AccessLanes& lanes) {
    static_assert(sizeof(AccessLanes) == sizeof(uint64_t));
    const auto [found, is_new] = indices_.try_emplace(std::bit_cast<uint64_t>(lanes), table_.size());
    if (is_new && table_.size() <= most) table_.push_back(lanes);
    return found->second <= most ? found->second : 0;
  }
  std::vector<AccessLanes> take() { return std::exchange(table_, {}); }

 private:
  static constexpr unsigned most = 0xffff;
  std::vector<AccessLanes> table_{AccessLanes{}};
  std::unordered_map<uint64_t, unsigned> indices_{{std::bit_cast<uint64_t>(AccessLanes{}), 0}};
};

}  // namespace heddle::exec::jit
