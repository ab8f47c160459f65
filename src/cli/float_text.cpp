#include "cli/float_text.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>

namespace heddle::cli {

namespace {

struct Layout {
  isa::Type type;
  unsigned bits, fraction;  // of the whole, of the significand without its hidden bit
  uint64_t nan;             // the one that instructions give: PTX ISA 5.2.3, 9.7.3
  uint64_t other_nan;       // f64 has it with either sign
  uint64_t exponent_mask() const { return (uint64_t{1} << (bits - 1)) - (uint64_t{1} << fraction); }
  int bias() const { return (1 << (bits - fraction - 2)) - 1; }
};

constexpr std::array layouts{
    Layout{isa::Type::f16, 16, 10, 0x7fff, 0x7fff},
    Layout{isa::Type::bf16, 16, 7, 0x7fff, 0x7fff},
    Layout{isa::Type::f32, 32, 23, 0x7fffffff, 0x7fffffff},
    Layout{isa::Type::f64, 64, 52, 0x7ff8000000000000, 0xfff8000000000000},
};

const Layout* layout_of(isa::Type type) {
  for (const Layout& layout : layouts)
    if (layout.type == type) return &layout;
  return nullptr;
}

double decode(const Layout& layout, uint64_t bits) {
  if (layout.bits == 64) return std::bit_cast<double>(bits);
  const uint64_t fraction = bits & ((uint64_t{1} << layout.fraction) - 1);
  const int exponent = static_cast<int>((bits & layout.exponent_mask()) >> layout.fraction);
  const uint64_t significand = exponent == 0 ? fraction : fraction | uint64_t{1} << layout.fraction;
  const double magnitude =
      std::ldexp(static_cast<double>(significand),
                 (exponent == 0 ? 1 : exponent) - layout.bias() - static_cast<int>(layout.fraction));
  return bits >> (layout.bits - 1) ? -magnitude : magnitude;
}

// To nearest, ties to even; too large a number becomes infinite.
uint64_t encode(const Layout& layout, double value) {
  if (layout.bits == 64) return std::bit_cast<uint64_t>(value);
  const uint64_t sign = std::signbit(value) ? uint64_t{1} << (layout.bits - 1) : 0;
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return sign | layout.exponent_mask();
  if (magnitude == 0) return sign;
  int exponent = 0;
  std::frexp(magnitude, &exponent);     // magnitude < 2^exponent
  const int least = 1 - layout.bias();  // of normal numbers
  const int unit = std::max(exponent - 1, least) - static_cast<int>(layout.fraction);
  // A whole number of units: nearbyint rounds it as is wanted, and a carry grows into the exponent.
  const auto units = static_cast<uint64_t>(std::nearbyint(std::ldexp(magnitude, -unit)));
  const uint64_t base = static_cast<uint64_t>(std::max(exponent - 1, least) - least) << layout.fraction;
  return sign | std::min(base + units, layout.exponent_mask());
}

template <class T>
std::string to_text(T value) {
  std::array<char, 64> text{};
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), result.ptr};
}

}  // namespace

bool is_printable_float(isa::Type type) { return layout_of(type) != nullptr; }

std::optional<uint64_t> read_float(isa::Type type, std::string_view text) {
  const Layout& layout = *layout_of(type);
  if (text == "nan") return layout.nan;
  if (text == "inf") return encode(layout, INFINITY);
  if (text == "-inf") return encode(layout, -INFINITY);
  if (text.empty() || text.find_first_not_of("0123456789+-.eE") != text.npos) return std::nullopt;
  if (text.front() == '+') text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  if (layout.bits == 32) {
    float single = 0;  // not by way of double, which would round twice
    const auto result = std::from_chars(text.data(), end, single);
    if (result.ptr != end || result.ec == std::errc::invalid_argument) return std::nullopt;
    if (result.ec == std::errc()) return std::bit_cast<uint32_t>(single);
  }
  double value = 0;
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ptr != end || result.ec == std::errc::invalid_argument) return std::nullopt;
  if (result.ec == std::errc::result_out_of_range) {
    // Too large or too small even for double: the exponent's sign tells which.
    const bool small = text.find("e-") != text.npos || text.find("E-") != text.npos;
    value = small ? 0.0 : INFINITY;
    if (text.front() == '-') value = -value;
  }
  return encode(layout, value);
}

std::string write_float(isa::Type type, uint64_t bits) {
  const Layout& layout = *layout_of(type);
  const uint64_t exponents = layout.exponent_mask();
  const bool negative = bits >> (layout.bits - 1) & 1;
  if ((bits & exponents) == exponents) {
    if ((bits & ((uint64_t{1} << layout.fraction) - 1)) == 0) return negative ? "-inf" : "inf";
    if (bits == layout.nan || bits == layout.other_nan) return "nan";
    std::string text = "nan:0x";
    for (int shift = static_cast<int>(layout.bits) - 4; shift >= 0; shift -= 4)
      text += "0123456789abcdef"[bits >> shift & 15];
    return text;
  }
  if (layout.bits == 64) return to_text(std::bit_cast<double>(bits));
  if (layout.bits == 32) return to_text(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  // The fewest digits that read back, then laid out as to_chars lays out any number.
  const double value = decode(layout, bits);
  std::array<char, 64> text{};
  for (int digits = 0; digits < 17; ++digits) {
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific, digits);
    double shorter = 0;
    std::from_chars(text.data(), end.ptr, shorter);
    if (encode(layout, shorter) != bits) continue;
    // Of equally long ones the nearest: 65504, not 65500.
    const std::string plain = to_text(shorter);
    if (plain.find_first_of(".e") != plain.npos) return plain;
    const std::string exact = to_text(value);
    return exact.size() == plain.size() ? exact : plain;
  }
  return to_text(value);
}

}  // namespace heddle::cli
