// Memory of several devices at one address (PTX ISA 9.7.9.14): loads that give what all of them hold,
// reduced; stores and reductions that reach each. The ISA leaves the order of a reduction open: it is the
// order of the devices. Whether sums of f32 flush subnormals it does not say; here they are kept.
#include "exec/multimem.h"

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "exec/interp/eval/atomic.h"
#include "exec/interp/number/arithmetic.h"
#include "exec/interp/number/half.h"
#include "exec/interp/number/narrow.h"
#include "exec/interp/number/order.h"
#include "exec/interp/step.h"

namespace heddle::exec::interp {
namespace {

using isa::Slot;
using isa::Type;
using isa::Word;
using Places = std::span<std::byte* const>;

// An access is 4, 8 or 16 bytes: one or two words.
using Words = std::array<uint64_t, 2>;

Words load(const std::byte* at, uint32_t bytes) {
  if (bytes == 4) return {__atomic_load_n(reinterpret_cast<const uint32_t*>(at), __ATOMIC_RELAXED), 0};
  const auto* const words = reinterpret_cast<const uint64_t*>(at);
  return {__atomic_load_n(words, __ATOMIC_RELAXED),
          bytes == 8 ? 0 : __atomic_load_n(words + 1, __ATOMIC_RELAXED)};
}

// use(places) for what the address points to, a place for each device. False after a fault.
bool reach(Step& s, int operand, int lane, uint32_t bytes, bool write, const MultimemServices::Use& use) {
  const uint64_t address = s.address_of(s.operand(operand), lane);
  const auto refuse = [&](FaultKind kind, const std::string& why) {
    s.fault(kind, lane,
            std::string(write ? "write" : "read") + " of " + std::to_string(bytes) + " bytes: " + why);
    return false;
  };
  if (address % bytes != 0)
    return refuse(FaultKind::misaligned_address, "the address is no multiple of " + std::to_string(bytes));
  auto* const services = dynamic_cast<MultimemServices*>(s.launch().services);
  const std::string why = services == nullptr ? "nothing is a multimem address here"
                                              : services->multimem(address, bytes, write, use);
  return why.empty() || refuse(FaultKind::illegal_address, why);
}

void store(std::byte* at, uint32_t bytes, const Words& words) {
  if (bytes == 4)
    return __atomic_store_n(reinterpret_cast<uint32_t*>(at), static_cast<uint32_t>(words[0]),
                            __ATOMIC_RELAXED);
  for (uint32_t i = 0; i < bytes / 8; ++i)
    __atomic_store_n(reinterpret_cast<uint64_t*>(at) + i, words[i], __ATOMIC_RELAXED);
}

// What the access is made of: scalars, of which a register has one or several.
struct Shape {
  Type scalar;
  uint32_t scalar_bits, register_bits, bytes;
  uint32_t scalars() const { return bytes * 8 / scalar_bits; }
};

Type scalar_of(Type type) {
  switch (type) {
    case Type::f16x2: return Type::f16;
    case Type::bf16x2: return Type::bf16;
    case Type::e4m3x2:
    case Type::e4m3x4: return Type::e4m3;
    case Type::e5m2x2:
    case Type::e5m2x4: return Type::e5m2;
    default: return type;
  }
}

Shape shape_of(const Step& s, int value) {
  const uint32_t bits = isa::info(s.type()).bits;
  const Type scalar = scalar_of(s.type());
  return {scalar, isa::info(scalar).bits, bits,
          bits / 8 * static_cast<uint32_t>(s.parts(s.operand(value)).size())};
}

uint64_t bits_at(const Words& words, uint32_t first, uint32_t bits) {
  const uint64_t shifted = words[first / 64] >> (first % 64);
  return bits == 64 ? shifted : shifted & ((uint64_t{1} << bits) - 1);
}
void put_bits(Words& words, uint32_t first, uint64_t value) { words[first / 64] |= value << (first % 64); }

Words value_of(Step& s, int operand, int lane, const Shape& shape) {
  Words words{};
  const auto parts = s.parts(s.operand(operand));
  for (uint32_t i = 0; i < parts.size(); ++i) {
    const Words bits{s.get<uint64_t>(parts[i], lane), 0};
    put_bits(words, i * shape.register_bits, bits_at(bits, 0, shape.register_bits));
  }
  return words;
}

// ---- reductions. "The default precision of the intermediate accumulation is same as the specified type";
// .acc::f32 and .acc::f16 ask for a wider one. Numbers of 8 bits are made as cvt makes them, .satfinite.
const Format& format_of(Type scalar) {
  switch (scalar) {
    case Type::f16: return formats::f16;
    case Type::bf16: return formats::bf16;
    case Type::e4m3: return formats::e4m3;
    default: return formats::e5m2;
  }
}

bool has_8_bits(Type scalar) { return scalar == Type::e4m3 || scalar == Type::e5m2; }

// A double holds each number of up to 16 bits, and the sum of two exactly.
uint64_t rounded(Type scalar, double value) {
  if (std::isnan(value)) return has_8_bits(scalar) ? format_of(scalar).all_ones() : nan_half;
  return encode(format_of(scalar), value, Rounding::nearest_even,
                has_8_bits(scalar) ? Overflow::largest : Overflow::ieee);
}

uint64_t sum(Type scalar, const Format& precision, std::span<const uint64_t> values) {
  double all = decode(format_of(scalar), values.front());
  for (const uint64_t value : values.subspan(1)) {
    const double next = all + decode(format_of(scalar), value);
    // An infinity of an intermediate sum stays one: only the result is made finite.
    all = std::isnan(next) ? next : decode(precision, encode(precision, next, Rounding::nearest_even));
  }
  return rounded(scalar, all);
}

uint64_t reduced(Word op, Word acc, Type scalar, std::span<const uint64_t> values) {
  if (op == Word::add && acc == Word::acc_f32) return sum(scalar, formats::f32, values);
  if (op == Word::add && acc == Word::acc_f16) return sum(scalar, formats::f16, values);
  uint64_t all = values.front();
  for (const uint64_t value : values.subspan(1)) {
    if (!has_8_bits(scalar)) {
      all = atomic_result(op, scalar, false, all, value);
    } else if (op == Word::add) {
      all = rounded(scalar, decode(format_of(scalar), all) + decode(format_of(scalar), value));
    } else {
      const Format& format = format_of(scalar);
      all = extremum(format, Order{.larger = op == Word::max}, static_cast<uint8_t>(all),
                     static_cast<uint8_t>(value), static_cast<uint8_t>(format.all_ones()));
    }
  }
  return all;
}

}  // namespace

void eval_multimem_ld_reduce(Step& s) {
  if (s.has(Slot::sem)) s.polls();
  const Shape shape = shape_of(s, 0);
  const auto parts = s.parts(s.operand(0));
  std::vector<Words> held;
  std::vector<uint64_t> values;
  s.each([&](int lane) {
    if (s.faulted()) return;
    held.clear();
    if (!reach(s, 1, lane, shape.bytes, false, [&](Places places) {
          for (const std::byte* place : places) held.push_back(load(place, shape.bytes));
        }))
      return;
    Words all{};
    for (uint32_t i = 0; i < shape.scalars(); ++i) {
      values.clear();
      for (const Words& words : held)
        values.push_back(bits_at(words, i * shape.scalar_bits, shape.scalar_bits));
      put_bits(all, i * shape.scalar_bits,
               reduced(s.word(Slot::op), s.word(Slot::acc), shape.scalar, values));
    }
    for (uint32_t i = 0; i < parts.size(); ++i)
      s.set<uint64_t>(parts[i], lane, bits_at(all, i * shape.register_bits, shape.register_bits));
  });
  fence_after(s);
}

// Of lanes that store to one place the first one wins, as for st.
void eval_multimem_st(Step& s) {
  fence_before(s);
  const Shape shape = shape_of(s, 1);
  s.each_from_last([&](int lane) {
    if (s.faulted()) return;
    const Words value = value_of(s, 1, lane, shape);
    reach(s, 0, lane, shape.bytes, true, [&](Places places) {
      for (std::byte* place : places) store(place, shape.bytes, value);
    });
  });
}

void eval_multimem_red(Step& s) {
  fence_before(s);
  const Shape shape = shape_of(s, 1);
  s.each([&](int lane) {
    if (s.faulted()) return;
    const Words value = value_of(s, 1, lane, shape);
    reach(s, 0, lane, shape.bytes, true, [&](Places places) {
      for (std::byte* place : places)
        for (uint32_t i = 0; i < shape.scalars(); ++i) {
          const uint64_t b = bits_at(value, i * shape.scalar_bits, shape.scalar_bits);
          atomic_change(place + i * shape.scalar_bits / 8, shape.scalar_bits / 8, [&](uint64_t old) {
            return atomic_result(s.word(Slot::op), shape.scalar, false, old, b);
          });
        }
    });
  });
}

}  // namespace heddle::exec::interp
