// The loops that a product of matrices is made of, for one kind of host. A product has five stages: the left
// matrix, the right one and the sums are read off the registers of the warp, multiplied, and written back.
// Each stage has a loop for each kind of number, and a plan (product.h) says which.
//
// All products are made of blocks of 8 or 16 rows by 8 columns, whose fragments (PTX ISA 9.7.14.5.1 to
// 9.7.14.5.13) are simple: a register of the left matrix is 8 rows, one behind the other, of as many elements
// as four lanes hold; one of the right matrix 8 columns; one of the sums every other element of 8 rows, or,
// where a register holds two elements, 8 whole rows.
//
// What a product is, exec/interp/matrix says; the loops leave the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "exec/jit/matrix/form.h"

namespace heddle::exec::jit::matrix {

// Where the columns of a row of sums lie in memory: in their order, or those with even numbers first, as the
// registers of elements of 32 and 64 bits have them. The right matrix follows.
enum class Order : uint8_t { plain, even_first };

inline constexpr int most_k = 256, most_rows = 16;

// Stands for an element of a sparse left matrix that is not stored: it has no product, also with an infinity.
inline constexpr double unstored = 0x1p-1000;  // a usual number: hosts may take subnormal ones for 0

// Numbers as doubles. The left matrix lies in pieces of 8 rows by `step` along k: all rows of the first
// piece, of the next 8 rows, and so on, then further along k. The right matrix lies by k, 8 columns each.
// Integers are 16 bits wide and lie in pairs along k: a piece of the left matrix is 8 rows by 8 pairs, the
// right one has 8 pairs for each pair of k. Bits are words of 32, in pieces of 8 rows by 4.
struct Codes {
  // `registers`, `count` of them, whole warps' worth.
  using Left = void (*)(const std::byte* registers, int count, void* matrix);
  using Right = void (*)(const std::byte* registers, int count, Order order, void* matrix);
  Left left[number_count];
  Right right[number_count];

  // d = c + left * right along k, on registers of 16 rows of sums. Products are exact. By step along k of a
  // piece of the left matrix / 4 - 1, whether c has elements of 16 bits, whether d has.
  using Multiply = void (*)(const double* left, const double* right, int k, bool saturate, const std::byte* c,
                            std::byte* d);
  Multiply multiply[2][2][2];
  // The same as devices sum (Form::Sums): `least` is the lowest exponent of the factors' type. Of pairs c and
  // d are of one type.
  using Sum = void (*)(const double* left, const double* right, int k, int least, bool saturate,
                       const std::byte* c, std::byte* d);
  Sum sum_whole[2][2][2];
  Sum sum_pairs[2][2];  // by whether A is sparse, whether c and d have elements of 16 bits
  // The same with products that are not exact, in pieces of 4 along k, fused, and with NaNs as devices have
  // them; by rows / 8 - 1.
  void (*multiply_f64[2])(const double* left, const double* right, int k, const std::byte* c, std::byte* d);
  // d = c + products, on registers.
  void (*multiply_integers[2])(const int16_t* left, const int16_t* right, int k, bool saturate,
                               const std::byte* c, std::byte* d);
  void (*multiply_bits[2])(const uint32_t* left, const uint32_t* right, int k, bool exclusive,
                           const std::byte* c, std::byte* d);

  // 8 rows of 8 elements of 16 bits, turned.
  void (*turn)(const std::byte* from, std::byte* to);
};

namespace plain {
const Codes& codes();
}
namespace avx2 {
const Codes& codes();
}
namespace avx512 {
const Codes& codes();
}

}  // namespace heddle::exec::jit::matrix
