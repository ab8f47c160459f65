// Intel SDM 2, chapter 2: prefixes, ModR/M and SIB (2.1), REX (2.2), VEX (2.3), EVEX and its compressed
// displacement (2.7.5).
#include "exec/jit/launch/x86_operand.h"

#include <cstring>

namespace heddle::exec::jit {

namespace {

class Bytes {
 public:
  explicit Bytes(std::span<const std::byte> code) : code_(code) {}
  uint8_t next() {
    if (at_ >= code_.size()) {
      good_ = false;
      return 0;
    }
    return static_cast<uint8_t>(code_[at_++]);
  }
  uint8_t peek() const { return at_ < code_.size() ? static_cast<uint8_t>(code_[at_]) : 0; }
  int32_t next32() {
    int32_t value = 0;
    if (code_.size() - at_ < sizeof value) {
      good_ = false;
      return 0;
    }
    std::memcpy(&value, code_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  std::size_t at() const { return at_; }
  bool good() const { return good_; }

 private:
  std::span<const std::byte> code_;
  std::size_t at_ = 0;
  bool good_ = true;
};

enum class Encoding : uint8_t { legacy, vex, evex };

struct Head {
  Encoding encoding = Encoding::legacy;
  uint8_t map = 0;     // 0: one-byte opcodes, 1: 0f, 2: 0f38, 3: 0f3a
  uint8_t prefix = 0;  // 0, 1: 66, 2: f3, 3: f2
  bool wide = false;
  uint8_t index_high = 0, base_high = 0;  // bit 3 of the registers
  uint8_t vector_length = 0;              // 0: 16, 1: 32, 2: 64 bytes
  bool broadcast = false;
  uint8_t mask = 0;
  uint8_t opcode = 0;
  bool segment = false, narrow = false;
};

bool read_head(Bytes& in, Head& head) {
  for (;;) {
    switch (in.peek()) {
      case 0x66: head.prefix = 1; break;
      case 0xf3: head.prefix = 2; break;
      case 0xf2: head.prefix = 3; break;
      case 0xf0:
      case 0x2e:
      case 0x36:
      case 0x3e:
      case 0x26: break;
      case 0x64:
      case 0x65: head.segment = true; break;
      case 0x67: head.narrow = true; break;
      default: goto prefixes_end;
    }
    in.next();
    if (!in.good() || in.at() > 14) return false;
  }
prefixes_end:
  const uint8_t first = in.peek();
  if (first == 0xc5) {
    in.next();
    const uint8_t a = in.next();
    head.encoding = Encoding::vex;
    head.map = 1;
    head.vector_length = a >> 2 & 1;
    head.prefix = a & 3;
    head.opcode = in.next();
    return in.good();
  }
  if (first == 0xc4) {
    in.next();
    const uint8_t a = in.next(), b = in.next();
    head.encoding = Encoding::vex;
    head.index_high = (a >> 6 & 1) == 0 ? 8 : 0;
    head.base_high = (a >> 5 & 1) == 0 ? 8 : 0;
    head.map = a & 31;
    head.wide = b >> 7;
    head.vector_length = b >> 2 & 1;
    head.prefix = b & 3;
    head.opcode = in.next();
    return in.good() && head.map >= 1 && head.map <= 3;
  }
  if (first == 0x62) {
    in.next();
    const uint8_t a = in.next(), b = in.next(), c = in.next();
    head.encoding = Encoding::evex;
    head.index_high = (a >> 6 & 1) == 0 ? 8 : 0;
    head.base_high = (a >> 5 & 1) == 0 ? 8 : 0;
    head.map = a & 7;
    head.wide = b >> 7;
    head.prefix = b & 3;
    head.vector_length = c >> 5 & 3;
    head.broadcast = c >> 4 & 1;
    head.mask = c & 7;
    head.opcode = in.next();
    return in.good() && head.map >= 1 && head.map <= 3 && head.vector_length < 3;
  }
  if ((first & 0xf0) == 0x40) {
    in.next();
    head.wide = first >> 3 & 1;
    head.index_high = (first >> 1 & 1) != 0 ? 8 : 0;
    head.base_high = (first & 1) != 0 ? 8 : 0;
  }
  head.opcode = in.next();
  if (head.opcode == 0x0f) {
    head.map = 1;
    head.opcode = in.next();
    if (head.opcode == 0x38 || head.opcode == 0x3a) {
      head.map = head.opcode == 0x38 ? 2 : 3;
      head.opcode = in.next();
    }
  }
  return in.good();
}

bool in_range(unsigned value, unsigned first, unsigned last) { return value >= first && value <= last; }

// What an EVEX displacement of 8 bits counts (tables 2-34 and 2-35): the bytes of the access as a whole.
uint32_t compressed_unit(const Head& h) {
  const uint32_t vector = 16u << h.vector_length, element = h.wide ? 8 : 4;
  if (h.broadcast) return element;
  if (h.map == 1) {
    const bool scalar = h.prefix >= 2;  // f3, f2
    if (scalar && (in_range(h.opcode, 0x10, 0x11) || in_range(h.opcode, 0x51, 0x5f)))
      return h.prefix == 2 ? 4 : 8;
    if (h.opcode == 0x6e || (h.opcode == 0x7e && h.prefix == 1)) return element;
    if ((h.opcode == 0x7e && h.prefix == 2) || h.opcode == 0xd6) return 8;
    if (in_range(h.opcode, 0x12, 0x13) || in_range(h.opcode, 0x16, 0x17)) return 8;
    if (h.opcode == 0x5a && h.prefix == 0) return vector / 2;  // vcvtps2pd
    if (h.opcode == 0xe6 && h.prefix == 2) return vector / 2;  // vcvtdq2pd
    return vector;
  }
  if (h.map == 2) {
    // Widening loads and narrowing stores: half, quarter or an eighth of the register.
    if ((in_range(h.opcode, 0x20, 0x25) || in_range(h.opcode, 0x30, 0x35)) ||
        (h.prefix == 2 && in_range(h.opcode, 0x10, 0x15))) {
      constexpr uint8_t part[6] = {2, 4, 8, 2, 4, 2};
      return vector / part[h.opcode & 7];
    }
    switch (h.opcode) {
      case 0x13: return vector / 2;  // vcvtph2ps
      case 0x18:
      case 0x58: return 4;
      case 0x19:
      case 0x59: return 8;
      case 0x1a:
      case 0x5a: return 16;
      case 0x1b:
      case 0x5b: return 32;
      case 0x78: return 1;
      case 0x79: return 2;
      case 0x88:
      case 0x89:
      case 0x8a:
      case 0x8b: return element;
      default: break;
    }
    if (in_range(h.opcode, 0x96, 0xbf) && (h.opcode & 1) != 0 && (h.opcode & 0xf) >= 9) return element;
    return vector;
  }
  if (h.opcode == 0x1d) return vector / 2;  // vcvtps2ph
  if (in_range(h.opcode, 0x14, 0x17) || in_range(h.opcode, 0x20, 0x22)) return 0;
  return vector;
}

// Bytes of memory that a bit of the mask stands for, where an access is contiguous; 0: not known.
uint8_t mask_unit(const Head& h) {
  if (h.map == 1) {
    switch (h.opcode) {
      case 0x10:
      case 0x11:
      case 0x28:
      case 0x29: return h.prefix == 0 || h.prefix == 2 ? 4 : 8;
      case 0x6f:
      case 0x7f:
        if (h.prefix == 3) return h.wide ? 2 : 1;
        return h.wide ? 8 : 4;
      default: return 0;
    }
  }
  if (h.map == 2 && h.prefix != 0) {
    constexpr uint8_t memory_element[6] = {1, 1, 1, 2, 2, 4};
    if (in_range(h.opcode, 0x20, 0x25) || in_range(h.opcode, 0x30, 0x35)) return memory_element[h.opcode & 7];
  }
  return 0;
}

}  // namespace

std::optional<MemoryOperand> memory_operand(std::span<const std::byte> code,
                                            const uint64_t (&registers)[16]) {
  Bytes in(code);
  Head head;
  if (!read_head(in, head) || head.segment || head.narrow) return std::nullopt;
  const uint8_t modrm = in.next();
  const unsigned mode = modrm >> 6, low = modrm & 7;
  if (!in.good() || mode == 3) return std::nullopt;
  const bool gather = head.encoding != Encoding::legacy && head.map == 2 &&
                      (in_range(head.opcode, 0x90, 0x93) || in_range(head.opcode, 0xa0, 0xa3));
  if (gather) return std::nullopt;
  uint64_t address = 0;
  if (low == 4) {
    const uint8_t sib = in.next();
    const unsigned index = (sib >> 3 & 7) | head.index_high, base = sib & 7;
    if (index != 4) address += registers[index] << (sib >> 6);
    if (base == 5 && mode == 0)
      address += static_cast<uint64_t>(int64_t{in.next32()});
    else
      address += registers[base | head.base_high];
  } else if (low == 5 && mode == 0) {
    return std::nullopt;
  } else {
    address += registers[low | head.base_high];
  }
  if (mode == 1) {
    int64_t displacement = static_cast<int8_t>(in.next());
    if (head.encoding == Encoding::evex && displacement != 0) {
      const uint32_t unit = compressed_unit(head);
      if (unit == 0) return std::nullopt;
      displacement *= unit;
    }
    address += static_cast<uint64_t>(displacement);
  } else if (mode == 2) {
    address += static_cast<uint64_t>(int64_t{in.next32()});
  }
  if (!in.good()) return std::nullopt;
  MemoryOperand operand;
  operand.address = address;
  operand.mask = head.mask;
  // Also vbroadcastss and its kin, which have an opcode each.
  operand.broadcast =
      head.broadcast || (head.encoding != Encoding::legacy && head.map == 2 &&
                         (in_range(head.opcode, 0x18, 0x1b) || in_range(head.opcode, 0x58, 0x5b) ||
                          in_range(head.opcode, 0x78, 0x79)));
  operand.mask_unit = head.mask == 0 ? 0 : mask_unit(head);
  return operand;
}

}  // namespace heddle::exec::jit
