// What memory holds after an atomic operation (PTX ISA 9.7.13.5): values only, no memory.
#include <algorithm>
#include <bit>

#include "exec/interp/eval/atomic.h"
#include "exec/interp/eval/typed.h"
#include "exec/interp/number/arithmetic.h"
#include "exec/interp/number/half.h"
#include "exec/interp/number/order.h"

namespace heddle::exec::interp {
namespace {

using isa::Type;
using isa::Word;

template <class T>
T integer_result(Word op, T old, T b) {
  switch (op) {
    case Word::add: return wrap_add(old, b);
    case Word::min: return std::min(old, b);
    case Word::max: return std::max(old, b);
    case Word::and_: return static_cast<T>(old & b);
    case Word::or_: return static_cast<T>(old | b);
    case Word::xor_: return static_cast<T>(old ^ b);
    case Word::inc: return old >= b ? T{0} : static_cast<T>(old + 1);
    case Word::dec: return old == 0 || old > b ? b : static_cast<T>(old - 1);
    default: return b;  // exch
  }
}

// The float operations of atomics are .add, and for halves .min and .max. atom.add.f32 flushes subnormals in
// global memory and keeps them in shared memory; halves keep them (.noftz) (9.7.13.5).
uint32_t f32_sum(uint32_t old, uint32_t b, bool flush) {
  const Manner manner{Rounding::nearest_even, flush, false};
  return std::bit_cast<uint32_t>(compute(Add{}, manner, std::bit_cast<float>(old), std::bit_cast<float>(b)));
}

uint64_t f64_sum(uint64_t old, uint64_t b) {
  return std::bit_cast<uint64_t>(
      compute(Add{}, Manner{}, std::bit_cast<double>(old), std::bit_cast<double>(b)));
}

uint16_t half_result(Word op, Type type, uint16_t old, uint16_t b) {
  const HalfType half{type == Type::bf16};
  if (op == Word::add) return compute_half(Add{}, HalfManner{half}, old, b);
  return extremum<uint16_t>(half.format(), Order{.larger = op == Word::max}, old, b, nan_half);
}

Type element_of(Type packed) {
  if (packed == Type::f16x2) return Type::f16;
  if (packed == Type::bf16x2) return Type::bf16;
  return packed;
}

}  // namespace

uint64_t atomic_result(Word op, Type type, bool flush, uint64_t old, uint64_t b) {
  switch (type) {
    case Type::f32: return f32_sum(static_cast<uint32_t>(old), static_cast<uint32_t>(b), flush);
    case Type::f64: return f64_sum(old, b);
    case Type::f16:
    case Type::bf16: return half_result(op, type, static_cast<uint16_t>(old), static_cast<uint16_t>(b));
    case Type::f16x2:
    case Type::bf16x2:
      return by_halves(static_cast<uint32_t>(old), static_cast<uint32_t>(b),
                       [&](uint16_t x, uint16_t y) { return half_result(op, element_of(type), x, y); });
    default: {
      uint64_t out = 0;
      with_integer(type, [&]<class T>(T) {
        out = static_cast<Unsigned<T>>(integer_result(op, static_cast<T>(old), static_cast<T>(b)));
      });
      return out;
    }
  }
}

}  // namespace heddle::exec::interp
