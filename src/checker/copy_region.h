// What a copy or a fill touches on one side: rows of bytes, a pitch apart, in slices.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/watcher.h"

namespace heddle::checker {

class CopyRegion {
 public:
  CopyRegion() = default;
  CopyRegion(const runtime::TouchedPlace& place, uint64_t row_bytes, uint64_t rows, uint64_t slices)
      : begin_(place.address),
        row_bytes_(row_bytes),
        rows_(rows),
        slices_(slices),
        row_pitch_(place.row_pitch),
        slice_pitch_(place.slice_pitch) {}

  uint64_t begin() const { return begin_; }
  uint64_t end() const { return row(slices_ - 1, rows_ - 1) + row_bytes_; }
  // Calls `f(address, bytes)` for each row.
  template <class F>
  void each_row(F&& f) const {
    for (uint64_t slice = 0; slice < slices_; ++slice)
      for (uint64_t r = 0; r < rows_; ++r) f(row(slice, r), row_bytes_);
  }
  bool touches(uint64_t address, uint64_t bytes) const {
    if (address >= end() || address + bytes <= begin_) return false;
    if (rows_ == 1 && slices_ == 1) return true;
    const uint64_t last = address + bytes - 1;
    const auto [first_slice, last_slice] = between(address, last, begin_, slice_pitch_, slices_);
    for (uint64_t slice = first_slice; slice <= last_slice; ++slice) {
      const auto [first, end] = between(address, last, row(slice, 0), row_pitch_, rows_);
      for (uint64_t r = first; r <= end; ++r)
        if (row(slice, r) <= last && row(slice, r) + row_bytes_ > address) return true;
    }
    return false;
  }
  // The first byte that both touch; 0: none.
  uint64_t meets(const CopyRegion& other) const {
    if (begin_ >= other.end() || other.begin_ >= end()) return 0;
    uint64_t found = 0;
    each_row([&](uint64_t address, uint64_t bytes) {
      if (found != 0 || !other.touches(address, bytes)) return;
      other.each_row([&](uint64_t begin, uint64_t size) {
        if (begin + size <= address || begin >= address + bytes) return;
        const uint64_t both = std::max(begin, address);
        if (found == 0 || both < found) found = both;
      });
    });
    return found;
  }

 private:
  struct Span {
    uint64_t first, last;
  };
  // Which of `count` pieces, `pitch` apart from `begin` on, may have something of [first, last].
  static Span between(uint64_t first, uint64_t last, uint64_t begin, uint64_t pitch, uint64_t count) {
    if (pitch == 0 || count == 1) return {0, count - 1};
    const uint64_t from = first > begin ? (first - begin) / pitch : 0;
    const uint64_t to = last > begin ? (last - begin) / pitch : 0;
    return {std::min(from, count - 1), std::min(to, count - 1)};
  }
  uint64_t row(uint64_t slice, uint64_t r) const { return begin_ + slice * slice_pitch_ + r * row_pitch_; }

  uint64_t begin_ = 0, row_bytes_ = 0, rows_ = 1, slices_ = 1, row_pitch_ = 0, slice_pitch_ = 0;
};

}  // namespace heddle::checker
