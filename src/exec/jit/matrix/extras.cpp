// Parts of products that are rare, number by number: m8n8k4 of f16, sparse matrices, scaled blocks.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "exec/jit/matrix/unit.h"

namespace heddle::exec::jit::matrix {

namespace {

double f16_value(const std::byte* from) {
  const auto bits = read_at<uint16_t>(from);
  const int exponent = bits >> 10 & 31;
  const double fraction = bits & 0x3ff;
  double value = 0;
  if (exponent == 31)
    value =
        fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  else
    value = std::ldexp(exponent == 0 ? fraction : fraction + 1024, (exponent == 0 ? 1 : exponent) - 25);
  return (bits & 0x8000) != 0 ? -value : value;
}

// ---- m8n8k4 (PTX ISA 9.7.14.5.1): lanes 4q to 4q + 3 and those 16 on have a product
struct Cell {
  int row, column;
};
Cell cell_of_a(int lane, int i, bool by_row) {
  const int upper = lane < 16 ? 0 : 4;
  return by_row ? Cell{(lane & 3) + upper, i} : Cell{i + upper, lane & 3};
}
Cell cell_of_b(int lane, int i, bool by_row) {
  const int upper = lane < 16 ? 0 : 4;
  return by_row ? Cell{lane & 3, i + upper} : Cell{i, (lane & 3) + upper};
}
Cell cell_of_c(int lane, int i, bool half) {
  const int upper = lane < 16 ? 0 : 4;
  return half ? Cell{(lane & 3) + upper, i}
              : Cell{(lane & 1) + (i & 2) + upper, (i & 4) + (lane & 2) + (i & 1)};
}

// Element i of a lane, of 16 bits two to a register.
std::byte* element(std::byte* fragment, int lane, int i, bool half) {
  return half ? fragment + 128 * (i / 2) + 4 * lane + 2 * (i % 2) : fragment + 128 * i + 4 * lane;
}

double scale_value(bool unsigned_scale, uint32_t byte) {
  if (!unsigned_scale)
    return byte == 0xff ? std::numeric_limits<double>::quiet_NaN()
                        : std::ldexp(1.0, static_cast<int>(byte) - 127);
  const auto exponent = static_cast<int>(byte >> 3 & 15);
  const double fraction = byte & 7;
  if ((byte & 0x7f) == 0x7f) return std::numeric_limits<double>::quiet_NaN();
  return std::ldexp(exponent == 0 ? fraction : fraction + 8, (exponent == 0 ? 1 : exponent) - 10);
}

}  // namespace

void run_quads(const Form& form, const Codes& codes, std::byte* frame) {
  const bool half_c = form.c == Number::f16, half_d = form.d == Number::f16;
  // Blocks of 16 rows, of which 8 count.
  struct Quad {
    double left[16 * 4], right[4 * 8];
    std::byte c[512], d[512];
  } quads[4] = {};
  const Order order = half_d ? Order::plain : Order::even_first;
  int place_of_column[8];
  for (int place = 0; place < 8; ++place) place_of_column[column_of_place(order, place)] = place;
  const auto in_block = [](std::byte* block, Cell cell, bool half) {
    return half ? block + 16 * cell.row + 2 * cell.column
                : block + 128 * (cell.column & 1) + 16 * cell.row + 4 * (cell.column / 2);
  };
  for (int lane = 0; lane < 32; ++lane) {
    Quad& quad = quads[(lane & 15) >> 2];
    for (int i = 0; i < 4; ++i) {
      const Cell a = cell_of_a(lane, i, form.a_by_row), b = cell_of_b(lane, i, form.b_by_row);
      quad.left[4 * a.row + a.column] = f16_value(element(frame + form.a_at, lane, i, true));
      quad.right[8 * b.row + place_of_column[b.column]] =
          f16_value(element(frame + form.b_at, lane, i, true));
    }
    for (int i = 0; i < 8; ++i)
      std::memcpy(in_block(quad.c, cell_of_c(lane, i, half_c), half_c),
                  element(frame + form.c_at, lane, i, half_c), half_c ? 2 : 4);
  }
  // To f32: a chain of fused multiply-adds, then c (exec/interp/eval/mma.cpp).
  const auto chain = [&](Quad& quad) {
    for (int row = 0; row < 8; ++row)
      for (int column = 0; column < 8; ++column) {
        float sum = 0;
        for (int k = 0; k < 4; ++k)
          sum = std::fma(static_cast<float>(quad.left[4 * row + k]),
                         static_cast<float>(quad.right[8 * k + place_of_column[column]]), sum);
        const std::byte* c = in_block(quad.c, {row, column}, half_c);
        sum += half_c ? static_cast<float>(f16_value(c)) : read_at<float>(c);
        write_at(in_block(quad.d, {row, column}, false),
                 std::isnan(sum) ? uint32_t{0x7fff'ffff} : __builtin_bit_cast(uint32_t, sum));
      }
  };
  for (Quad& quad : quads) {
    if (!half_d) {
      chain(quad);
      continue;
    }
    codes.multiply[0][half_c ? 1 : 0][half_d ? 1 : 0](quad.left, quad.right, 4, false, quad.c, quad.d);
  }
  for (int lane = 0; lane < 32; ++lane) {
    Quad& quad = quads[(lane & 15) >> 2];
    for (int i = 0; i < 8; ++i)
      std::memcpy(element(frame + form.d_at, lane, i, half_d),
                  in_block(quad.d, cell_of_c(lane, i, half_d), half_d), half_d ? 2 : 4);
  }
}

// Of every `of` elements along k `kept` are stored, `together` side by side under one index of two bits; one
// of two tf32 is written as one of 0b0100 and 0b1110 (PTX ISA 9.7.14.6.1).
template <class T>
void spread(const Form& form, int step, const std::byte* frame, const T* stored, T* full) {
  const int bits = bits_of(form.a), rows = form.size.m, k = form.size.k;
  const int of = bits == 32 ? 2 : bits == 4 ? 8 : 4, kept = of / 2, together = bits == 4 ? 2 : 1;
  const int groups = k / of, lanes = groups / 4;  // of a quad, that have metadata of both rows
  std::fill_n(full, rows * k, T{});
  if constexpr (std::is_same_v<T, double>)
    if (form.sums != Form::Sums::exact) std::fill_n(full, rows * k, unstored);
  for (int row = 0; row < rows; ++row) {
    const int lower = row >> 3;
    for (int group = 0; group < groups; ++group) {
      const int offset = bits < 16 ? 2 * (group / 8) + lower : group / 4;
      const int shift = bits < 16 ? 4 * (group % 8) : 16 * lower + 4 * (group % 4);
      const int lane = 4 * (row & 7) + (static_cast<int>(form.selector) * lanes + offset) % 4;
      const uint32_t choice = read_at<uint32_t>(frame + form.metadata_at + 4 * lane) >> shift & 15;
      for (int i = 0; i < kept; ++i) {
        const int place = of == 2
                              ? static_cast<int>(choice == 0b1110)
                              : static_cast<int>(choice >> 2 * (i / together) & 3) * together + i % together;
        full[left_index(rows, step, row, of * group + place)] =
            stored[left_index(rows, step, row, kept * group + i)];
      }
    }
  }
}
template void spread(const Form&, int, const std::byte*, const double*, double*);
template void spread(const Form&, int, const std::byte*, const int16_t*, int16_t*);

// Each block of A's rows and B's columns has a scale (PTX ISA 9.7.14.3): one byte of a register of lanes 0
// and 1, or 2 and 3, of a quad for rows g and g + 8 of A, and of one lane for column g of B.
void scale(const Form& form, const std::byte* frame, double* left, double* right, Order order) {
  const int k = form.size.k, block = k / form.scales;
  const auto chosen = [&](const Form::Choice& choice) {
    const uint32_t value = choice.at == module::none ? choice.value : read_at<uint16_t>(frame + choice.at);
    return static_cast<int>(value & 0xffff);
  };
  const int a_byte = 8 * (chosen(form.scale_a_byte) & 3), a_lane = 2 * (chosen(form.scale_a_lane) & 1);
  const int b_byte = 8 * (chosen(form.scale_b_byte) & 3), b_lane = chosen(form.scale_b_lane) & 3;
  for (int row = 0; row < 16; ++row) {
    const int lane = 4 * (row & 7) + a_lane + (row >> 3);
    const uint32_t bytes = read_at<uint32_t>(frame + form.scale_a_at + 4 * lane) >> a_byte;
    for (int i = 0; i < k; ++i)
      left[left_index(16, 8, row, i)] *= scale_value(form.unsigned_scale, bytes >> 8 * (i / block) & 0xff);
  }
  for (int place = 0; place < 8; ++place) {
    const int lane = 4 * column_of_place(order, place) + b_lane;
    const uint32_t bytes = read_at<uint32_t>(frame + form.scale_b_at + 4 * lane) >> b_byte;
    for (int i = 0; i < k; ++i)
      right[8 * i + place] *= scale_value(form.unsigned_scale, bytes >> 8 * (i / block) & 0xff);
  }
}

}  // namespace heddle::exec::jit::matrix
