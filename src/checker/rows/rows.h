// For all lanes of a warp at once. What one instruction of a warp does to the marks of a row of cells, all at
// once: the lanes stand one behind the other, and nobody did anything there that must be looked at. Where
// that is not so, nothing is changed.
#pragma once

#include <cstdint>

namespace heddle::checker::rows {

// Marks as race_shadow.h has them: place (22 bits), thread (10 bits, the upper 5 its warp), segment.
inline constexpr unsigned thread_shift = 22, warp_shift = 27;

struct Row {
  uint64_t *writer, *writer_before, *reader, *other_reader;  // of the first cell
  uint32_t cells;
  uint32_t lane_shift;     // so many cells of a lane, as a power of two
  uint64_t mark;           // of the first lane
  uint64_t ordered_below;  // marks below it are known to have happened before
  bool unwritten;          // the page has no writer that is not ordered
};

// Of the addresses of a warp's lanes.
struct Extent {
  uint64_t lowest, highest, bits;  // bits: of any of them
};

struct Level {
  bool (*read)(const Row&);   // false: look at each cell
  bool (*write)(const Row&);  // likewise
  bool (*idle)(const Row&);   // all of its marks are ordered
  Extent (*extent)(const uint64_t* addresses, uint32_t lanes);
};

extern const Level plain, avx2;
const Level& of_host();

}  // namespace heddle::checker::rows
