// Matrices moved between shared memory and the fragments of mma (PTX ISA 9.7.14.5.15 to 9.7.14.5.17).
#include <array>
#include <cstring>

#include "exec/interp/matrix/fragment.h"
#include "exec/interp/step.h"

namespace heddle::exec::interp {
namespace {

using isa::Slot;
using isa::Word;

int matrices(const Step& s) {
  switch (s.word(Slot::num)) {
    case Word::x1: return 1;
    case Word::x2: return 2;
    default: return 4;
  }
}

// Lane i gives the address of row i % rows of matrix i / rows; 16 bytes a row.
using Row = std::array<std::byte, 16>;

bool read_rows(Step& s, int count, std::array<Row, warp_size>& rows) {
  for (int lane = 0; lane < count; ++lane) {
    const Step::Place place = s.place(s.operand(1, lane), lane, 16, false);
    if (place.host == nullptr) return false;
    std::memcpy(rows[static_cast<std::size_t>(lane)].data(), place.host, 16);
  }
  return true;
}

template <class T>
T element(const Row& row, int column) {
  T value;
  std::memcpy(&value, row.data() + static_cast<std::size_t>(column) * sizeof(T), sizeof(T));
  return value;
}

// The byte of an 8-bit element that was packed in memory: 16 elements of 6 bits in 12 bytes, or of 4 bits in
// 8 bytes (9.7.14.5.15).
uint8_t unpacked(const Row& row, int column, Word format) {
  if (format == Word::none) return element<uint8_t>(row, column);
  const int bits = format == Word::b6x16_p32 ? 6 : 4, first = column * bits;
  const unsigned low = element<uint8_t>(row, first / 8);
  const unsigned high = first / 8 + 1 < 16 ? element<uint8_t>(row, first / 8 + 1) : 0;
  return static_cast<uint8_t>((low | high << 8) >> first % 8 & ((1u << bits) - 1));
}

void load_b16(Step& s) {
  const int count = matrices(s);
  const bool transposed = s.has(Slot::trans);
  std::array<Row, warp_size> rows{};
  if (!read_rows(s, 8 * count, rows)) return;
  for (int lane = 0; lane < warp_size; ++lane) {
    const auto d = s.parts(s.operand(0, lane));
    for (int matrix = 0; matrix < count; ++matrix) {
      uint32_t value = 0;
      for (int part = 0; part < 2; ++part) {
        int row = lane >> 2, column = 2 * (lane & 3) + part;
        if (transposed) std::swap(row, column);
        value |= uint32_t{element<uint16_t>(rows[static_cast<std::size_t>(8 * matrix + row)], column)}
                 << 16 * part;
      }
      s.set<uint32_t>(d[static_cast<std::size_t>(matrix)], lane, value);
    }
  }
}

// m8n16: a row of 16 bytes for four lanes of four; m16n16 transposed: two registers a matrix, for columns 0
// to 7 and 8 to 15.
void load_b8(Step& s) {
  const int count = matrices(s);
  const bool square = s.word(Slot::shape) == Word::m16n16;
  const int height = square ? 16 : 8;
  const Word format = s.word(Slot::from_format);
  std::array<Row, warp_size> rows{};
  if (!read_rows(s, height * count, rows)) return;
  for (int lane = 0; lane < warp_size; ++lane) {
    const auto d = s.parts(s.operand(0, lane));
    for (std::size_t reg = 0; reg < d.size(); ++reg) {
      const int matrix = static_cast<int>(square ? reg / 2 : reg),
                half = static_cast<int>(square ? reg % 2 : 0);
      uint32_t value = 0;
      for (int part = 0; part < 4; ++part) {
        int row = (lane >> 2) + 8 * half, column = 4 * (lane & 3) + part;
        if (square) std::swap(row, column);
        value |= uint32_t{unpacked(rows[static_cast<std::size_t>(height * matrix + row)], column, format)}
                 << 8 * part;
      }
      s.set<uint32_t>(d[reg], lane, value);
    }
  }
}

}  // namespace

void eval_ldmatrix(Step& s) {
  if (!s.collect_warp()) return;
  if (s.word(Slot::shape) == Word::m8n8)
    load_b16(s);
  else
    load_b8(s);
}

void eval_stmatrix(Step& s) {
  if (!s.collect_warp()) return;
  const int count = matrices(s);
  const bool bytes = s.word(Slot::shape) == Word::m16n8, transposed = s.has(Slot::trans);
  // b16: 8 rows of 8; b8, always transposed: 8 rows in memory of 16 elements, the columns of a 16 x 8 matrix
  std::array<Row, warp_size> rows{};
  for (int lane = 0; lane < warp_size; ++lane) {
    const auto r = s.parts(s.operand(1, lane));
    for (int matrix = 0; matrix < count; ++matrix) {
      const auto value = s.get<uint32_t>(r[static_cast<std::size_t>(matrix)], lane);
      if (bytes) {
        for (int part = 0; part < 4; ++part) {
          const int row = (lane >> 2) + 8 * (part >> 1), column = 2 * (lane & 3) + (part & 1);
          rows[static_cast<std::size_t>(8 * matrix + column)][static_cast<std::size_t>(row)] =
              static_cast<std::byte>(value >> 8 * part);
        }
        continue;
      }
      for (int part = 0; part < 2; ++part) {
        int row = lane >> 2, column = 2 * (lane & 3) + part;
        if (transposed) std::swap(row, column);
        const auto half = static_cast<uint16_t>(value >> 16 * part);
        std::memcpy(rows[static_cast<std::size_t>(8 * matrix + row)].data() + 2 * column, &half, 2);
      }
    }
  }
  for (int lane = 0; lane < 8 * count; ++lane) {
    const Step::Place place = s.place(s.operand(0, lane), lane, 16, true);
    if (place.host == nullptr) return;
    std::memcpy(place.host, rows[static_cast<std::size_t>(lane)].data(), 16);
  }
}

void eval_movmatrix(Step& s) {
  if (!s.collect_warp()) return;
  uint16_t cells[8][8] = {};
  for (int lane = 0; lane < warp_size; ++lane)
    for (int part = 0; part < 2; ++part)
      cells[2 * (lane & 3) + part][lane >> 2] = static_cast<uint16_t>(s.get<uint32_t>(1, lane) >> 16 * part);
  for (int lane = 0; lane < warp_size; ++lane) {
    const uint32_t low = cells[lane >> 2][2 * (lane & 3)], high = cells[lane >> 2][2 * (lane & 3) + 1];
    s.set<uint32_t>(0, lane, low | high << 16);
  }
}

}  // namespace heddle::exec::interp
