// The loops of rows.h, compiled once for each kind of host. Nothing else may be included here: what it has
// inline would be made for that host.
#pragma once

#include "checker/rows/rows.h"

namespace heddle::checker::rows {
namespace {

using V = uint64_t __attribute__((vector_size(64)));
constexpr uint32_t wide = 8;
constexpr V count_up{0, 1, 2, 3, 4, 5, 6, 7};

inline V load(const uint64_t* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
inline void store(uint64_t* to, V v) { __builtin_memcpy(to, &v, sizeof v); }
inline V choose(V mask, V a, V b) { return (a & mask) | (b & ~mask); }
inline V is(auto comparison) { return reinterpret_cast<V>(comparison); }  // all bits, or none
inline bool any(V v) {
  uint64_t all = 0;
  for (uint32_t i = 0; i < wide; ++i) all |= v[i];
  return all != 0;
}
inline uint64_t largest(V v) {
  uint64_t most = 0;
  for (uint32_t i = 0; i < wide; ++i) most = v[i] > most ? v[i] : most;
  return most;
}
inline uint64_t sum(V v) {
  uint64_t all = 0;
  for (uint32_t i = 0; i < wide; ++i) all += v[i];
  return all;
}

// Eight cells of a row.
struct Cells {
  V lane, mark, active;
  Cells(const Row& row, uint32_t first)
      : lane((count_up + first) >> row.lane_shift),
        mark((lane << thread_shift) + row.mark),
        active(is((((V{} + row.lanes) >> lane) & 1) != 0) & is(count_up + first < row.cells)) {}
};

bool read_row(const Row& row) {
  if (!row.unwritten) {
    V bad{};
    for (uint32_t i = 0; i < row.cells; i += wide) {
      const Cells cells(row, i);
      const V writer = load(row.writer + i);
      V strange = is(writer >= row.ordered_below) & is((writer ^ cells.mark) >> thread_shift != 0);
      if (!row.single) strange |= is(load(row.writer_before + i) >= row.ordered_below);
      bad |= strange & cells.active;
    }
    if (any(bad)) return false;
  }
  for (uint32_t i = 0; i < row.cells; i += wide) {
    const Cells cells(row, i);
    const V reader = load(row.reader + i), other = load(row.other_reader + i);
    const V differs = reader ^ cells.mark;
    const V of_warp =
        choose(is(differs >> thread_shift == 0) | is(other >= row.ordered_below), other, reader);
    const V of_others = choose(is(reader >= row.ordered_below), reader, other);
    const V next = choose(is(differs >> warp_shift == 0), of_warp, of_others);
    store(row.other_reader + i, choose(cells.active, next, other));
    store(row.reader + i, choose(cells.active, cells.mark, reader));
  }
  return true;
}

bool write_row(const Row& row) {
  V bad{};
  const uint64_t ordered = row.ordered_below;
  for (uint32_t i = 0; i < row.cells; i += wide) {
    const Cells cells(row, i);
    const auto strange = [&](const uint64_t* marks) {
      const V other = load(marks + i);
      return is(other >= ordered) & is((other ^ cells.mark) >> thread_shift != 0);
    };
    V here{};
    if (!row.unwritten) here |= strange(row.writer);
    if (!row.single) here |= is(load(row.writer_before + i) >= ordered);
    if (!row.unread) here |= strange(row.reader) | strange(row.other_reader);
    bad |= here & cells.active;
  }
  if (any(bad)) return false;
  for (uint32_t i = 0; i < row.cells; i += wide) {
    const Cells cells(row, i);
    store(row.writer + i, choose(cells.active, cells.mark, load(row.writer + i)));
    if (!row.single) store(row.writer_before + i, load(row.writer_before + i) & ~cells.active);
    if (row.unread) continue;
    store(row.reader + i, load(row.reader + i) & ~cells.active);
    store(row.other_reader + i, load(row.other_reader + i) & ~cells.active);
  }
  return true;
}

constexpr uint64_t last_number = 0x7fffffff;
constexpr uint64_t lane_bits = uint64_t{31} << thread_shift, thread_bits = uint64_t{1023} << thread_shift;

Met meet(const Row& row, Kind kind, bool writes, uint64_t below) {
  const uint64_t* const marks = kind == Kind::writer          ? row.writer
                                : kind == Kind::writer_before ? row.writer_before
                                : kind == Kind::reader        ? row.reader
                                                              : row.other_reader;
  // Where the row's own mark already is nothing is new.
  const uint64_t* const own = writes ? row.writer : row.reader;
  V most{};
  for (uint32_t i = 0; i < row.cells; i += wide) {
    const Cells cells(row, i);
    const V mark = load(marks + i), first = mark & ~lane_bits;
    const V counts =
        cells.active & is(load(own + i) != cells.mark) & is(mark >= row.ordered_below) & is(first < below);
    most = choose(is((first & counts) > most), first, most);
  }
  Met met;
  met.first = largest(most);
  if (met.first == 0) return met;
  V all{}, others{}, where{};
  for (uint32_t i = 0; i < row.cells; i += wide) {
    const Cells cells(row, i);
    const V mark = load(marks + i);
    const V counts = cells.active & is(load(own + i) != cells.mark) & is((mark & ~lane_bits) == met.first);
    const V other = counts & is(((mark ^ cells.mark) & thread_bits) != 0);
    all += counts & 1, others += other & 1;
    // The first cell has the largest number, one of another thread larger ones.
    const V number = (((other & 1) << 32) | (last_number - (count_up + i))) & counts;
    where = choose(is(number > where), number, where);
  }
  met.cells = static_cast<uint32_t>(sum(all));
  met.others = static_cast<uint32_t>(sum(others));
  met.other_cell = static_cast<uint32_t>(last_number - (largest(where) & last_number));
  return met;
}

uint64_t overwrite(const Row& row) {
  V newest{};
  for (uint32_t i = 0; i < row.cells; i += wide) {
    const Cells cells(row, i);
    const V writer = load(row.writer + i), before = load(row.writer_before + i);
    const V kept = writer & is(writer >= row.ordered_below);
    const V next = choose(is((writer ^ cells.mark) >> thread_shift != 0) & cells.active, kept, before);
    store(row.writer_before + i, next);
    newest = choose(is((next & cells.active) > newest), next, newest);
    const V clear = is(writer != cells.mark) & cells.active;
    store(row.reader + i, load(row.reader + i) & ~clear);
    store(row.other_reader + i, load(row.other_reader + i) & ~clear);
    store(row.writer + i, choose(cells.active, cells.mark, writer));
  }
  return largest(newest);
}

bool is_row(const uint64_t* addresses, uint32_t lanes, uint32_t bytes) {
  const auto first = static_cast<uint32_t>(__builtin_ctz(lanes));
  const uint64_t begin = addresses[first] - uint64_t{first} * bytes;
  uint64_t differs = 0;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint64_t difference = addresses[lane] ^ (begin + uint64_t{lane} * bytes);
    differs |= (lanes >> lane & 1) != 0 ? difference : 0;
  }
  return differs == 0;
}

void spread(uint64_t* cells, uint64_t first, uint32_t lane_shift) {
  for (uint32_t i = 0; i < 32; i += wide)
    store(cells + i, (((count_up + i) >> lane_shift) << thread_shift) + first);
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

// Magnitudes have no sign, so they compare as signed numbers, which costs less before AVX-512.
NumberKinds kinds_of(const NumberRow& row) {
  using S = int64_t __attribute__((vector_size(64)));
  V nan{}, infinite{}, subnormal{}, zero{};
  const S exponent = S{} + static_cast<int64_t>(row.exponent),
          normal = S{} + static_cast<int64_t>(row.normal);
  for (uint32_t i = 0; i < 32; i += wide) {
    const V magnitude = load(row.bits + i) >> row.shift & row.magnitude;
    const S size = reinterpret_cast<S>(magnitude);
    const V bit = (V{} + 1) << (count_up + i);
    nan |= is(size > exponent) & bit;
    infinite |= is(size == exponent) & bit;
    subnormal |= is(size < normal) & bit;
    zero |= is(size == S{}) & bit;
  }
  const auto all = [](V v) {
    uint64_t bits = 0;
    for (uint32_t i = 0; i < wide; ++i) bits |= v[i];
    return static_cast<uint32_t>(bits);
  };
  const uint32_t zeros = all(zero);
  return {all(nan), all(infinite), all(subnormal) & ~zeros, zeros};
}

}  // namespace
}  // namespace heddle::checker::rows
