// The table of a level's loops.
#pragma once

#include "exec/jit/matrix/kernels/integer.h"
#include "exec/jit/matrix/kernels/number.h"
#include "exec/jit/matrix/kernels/real.h"
#include "exec/jit/matrix/kernels/sums.h"

namespace heddle::exec::jit::matrix::HEDDLE_MATRIX_LEVEL {

inline void turn(const std::byte* from, std::byte* to) { turn_16(from, Order::plain, to); }

template <Number number>
constexpr void add_number(Codes& all) {
  constexpr auto n = static_cast<std::size_t>(number);
  all.left[n] = width_of(number) >= 16 ? left<number> : left_in_bytes<number>;
  all.right[n] = right<number>;
}

template <Number number>
constexpr void add_integer(Codes& all) {
  constexpr auto n = static_cast<std::size_t>(number);
  all.left[n] = left_integers<number>;
  all.right[n] = right_integers<number>;
}

constexpr Codes make_codes() {
  Codes all{};
  all.left[static_cast<std::size_t>(Number::f64)] = left<Number::f64>;
  all.right[static_cast<std::size_t>(Number::f64)] = right<Number::f64>;
  all.left[static_cast<std::size_t>(Number::tf32)] = left<Number::tf32>;
  all.right[static_cast<std::size_t>(Number::tf32)] = right<Number::tf32>;
  all.left[static_cast<std::size_t>(Number::f16)] = left<Number::f16>;
  all.right[static_cast<std::size_t>(Number::f16)] = right<Number::f16>;
  all.left[static_cast<std::size_t>(Number::bf16)] = left<Number::bf16>;
  all.right[static_cast<std::size_t>(Number::bf16)] = right<Number::bf16>;
  add_number<Number::e4m3>(all);
  add_number<Number::e5m2>(all);
  add_number<Number::e3m2>(all);
  add_number<Number::e2m3>(all);
  add_number<Number::e2m1>(all);
  add_number<Number::e2m1_in_byte>(all);
  add_integer<Number::s8>(all);
  add_integer<Number::u8>(all);
  add_integer<Number::s4>(all);
  add_integer<Number::u4>(all);
  all.left[static_cast<std::size_t>(Number::b1)] = left_bits;
  all.right[static_cast<std::size_t>(Number::b1)] = right_bits;
  all.multiply[0][0][0] = multiply<4, Number::f32, Number::f32>;
  all.multiply[0][1][0] = multiply<4, Number::f16, Number::f32>;
  all.multiply[0][1][1] = multiply<4, Number::f16, Number::f16>;
  all.multiply[1][0][0] = multiply<8, Number::f32, Number::f32>;
  all.multiply[1][0][1] = multiply<8, Number::f32, Number::f16>;
  all.multiply[1][1][0] = multiply<8, Number::f16, Number::f32>;
  all.multiply[1][1][1] = multiply<8, Number::f16, Number::f16>;
  all.sum_whole[0][0][0] = sum_whole<4, Number::f32, Number::f32>;
  all.sum_whole[1][0][0] = sum_whole<8, Number::f32, Number::f32>;
  all.sum_whole[1][0][1] = sum_whole<8, Number::f32, Number::f16>;
  all.sum_whole[1][1][0] = sum_whole<8, Number::f16, Number::f32>;
  all.sum_whole[1][1][1] = sum_whole<8, Number::f16, Number::f16>;
  all.sum_pairs[0][0] = sum_pairs<Number::f32, 4>;
  all.sum_pairs[0][1] = sum_pairs<Number::f16, 4>;
  all.sum_pairs[1][0] = sum_pairs<Number::f32, 8>;
  all.sum_pairs[1][1] = sum_pairs<Number::f16, 8>;
  all.multiply_f64[0] = multiply_f64<8>;
  all.multiply_f64[1] = multiply_f64<16>;
  all.multiply_integers[0] = multiply_integers<8>;
  all.multiply_integers[1] = multiply_integers<16>;
  all.multiply_bits[0] = multiply_bits<8>;
  all.multiply_bits[1] = multiply_bits<16>;
  all.turn = turn;
  return all;
}

const Codes& codes() {
  static constexpr Codes all = make_codes();
  return all;
}

}  // namespace heddle::exec::jit::matrix::HEDDLE_MATRIX_LEVEL
