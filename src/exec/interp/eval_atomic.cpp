// Atomic operations on memory (PTX ISA 9.7.13.5 and 9.7.13.6). Lanes are served in ascending order: one of
// the orders that the ISA allows, and the one that the other executor takes as well.
#include <algorithm>
#include <bit>

#include "exec/interp/atomic.h"
#include "exec/interp/half.h"
#include "exec/interp/number/arithmetic.h"
#include "exec/interp/number/order.h"
#include "exec/interp/step.h"
#include "exec/interp/typed.h"

namespace heddle::exec::interp {
namespace {

using isa::Slot;
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

// What memory holds after `op` with `b`, for one element of a type of at most 64 bits.
uint64_t result(Word op, Type type, bool flush, uint64_t old, uint64_t b) {
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

// One atomic change of one element; gives the old value.
uint64_t change(std::byte* at, Word op, Type type, bool flush, uint64_t b) {
  return atomic_change(at, isa::info(type).bits / 8u,
                       [&](uint64_t old) { return result(op, type, flush, old, b); });
}

// `d` is the operand of the old values, or -1; `a` the address, `b` the values. Vectors change element by
// element: each of them is atomic, the whole is not (9.7.13.5).
void change_memory(Step& s, int d, int a, int b) {
  const Word op = s.word(Slot::op);
  const Type type = s.type();
  const uint32_t bytes = isa::info(type).bits / 8u;
  const auto parts_of = [&](int i) -> std::span<const module::Operand> {
    const module::Operand& o = s.operand(i);
    if (o.kind == module::OperandKind::vector) return s.children(o);
    return {&o, 1};
  };
  s.polls();
  fence_before(s);
  s.each([&](int lane) {
    if (s.faulted()) return;
    const auto values = parts_of(b);
    const Step::Place place = s.place(s.operand(a), lane, bytes * static_cast<uint32_t>(values.size()), true);
    if (place.host == nullptr) return;
    if (bytes == 16) {
      const Wide value = s.get<Wide>(values[0], lane);
      const Wide old = atomic_change_wide(place.host, [&](Wide) { return value; });  // exch is the only one
      if (d >= 0) s.set<Wide>(d, lane, old);
      return;
    }
    const bool flush = place.space != module::Space::shared;
    uint64_t old[8] = {};
    for (std::size_t i = 0; i < values.size(); ++i)
      old[i] = change(place.host + i * bytes, op, type, flush, s.get<uint64_t>(values[i], lane));
    if (d < 0) return;
    const auto results = parts_of(d);
    for (std::size_t i = 0; i < results.size(); ++i) s.set<uint64_t>(results[i], lane, old[i]);
  });
  fence_after(s);
}

}  // namespace

void eval_atom(Step& s) { change_memory(s, 0, 1, 2); }
void eval_atom_vec(Step& s) { change_memory(s, 0, 1, 2); }
void eval_red(Step& s) { change_memory(s, -1, 0, 1); }
void eval_red_vec(Step& s) { change_memory(s, -1, 0, 1); }
// Asynchronous and complete at once: one of the moments at which it may complete.
void eval_red_async_global(Step& s) { change_memory(s, -1, 0, 1); }

// d = [a]; [a] = d == b ? c : d.
void eval_atom_cas(Step& s) {
  const uint32_t bytes = isa::info(s.type()).bits / 8u;
  s.polls();
  fence_before(s);
  s.each([&](int lane) {
    if (s.faulted()) return;
    const Step::Place place = s.place(s.operand(1), lane, bytes, true);
    if (place.host == nullptr) return;
    if (bytes == 16) {
      const Wide expected = s.get<Wide>(2, lane), value = s.get<Wide>(3, lane);
      s.set<Wide>(0, lane,
                  atomic_change_wide(place.host, [&](Wide old) { return old == expected ? value : old; }));
      return;
    }
    const uint64_t mask = bytes == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * bytes) - 1;
    const uint64_t expected = s.get<uint64_t>(2, lane) & mask, value = s.get<uint64_t>(3, lane);
    s.set<uint64_t>(0, lane, atomic_change(place.host, bytes, [&](uint64_t old) {
                      return old == expected ? value : old;
                    }));
  });
  fence_after(s);
}

}  // namespace heddle::exec::interp
