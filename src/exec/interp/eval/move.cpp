// Values moved between registers, and bytes picked out of them (PTX ISA 9.7.9.3, 9.7.9.4, 9.7.9.7).
#include <cstdint>

#include "exec/interp/step.h"

namespace heddle::exec::interp {
namespace {

using isa::Slot;
using isa::Word;

unsigned bits_of_type(const Step& s) { return isa::info(s.type()).bits; }

uint64_t low_ones(unsigned bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

// The byte numbers that each mode of prmt takes for d.b0 to d.b3, as nibbles from the lowest on, by bits 1..0
// of c.
uint32_t selection(Word mode, uint32_t c) {
  static constexpr uint32_t forward4[] = {0x3210, 0x4321, 0x5432, 0x6543};
  static constexpr uint32_t backward4[] = {0x5670, 0x6701, 0x7012, 0x0123};
  static constexpr uint32_t replicate8[] = {0x0000, 0x1111, 0x2222, 0x3333};
  static constexpr uint32_t clamp_left[] = {0x3210, 0x3211, 0x3222, 0x3333};
  static constexpr uint32_t clamp_right[] = {0x0000, 0x1110, 0x2210, 0x3210};
  static constexpr uint32_t replicate16[] = {0x1010, 0x3232, 0x1010, 0x3232};
  switch (mode) {
    case Word::f4e: return forward4[c & 3];
    case Word::b4e: return backward4[c & 3];
    case Word::rc8: return replicate8[c & 3];
    case Word::ecl: return clamp_left[c & 3];
    case Word::ecr: return clamp_right[c & 3];
    case Word::rc16: return replicate16[c & 3];
    default: return c;
  }
}

}  // namespace

// A name may be that of a vector register (.reg .v2 .b16 %v): then the move packs or unpacks.
void eval_mov_pack(Step& s);
void eval_mov_unpack(Step& s);

void eval_mov(Step& s) {
  if (s.operand(0).kind == module::OperandKind::vector) return eval_mov_unpack(s);
  if (s.operand(1).kind == module::OperandKind::vector) return eval_mov_pack(s);
  if (isa::info(s.type()).kind == isa::TypeKind::predicate)
    return s.each([&](int lane) { s.set_predicate(0, lane, s.get_predicate(1, lane)); });
  const uint64_t mask = low_ones(bits_of_type(s));
  s.each([&](int lane) { s.set<uint64_t>(0, lane, s.get<uint64_t>(1, lane) & mask); });
}

void eval_mov_b128(Step& s) {
  s.each([&](int lane) { s.set<Wide>(0, lane, s.get<Wide>(1, lane)); });
}

// Element 0 is the least significant part.
void eval_mov_pack(Step& s) {
  const auto parts = s.children(s.operand(1));
  const unsigned total = bits_of_type(s), bits = total / static_cast<unsigned>(parts.size());
  s.each([&](int lane) {
    unsigned __int128 whole = 0;
    for (std::size_t i = 0; i < parts.size(); ++i)
      whole |= static_cast<unsigned __int128>(s.get<uint64_t>(parts[i], lane) & low_ones(bits)) << (bits * i);
    if (total == 128)
      s.set<Wide>(0, lane, Wide{static_cast<uint64_t>(whole), static_cast<uint64_t>(whole >> 64)});
    else
      s.set<uint64_t>(0, lane, static_cast<uint64_t>(whole));
  });
}

void eval_mov_unpack(Step& s) {
  const auto parts = s.children(s.operand(0));
  const unsigned total = bits_of_type(s), bits = total / static_cast<unsigned>(parts.size());
  s.each([&](int lane) {
    unsigned __int128 whole = 0;
    if (total == 128) {
      const Wide value = s.get<Wide>(1, lane);
      whole = static_cast<unsigned __int128>(value.high) << 64 | value.low;
    } else {
      whole = s.get<uint64_t>(1, lane);
    }
    for (std::size_t i = 0; i < parts.size(); ++i)
      s.set<uint64_t>(parts[i], lane, static_cast<uint64_t>(whole >> (bits * i)) & low_ones(bits));
  });
}

// Both sides are vectors, or the right one a special register of several components.
void eval_mov_vec(Step& s) {
  const auto to = s.children(s.operand(0));
  const module::Operand& source = s.operand(1);
  const auto from = s.children(source);
  static constexpr Word component[] = {Word::x, Word::y, Word::z, Word::w};
  const uint64_t mask = low_ones(bits_of_type(s));
  s.each([&](int lane) {
    uint64_t value[8] = {};
    for (std::size_t i = 0; i < to.size() && i < 8; ++i) {
      if (source.kind == module::OperandKind::vector) {
        value[i] = s.get<uint64_t>(from[i], lane);
      } else {
        module::Operand part = source;
        part.component = component[i & 3];
        value[i] = s.get<uint64_t>(part, lane);
      }
    }
    for (std::size_t i = 0; i < to.size() && i < 8; ++i) s.set<uint64_t>(to[i], lane, value[i] & mask);
  });
}

// d's bytes are picked from the eight of {b, a}; bit 3 of a selector replicates the byte's sign instead.
void eval_prmt(Step& s) {
  const Word mode = s.word(Slot::prmt);
  s.each([&](int lane) {
    const uint64_t bytes = uint64_t{s.get<uint32_t>(2, lane)} << 32 | s.get<uint32_t>(1, lane);
    const uint32_t select = selection(mode, s.get<uint32_t>(3, lane));
    uint32_t out = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const uint32_t nibble = select >> 4 * i & 15;
      auto byte = static_cast<uint8_t>(bytes >> 8 * (nibble & 7));
      if ((nibble & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
      out |= static_cast<uint32_t>(byte) << 8 * i;
    }
    s.set<uint32_t>(0, lane, out);
  });
}

}  // namespace heddle::exec::interp
