// A matrix in shared memory that a descriptor tells of (PTX ISA 9.7.15.5.1): core matrices of eight rows of
// 16 bytes, or rows of 32, 64 or 128 bytes whose pieces of 16 the swizzle has moved.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

#include "exec/interp/matrix/fragment.h"
#include "exec/interp/step.h"

namespace heddle::exec::interp {

struct SharedMatrix {
  uint32_t start = 0;     // address in shared memory, as the two offsets in bytes
  uint32_t leading = 0;   // "leading dimension byte offset"
  uint32_t stride = 0;    // "stride dimension byte offset"
  uint32_t base = 0;      // the row of 128 bytes with which the swizzle's pattern begins
  uint32_t width = 16;    // of a row: 16 without a swizzle
  uint32_t moved = 16;    // bytes that the swizzle moves as one
  uint32_t together = 8;  // places along k that lie in rows of one pattern, where rows are contiguous

  static SharedMatrix of_warpgroup(uint64_t descriptor) {
    SharedMatrix m;
    m.start = static_cast<uint32_t>(descriptor & 0x3fff) << 4;
    m.leading = static_cast<uint32_t>(descriptor >> 16 & 0x3fff) << 4;
    m.stride = static_cast<uint32_t>(descriptor >> 32 & 0x3fff) << 4;
    m.base = static_cast<uint32_t>(descriptor >> 49 & 7);
    constexpr uint32_t widths[] = {16, 128, 64, 32};
    m.width = widths[descriptor >> 62];
    return m;
  }

  // Of tcgen05 (9.7.16.5.1): the swizzle has three bits, and there is one more that moves 32 bytes. Nothing:
  // a swizzle that there is not.
  static std::optional<SharedMatrix> of_tensor(uint64_t descriptor) {
    SharedMatrix m = of_warpgroup(descriptor & 0x3fff'ffff'ffff'ffff);
    constexpr uint32_t widths[] = {16, 128, 128, 0, 64, 0, 32, 0};
    m.width = widths[descriptor >> 61];
    if (m.width == 0) return std::nullopt;
    if (descriptor >> 61 == 1) m.moved = 32, m.together = 4;
    return m;
  }

  // The piece of 16 bytes with pieces `unit` along k of row `row`, where k is contiguous.
  uint32_t piece_along_k(uint32_t row, uint32_t unit) const {
    const uint32_t rows = start + (row % 8) * width + (row / 8) * stride;
    if (width == 16) return rows + unit * leading;
    const uint32_t along = unit * 16;
    return swizzled(rows + along % width + along / width * leading);
  }
  // Eight elements of 16 bits from row 8 * `unit` on, at `k`: where rows are contiguous.
  uint32_t piece_along_rows(uint32_t unit, uint32_t k) const {
    if (width == 16) return start + k % 8 * 16 + unit * stride + k / 8 * leading;
    const uint32_t units = width / 16;
    return swizzled(start + unit % units * 16 + unit / units * leading + k % together * width +
                    k / together * stride);
  }

 private:
  uint32_t swizzled(uint32_t address) const {
    const uint32_t pattern = width / moved - 1;
    return address ^ (((address >> 7) - base) & pattern) * moved;
  }
};

using Piece = std::array<std::byte, 16>;

inline bool read_piece(Step& s, int lane, uint32_t address, Piece& piece) {
  const Step::Place place = s.place(address, module::Space::shared, lane, 16, false);
  if (place.host == nullptr) return false;
  std::memcpy(piece.data(), place.host, piece.size());
  return true;
}

// So many bits from so many on, of the 128 of a piece.
inline uint32_t bits_of(const Piece& piece, int first, int count) {
  std::array<uint64_t, 2> words;
  std::memcpy(words.data(), piece.data(), piece.size());
  const auto at = static_cast<std::size_t>(first) / 64;
  uint64_t bits = words[at] >> first % 64;
  if (first % 64 + count > 64) bits |= words[at + 1] << (64 - first % 64);
  return static_cast<uint32_t>(bits & low_ones(count));
}

// How a piece holds elements: so many, of so many bits, one behind the other.
struct Packing {
  int held, bits;
  static Packing full(int bits) { return {128 / bits, bits}; }
};

// Rows `first` and on (of A), or columns (of B), as put(row, k, bits); false after a fault. `turned`: rows
// are contiguous, not k.
template <class Put>
bool read_shared(Step& s, int lane, const SharedMatrix& m, int first, int rows, int k, Packing packing,
                 bool turned, Put&& put) {
  Piece piece;
  const auto [held, bits] = packing;
  const int outer = turned ? rows / held : rows, inner = turned ? k : k / held;
  const int begin = turned ? first / held : first;
  for (int o = 0; o < outer; ++o)
    for (int in = 0; in < inner; ++in) {
      const auto x = static_cast<uint32_t>(begin + o), y = static_cast<uint32_t>(in);
      if (!read_piece(s, lane, turned ? m.piece_along_rows(x, y) : m.piece_along_k(x, y), piece))
        return false;
      for (int i = 0; i < held; ++i) {
        const uint32_t element = bits_of(piece, i * bits, bits);
        if (turned)
          put(o * held + i, in, element);
        else
          put(o, in * held + i, element);
      }
    }
  return true;
}

}  // namespace heddle::exec::interp
