#include "module/literal.h"

#include <bit>

namespace heddle::module {

namespace {

uint64_t low_bits(uint64_t value, unsigned bits) {
  return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1);
}

uint32_t rounded(uint64_t number) {
  return std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(number)));
}

}  // namespace

std::optional<uint64_t> literal_bits(Literal kind, uint64_t value, const isa::TypeInfo& type, bool singles) {
  const unsigned bits = type.kind == isa::TypeKind::none ? 64 : type.bits;
  switch (kind) {
    case Literal::integer:
      if (type.kind == isa::TypeKind::predicate) return value != 0 ? 1 : 0;
      if (type.kind == isa::TypeKind::floating && type.elements == 1 && bits >= 32) return std::nullopt;
      return low_bits(value, bits);
    case Literal::single:
      if (bits < 32 || type.kind == isa::TypeKind::predicate) return std::nullopt;
      return value & 0xffffffff;
    case Literal::number:
      if (singles && type.kind == isa::TypeKind::floating && type.elements == 1 && bits == 64)
        return rounded(value);
      if (bits >= 64) return value;
      if (bits == 32 && type.elements == 1) return rounded(value);
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace heddle::module
