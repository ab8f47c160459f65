// Machine code in memory, as the run sees it (no LLVM here); frees it at the end.
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle::exec::jit {

// The debug location of an instruction at its address: `line` is the index of a Site plus 1, `column` says
// which lane of the group (Context::first_thread is lane 0) it works for.
struct Place {
  uint32_t line = 0, column = 0;  // 0, 0: unknown
};

// Columns: 0 says nothing about lanes; below active_column, lane + 1 of an access by one lane; active_column,
// an access for all lanes of Context::active at once; from gathered_column on, gathered_column + first lane
// of an access of as many places as Context::addresses has, by those of Context::active; from
// all_gathered_column on the same by all lanes; noted_column, an access by the lane that Context::lane says;
// from spaced_column on, spaced_column + 1024 * log2(step) + first lane of an access whose lanes lie `step`
// bytes from one another; from contiguous_column on, contiguous_column + first lane of an access whose lanes
// lie one behind the other in memory.
//
// A run is 2^k elements of each lane one behind the other, whose sites follow one another; its place is the
// first one's. Of a group of 2^l lanes whose runs begin at Context::addresses: piece_column + k * 0x10 + l;
// of 2^l lanes whose runs lie one behind the other: contiguous_column + k * 0x1000 + (l - 2) * 0x400 + first
// lane of the machine instruction.
// Places that lie Context::addresses[1] bytes from lane to lane, the first one at Context::addresses[0]:
// stepped_column + first lane of the vector, of those of Context::active; all_stepped_column + first lane,
// all. A row of memory in which lane l has place l ^ Context::addresses[1], the first one's address in
// Context::addresses[0]: xored_row_column + first lane of the vector, of those of Context::active;
// all_xored_row_column + first lane, all of them.
// A piece of memory of each of the 2^l threads of a row, with an element of each of the 2^k rows of a group:
// row_piece_column + k * 0x10 + l, addresses as for runs.
inline constexpr uint32_t active_column = 0x2000;
inline constexpr uint32_t gathered_column = 0x3000;
inline constexpr uint32_t all_gathered_column = 0x3800;
inline constexpr uint32_t noted_column = 0x4000;
inline constexpr uint32_t piece_column = 0x5000;
inline constexpr uint32_t row_piece_column = 0x5800;
inline constexpr uint32_t spaced_column = 0x6000, spaced_lanes = 1024;
inline constexpr uint32_t xored_row_column = 0x7000;
inline constexpr uint32_t stepped_column = 0x7400;
inline constexpr uint32_t all_xored_row_column = 0x7800;
inline constexpr uint32_t all_stepped_column = 0x7c00;
inline constexpr uint32_t contiguous_column = 0x8000;

class Code {
 public:
  virtual ~Code() = default;
  using Place = jit::Place;
  virtual void* find(std::string_view symbol) const = 0;  // a function, or nullptr
  virtual uintptr_t begin() const = 0;                    // of the instructions
  virtual uintptr_t end() const = 0;
  bool has(uintptr_t address) const { return address >= begin() && address < end(); }
  virtual Place place(uintptr_t pc) const = 0;  // slow: for faults
};

}  // namespace heddle::exec::jit
