// Device memory as a library's work sees it: what it is about to touch is checked, as if a kernel touched it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "libs/interface/services.h"

namespace heddle::libs {

// The matrices (or vectors) of a batch: an array says where each is, or each lies `step` elements behind the
// one before.
template <class T>
struct Places {
  T* const* each = nullptr;
  T* first = nullptr;
  int64_t step = 0;
  T* operator[](int64_t i) const { return each != nullptr ? each[i] : first + i * step; }
};

class Access {
 public:
  explicit Access(Memory& memory) : memory_(memory) {}

  // `count` elements from `first` on.
  template <class T>
  const T* read(const T* first, uint64_t count) {
    hold(first, bytes_of(count, sizeof(T)), false);
    return first;
  }
  template <class T>
  T* write(T* first, uint64_t count) {
    hold(first, bytes_of(count, sizeof(T)), true);
    return first;
  }
  // A matrix by columns, of `rows` in each and with `stride` between them.
  template <class T>
  const T* read(const T* first, int64_t rows, int64_t columns, int64_t stride) {
    return read(first, extent(rows, columns, stride));
  }
  template <class T>
  T* write(T* first, int64_t rows, int64_t columns, int64_t stride) {
    return write(first, extent(rows, columns, stride));
  }
  // The same of every one of a batch.
  template <class T>
  void read(const Places<const T>& all, int64_t count, int64_t rows, int64_t columns, int64_t stride) {
    hold_all(all, count, extent(rows, columns, stride), false);
  }
  template <class T>
  void write(const Places<T>& all, int64_t count, int64_t rows, int64_t columns, int64_t stride) {
    hold_all(all, count, extent(rows, columns, stride), true);
  }
  // Steps in bytes, too.
  void read_bytes(const Places<const std::byte>& all, int64_t count, uint64_t elements, uint64_t element) {
    hold_all(all, count, bytes_of(elements, element), false);
  }
  void write_bytes(const Places<std::byte>& all, int64_t count, uint64_t elements, uint64_t element) {
    hold_all(all, count, bytes_of(elements, element), true);
  }
  // A vector with any increment: it begins at the lowest address, whichever way it is walked.
  template <class T>
  const T* read_vector(const T* first, int64_t count, int64_t step) {
    return read(first, extent(1, count, step < 0 ? -step : step));
  }
  template <class T>
  T* write_vector(T* first, int64_t count, int64_t step) {
    return write(first, extent(1, count, step < 0 ? -step : step));
  }
  // Elements of `element` bytes each, of a type that is known at run time only.
  const void* read_bytes(const void* first, uint64_t count, uint64_t element) {
    hold(first, bytes_of(count, element), false);
    return first;
  }
  void* write_bytes(void* first, uint64_t count, uint64_t element) {
    hold(first, bytes_of(count, element), true);
    return first;
  }

  // Whether what lies there could be read too: for code that reads a little more than it needs.
  bool readable(const void* first, uint64_t bytes) {
    return memory_.hold(reinterpret_cast<uint64_t>(first), bytes, false);
  }

  static uint64_t extent(int64_t rows, int64_t columns, int64_t stride) {
    if (rows <= 0 || columns <= 0) return 0;
    uint64_t all = 0;
    if (__builtin_mul_overflow(static_cast<uint64_t>(columns - 1), static_cast<uint64_t>(stride), &all) ||
        __builtin_add_overflow(all, static_cast<uint64_t>(rows), &all))
      return UINT64_MAX;
    return all;
  }

 private:
  template <class T>
  void hold_all(const Places<T>& all, int64_t count, uint64_t elements, bool write) {
    Pieces pieces;
    pieces.each = reinterpret_cast<const uint64_t*>(all.each);
    pieces.first = reinterpret_cast<uint64_t>(all.first);
    pieces.step = all.step * static_cast<int64_t>(sizeof(T));
    pieces.count = static_cast<uint64_t>(count);
    pieces.bytes = bytes_of(elements, sizeof(T));
    const uint64_t held = memory_.hold_all(pieces, write);
    if (held < pieces.count) throw BadAccess{pieces.at(held), pieces.bytes, write, {}};
  }
  static uint64_t bytes_of(uint64_t count, uint64_t element) {
    uint64_t bytes = 0;
    return __builtin_mul_overflow(count, element, &bytes) ? UINT64_MAX : bytes;
  }
  void hold(const void* first, uint64_t bytes, bool write) {
    if (bytes == 0) return;
    const auto address = reinterpret_cast<uint64_t>(first);
    if (!memory_.hold(address, bytes, write)) throw BadAccess{address, bytes, write, {}};
  }

  Memory& memory_;
};

}  // namespace heddle::libs
