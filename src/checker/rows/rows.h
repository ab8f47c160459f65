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
  uint32_t lane_shift;            // so many cells of a lane, as a power of two
  uint64_t mark;                  // of the first lane
  uint64_t ordered_below;         // marks below it are known to have happened before
  bool unwritten;                 // the page has no writer that is not ordered
  bool unread = false;            // likewise no reader
  bool single = false;            // likewise no writer before the last one
  uint64_t lanes = ~uint64_t{0};  // a bit each from the first one on: whose cells are accessed
};
// Arrays of marks have so many behind their last cell.
inline constexpr uint32_t spare_cells = 8;

// Whom the lanes of a row meet: marks of one kind (the places' writers, say) that are not ordered and differ
// by their lanes only.
enum class Kind : uint8_t { writer, writer_before, reader, other_reader };
struct Met {
  uint64_t first = 0;       // any of them, without its lane
  uint32_t cells = 0;       // that have one; 0: there are none
  uint32_t others = 0;      // of those where it is another thread
  uint32_t other_cell = 0;  // the first of these, if there are any, else of all
};

// Of the addresses of a warp's lanes.
struct Extent {
  uint64_t lowest, highest, bits;  // bits: of any of them
};

// Who accessed a word of shared memory since a barrier: the barrier's number, and whether many did, whether
// it was written, whether all that came were atomic operations, and a thread.
inline constexpr uint32_t owner_thread = 1023, owner_written = 1 << 10, owner_many = 1 << 11,
                          owner_atomic = 1 << 12, owner_now_shift = 13;

// Lanes of a warp access words of a block's shared memory.
struct Touch {
  uint32_t* owners;           // of all words
  uint32_t size;              // of that memory, in bytes
  uint32_t own;               // bits of an address that are an offset there
  const uint64_t* addresses;  // of 32 lanes
  uint32_t* offsets;          // becomes: of 32 lanes
  uint32_t lanes;
  uint32_t bytes;         // of a lane: a power of two
  uint32_t now;           // the barrier's number, shifted
  uint32_t thread, step;  // of lane 0, and from a lane to the next one
  bool reads, writes;     // both: an atomic operation
};
enum class Touched : uint8_t {
  apart,
  met,     // somebody else was there, and one of both writes: what is remembered means nothing any more
  outside  // some lane accesses other memory, and nothing is remembered of it
};

// Of the floating-point numbers in a row of 32: which have what kind, a bit each.
struct NumberRow {
  const uint64_t* bits;
  uint32_t shift;                        // of the element in them
  uint64_t magnitude, exponent, normal;  // masks of a format, and its least normal number
};
struct NumberKinds {
  uint32_t nan, infinite, subnormal, zero;
};

struct Level {
  bool (*read)(const Row&);   // false: look at each cell
  bool (*write)(const Row&);  // likewise
  // Of those without their lanes below that the highest. `writes`: what the row does. Nothing is changed.
  Met (*meet)(const Row&, Kind kind, bool writes, uint64_t below);
  // Writes whoever was there; says the newest writer before it that is remembered.
  uint64_t (*overwrite)(const Row&);
  // One behind the other, some left out.
  bool (*is_row)(const uint64_t* addresses, uint32_t lanes,
                 uint32_t bytes);  // one behind the other, some left out
  // The marks of 32 cells, so many cells of a lane, as a power of two.
  void (*spread)(uint64_t* cells, uint64_t first, uint32_t lane_shift);
  bool (*idle)(const Row&);  // all of its marks are ordered
  Extent (*extent)(const uint64_t* addresses, uint32_t lanes);
  Touched (*touch)(const Touch&);
  NumberKinds (*kinds)(const NumberRow&);
};

extern const Level plain, avx2, avx512;
const Level& of_host();

}  // namespace heddle::checker::rows
