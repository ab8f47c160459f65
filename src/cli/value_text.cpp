#include "cli/value_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "cli/float_text.h"

namespace heddle::cli {

namespace {

Error bad(isa::Type type, std::string_view text, std::string_view why) {
  return {"'" + std::string(text) + "' is " + std::string(why) + " " + std::string(isa::info(type).name)};
}

bool is_hex(std::string_view text) { return text.starts_with("0x") || text.starts_with("0X"); }

// The whole of `text` as a number in the base that its prefix names.
std::optional<uint64_t> parse_unsigned(std::string_view text) {
  const int base = is_hex(text) ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

uint64_t mask(unsigned bits) { return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

// What fits the type's width as a signed or as an unsigned number is taken: -1 is all ones.
Result<uint64_t> parse_integer(isa::Type type, std::string_view text) {
  const unsigned bits = isa::info(type).bits;
  const bool negative = text.starts_with('-');
  const std::optional<uint64_t> magnitude = parse_unsigned(text.substr(negative ? 1 : 0));
  if (!magnitude) return bad(type, text, "no");
  if (negative ? *magnitude > uint64_t{1} << (bits - 1) : *magnitude > mask(bits))
    return bad(type, text, "out of range for");
  return (negative ? ~*magnitude + 1 : *magnitude) & mask(bits);
}

Result<uint64_t> parse_floating(isa::Type type, std::string_view text) {
  if (is_hex(text)) {
    const std::optional<uint64_t> bits = parse_unsigned(text);
    if (!bits) return bad(type, text, "no");
    if (*bits > mask(isa::info(type).bits)) return bad(type, text, "out of range for");
    return *bits;
  }
  const std::optional<uint64_t> bits = read_float(type, text);
  if (!bits) return bad(type, text, "no");
  return *bits;
}

void append(std::vector<std::byte>& bytes, uint64_t bits, unsigned size) {
  for (unsigned i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(bits >> (8 * i)));
}

constexpr uint64_t most_elements = uint64_t{1} << 32;

// "3..7": the whole numbers from 3 to 7. False when the item is none.
Result<bool> append_range(std::vector<std::byte>& bytes, isa::Type type, std::string_view item) {
  const std::size_t dots = item.find("..");
  if (dots == item.npos) return false;
  std::array<int64_t, 2> ends{};
  const std::array<std::string_view, 2> words{item.substr(0, dots), item.substr(dots + 2)};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto [end, error] = std::from_chars(words[i].data(), words[i].data() + words[i].size(), ends[i]);
    if (error != std::errc() || end != words[i].data() + words[i].size())
      return Error{"'" + std::string(item) + "': a range is FIRST..LAST in whole numbers"};
  }
  if (ends[0] > ends[1] || static_cast<uint64_t>(ends[1]) - static_cast<uint64_t>(ends[0]) >= most_elements)
    return Error{"'" + std::string(item) + "': a range rises, by less than 2^32 elements"};
  for (int64_t value = ends[0];; ++value) {
    const Result<uint64_t> bits = parse_value(type, std::to_string(value));
    if (!bits) return bits.error();
    append(bytes, *bits, element_bytes(type));
    if (value == ends[1]) return true;
  }
}

}  // namespace

isa::Type element_type(std::string_view name) {
  const isa::Type type = isa::type_of(isa::find_word(name));
  if (type == isa::Type::none) return type;
  const isa::TypeInfo& info = isa::info(type);
  const bool number = info.kind == isa::TypeKind::untyped || info.kind == isa::TypeKind::unsigned_ ||
                      info.kind == isa::TypeKind::signed_ || is_printable_float(type);
  const bool whole = info.bits == 8 || info.bits == 16 || info.bits == 32 || info.bits == 64;
  return number && whole && info.elements == 1 ? type : isa::Type::none;
}

unsigned element_bytes(isa::Type type) { return isa::info(type).bits / 8u; }

Result<uint64_t> parse_value(isa::Type type, std::string_view text) {
  return isa::info(type).kind == isa::TypeKind::floating ? parse_floating(type, text)
                                                         : parse_integer(type, text);
}

Result<std::vector<std::byte>> parse_values(isa::Type type, std::string_view list) {
  std::vector<std::byte> bytes;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    std::string_view item = list.substr(begin, end - begin);
    begin = end + 1;
    const Result<bool> range = append_range(bytes, type, item);
    if (!range) return range.error();
    if (*range) continue;
    // 0x4 is a number; 0x10x4 is four times 16.
    uint64_t count = 1;
    const std::size_t times = item.rfind('x');
    const bool prefix = times == 1 && item[0] == '0';
    const bool negative_prefix = times == 2 && item.starts_with("-0");
    if (times != item.npos && !prefix && !negative_prefix) {
      const std::optional<uint64_t> repeat = parse_unsigned(item.substr(times + 1));
      if (!repeat || *repeat > most_elements)
        return Error{"'" + std::string(item) + "': a repetition is VALUExCOUNT"};
      count = *repeat;
      item = item.substr(0, times);
    }
    const Result<uint64_t> bits = parse_value(type, item);
    if (!bits) return bits.error();
    for (uint64_t i = 0; i < count; ++i) append(bytes, *bits, element_bytes(type));
  }
  return bytes;
}

std::string format_value(isa::Type type, uint64_t bits, bool hex) {
  const isa::TypeInfo& info = isa::info(type);
  if (hex || info.kind == isa::TypeKind::untyped) {
    std::string text(2 + info.bits / 4u, '0');
    text[1] = 'x';
    for (unsigned i = 0; i < info.bits / 4u; ++i)
      text[text.size() - 1 - i] = "0123456789abcdef"[bits >> (4 * i) & 15];
    return text;
  }
  if (info.kind == isa::TypeKind::floating) return write_float(type, bits);
  if (info.kind == isa::TypeKind::signed_) {
    const unsigned unused = 64u - info.bits;
    return std::to_string(static_cast<int64_t>(bits << unused) >> unused);
  }
  return std::to_string(bits);
}

std::string format_values(isa::Type type, std::span<const std::byte> bytes, bool hex) {
  std::string text;
  const unsigned size = element_bytes(type);
  for (std::size_t at = 0; at + size <= bytes.size(); at += size) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + at, size);
    if (at != 0) text += ' ';
    text += format_value(type, bits, hex);
  }
  return text;
}

}  // namespace heddle::cli
