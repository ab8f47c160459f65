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

}  // namespace
}  // namespace heddle::checker::rows
