// The loops of rows.h, compiled once for each kind of host. Nothing else may be included here: what it has
// inline would be made for that host.
#pragma once

#include "checker/rows/rows.h"

namespace heddle::checker::rows {
namespace {

inline uint64_t mark_of(const Row& row, uint32_t cell) {
  return row.mark + (uint64_t{cell >> row.lane_shift} << thread_shift);
}

bool read_row(const Row& row) {
  const uint64_t ordered = row.ordered_below;
  if (!row.unwritten) {
    uint64_t bad = 0;
    for (uint32_t i = 0; i < row.cells; ++i) {
      const uint64_t writer = row.writer[i], mine = (writer ^ mark_of(row, i)) >> thread_shift;
      bad |= uint64_t{writer >= ordered} & uint64_t{mine != 0};
      bad |= uint64_t{row.writer_before[i] >= ordered};
    }
    if (bad != 0) return false;
  }
  for (uint32_t i = 0; i < row.cells; ++i) {
    const uint64_t mark = mark_of(row, i), reader = row.reader[i], other = row.other_reader[i];
    const uint64_t differs = reader ^ mark;
    const uint64_t of_warp = (differs >> thread_shift) == 0 || other >= ordered ? other : reader;
    const uint64_t of_others = reader >= ordered ? reader : other;
    row.other_reader[i] = (differs >> warp_shift) == 0 ? of_warp : of_others;
    row.reader[i] = mark;
  }
  return true;
}

bool write_row(const Row& row) {
  const uint64_t ordered = row.ordered_below;
  uint64_t bad = 0;
  for (uint32_t i = 0; i < row.cells; ++i) {
    const uint64_t mark = mark_of(row, i);
    const auto strange = [&](uint64_t other) {
      return uint64_t{other >= ordered} & uint64_t{((other ^ mark) >> thread_shift) != 0};
    };
    bad |= strange(row.writer[i]) | strange(row.reader[i]) | strange(row.other_reader[i]);
    bad |= uint64_t{row.writer_before[i] >= ordered};
  }
  if (bad != 0) return false;
  for (uint32_t i = 0; i < row.cells; ++i) row.writer[i] = mark_of(row, i);
  for (uint32_t i = 0; i < row.cells; ++i) row.writer_before[i] = 0;
  for (uint32_t i = 0; i < row.cells; ++i) row.reader[i] = 0;
  for (uint32_t i = 0; i < row.cells; ++i) row.other_reader[i] = 0;
  return true;
}

bool idle_row(const Row& row) {
  uint64_t late = 0;
  for (uint32_t i = 0; i < row.cells; ++i) {
    const uint64_t ordered = row.ordered_below;
    late |= uint64_t{row.writer[i] >= ordered} | uint64_t{row.writer_before[i] >= ordered};
    late |= uint64_t{row.reader[i] >= ordered} | uint64_t{row.other_reader[i] >= ordered};
  }
  return late == 0;
}

Extent extent_of(const uint64_t* addresses, uint32_t lanes) {
  const uint64_t any = addresses[__builtin_ctz(lanes)];
  Extent extent{any, any, any};
  if (lanes == ~uint32_t{0}) {
    for (uint32_t lane = 0; lane < 32; ++lane) {
      const uint64_t address = addresses[lane];
      extent.lowest = address < extent.lowest ? address : extent.lowest;
      extent.highest = address > extent.highest ? address : extent.highest;
      extent.bits |= address;
    }
    return extent;
  }
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint64_t address = (lanes >> lane & 1) != 0 ? addresses[lane] : any;
    extent.lowest = address < extent.lowest ? address : extent.lowest;
    extent.highest = address > extent.highest ? address : extent.highest;
    extent.bits |= address;
  }
  return extent;
}

// What a word's owner becomes; `bad` gets a bit where it must not.
inline uint32_t read_by(uint32_t owner, uint32_t now, uint32_t thread, uint32_t& bad) {
  const bool fresh = owner >> owner_now_shift != now >> owner_now_shift;
  const bool same = (owner & owner_thread) == thread && (owner & owner_many) == 0;
  const uint32_t others = owner & (owner_written | owner_atomic);
  bad |= uint32_t{!fresh && !same && others != 0} | uint32_t{!fresh && (owner & owner_atomic) != 0};
  return fresh ? now | thread : same ? owner : owner | owner_many;
}
inline uint32_t written_by(uint32_t owner, uint32_t now, uint32_t thread, uint32_t& bad) {
  const bool fresh = owner >> owner_now_shift != now >> owner_now_shift;
  const bool same = (owner & (owner_thread | owner_many | owner_atomic)) == thread;
  bad |= uint32_t{!fresh && !same};
  return now | owner_written | thread;
}
inline uint32_t changed_by(uint32_t owner, uint32_t now, uint32_t thread, uint32_t& bad) {
  const bool fresh = owner >> owner_now_shift != now >> owner_now_shift;
  bad |= uint32_t{!fresh && (owner & owner_atomic) == 0};
  return now | owner_atomic | owner_many | thread;
}

struct Shape {
  uint32_t highest = 0;   // offset
  bool row = false;       // of all lanes, one behind the other
  uint32_t repeated = 0;  // lanes whose word is that of the lane before
};

// Fills the offsets, too.
inline Shape shape_of(const Touch& t) {
  Shape shape;
  uint32_t* const offsets = t.offsets;
  const auto first = static_cast<uint32_t>(t.addresses[__builtin_ctz(t.lanes)]) & t.own;
  if (t.lanes != ~uint32_t{0}) {
    for (uint32_t lane = 0; lane < 32; ++lane) {
      const uint32_t offset =
          (t.lanes >> lane & 1) != 0 ? static_cast<uint32_t>(t.addresses[lane]) & t.own : first;
      offsets[lane] = offset;
      shape.highest = shape.highest > offset ? shape.highest : offset;
    }
    return shape;
  }
  uint32_t differs = 0;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint32_t offset = static_cast<uint32_t>(t.addresses[lane]) & t.own;
    offsets[lane] = offset;
    shape.highest = shape.highest > offset ? shape.highest : offset;
    differs |= offset ^ (first + lane * t.bytes);
  }
  shape.row = differs == 0;
  for (uint32_t lane = 1; lane < 32; ++lane)
    shape.repeated |= uint32_t{offsets[lane] / 4 == offsets[lane - 1] / 4} << lane;
  return shape;
}

template <class F>
Touched touch_words(const Touch& t, const Shape& shape, F&& next) {
  uint32_t bad = 0;
  if (shape.row && t.bytes == 4) {
    uint32_t* const owners = t.owners + t.offsets[0] / 4;
    for (uint32_t lane = 0; lane < 32; ++lane)
      owners[lane] = next(owners[lane], t.now, t.thread + lane * t.step, bad);
    return bad == 0 ? Touched::apart : Touched::met;
  }
  const uint32_t words = t.bytes < 4 ? 1 : t.bytes / 4;
  // Of lanes that read one word the first two stand for all that follow them.
  const uint32_t told = t.writes || words != 1 ? 0 : shape.repeated & shape.repeated << 1;
  for (uint32_t rest = t.lanes & ~told; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(__builtin_ctz(rest));
    uint32_t* const owners = t.owners + t.offsets[lane] / 4;
    for (uint32_t i = 0; i < words; ++i) owners[i] = next(owners[i], t.now, t.thread + lane * t.step, bad);
  }
  return bad == 0 ? Touched::apart : Touched::met;
}

Touched touch(const Touch& t) {
  const Shape shape = shape_of(t);
  if (shape.highest + t.bytes > t.size) return Touched::outside;
  if (t.writes) return t.reads ? touch_words(t, shape, changed_by) : touch_words(t, shape, written_by);
  if (t.bytes <= 4 && !shape.row) {
    // Mostly they have been read by many before. (Lanes that do not access have an offset, too.)
    uint32_t differs = 0;
    const uint32_t settled = t.now | owner_many;
    for (uint32_t lane = 0; lane < 32; ++lane)
      differs |= (t.owners[t.offsets[lane] / 4] ^ settled) & ~owner_thread;
    if (differs == 0) return Touched::apart;
  }
  return touch_words(t, shape, read_by);
}

}  // namespace
}  // namespace heddle::checker::rows
