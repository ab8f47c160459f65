// Number literals (PTX ISA 4.5).
#include <bit>
#include <charconv>

#include "ptx/characters.h"
#include "ptx/lexer.h"
#include "ptx/quote.h"

namespace heddle::ptx {

namespace {

constexpr const char* kIntegerRule = "PTX ISA 4.5.1 Integer Constants";
constexpr const char* kFloatRule = "PTX ISA 4.5.2 Floating-Point Constants";

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

// Where from_chars gives up it does not say whether the number was too large or too small.
bool is_large(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  std::string_view digits = text.substr(0, e);
  long power = 0;
  if (e != text.npos) {
    std::string_view exponent = text.substr(e + 1);
    const bool negative = exponent.starts_with('-');
    if (negative || exponent.starts_with('+')) exponent.remove_prefix(1);
    for (const char c : exponent) power = power < 100'000'000 ? power * 10 + (c - '0') : power;
    if (negative) power = -power;
  }
  const std::size_t point = digits.find('.');
  const std::size_t first = digits.find_first_of("123456789");
  if (first == digits.npos) return false;
  const long places = static_cast<long>(point == digits.npos ? digits.size() : point);
  return places - static_cast<long>(first) + power > 0;
}

}  // namespace

Token Lexer::number() {
  const char* const begin = at_;
  unsigned base = 10;
  const char letter = at_[1];
  if (*at_ == '0' && (letter == 'f' || letter == 'F' || letter == 'd' || letter == 'D'))
    return hex_float(letter);
  if (*at_ == '0' && (letter == 'x' || letter == 'X')) {
    base = 16;
    at_ += 2;
  } else if (*at_ == '0' && (letter == 'b' || letter == 'B')) {
    base = 2;
    at_ += 2;
  } else {
    const char* scan = at_;
    while (is(*scan, char_digit)) ++scan;
    if (*scan == '.' || *scan == 'e' || *scan == 'E') return decimal_float(begin);
    if (*at_ == '0') base = 8;
  }
  const char* const digits = at_;
  uint64_t value = 0;
  bool overflow = false;
  for (; digit_value(*at_) < static_cast<int>(base); ++at_) {
    overflow = overflow || value > (UINT64_MAX - static_cast<uint64_t>(digit_value(*at_))) / base;
    value = value * base + static_cast<uint64_t>(digit_value(*at_));
  }
  const bool suffix = *at_ == 'U' && at_ != digits;
  const bool empty = at_ == digits;
  if (suffix) ++at_;
  if (is(*at_, char_name) || empty) {
    while (is(*at_, char_name)) ++at_;
    error(begin, at_, quoted({begin, at_}) + " is no number of base " + std::to_string(base), kIntegerRule);
    return make(Tok::error, begin);
  }
  if (overflow) {
    error(begin, at_, quoted({begin, at_}) + " does not fit in 64 bits", kIntegerRule);
    return make(Tok::error, begin);
  }
  Token token = make(Tok::integer, begin);
  token.value = value;
  // Literals are .s64 unless they say U or do not fit.
  token.is_unsigned = suffix || value > static_cast<uint64_t>(INT64_MAX);
  return token;
}

Token Lexer::hex_float(char letter) {
  const char* const begin = at_;
  const bool is_double = letter == 'd' || letter == 'D';
  const int wanted = is_double ? 16 : 8;
  at_ += 2;
  uint64_t value = 0;
  int count = 0;
  for (; digit_value(*at_) < 16; ++at_, ++count)
    value = value << 4 | static_cast<uint64_t>(digit_value(*at_));
  const bool stray = is(*at_, char_name);
  while (is(*at_, char_name)) ++at_;
  if (stray || count != wanted) {
    error(begin, at_,
          quoted({begin, at_}) + " must have " + std::to_string(wanted) + " hexadecimal digits after 0" +
              letter,
          kFloatRule);
    return make(Tok::error, begin);
  }
  Token token = make(is_double ? Tok::float64 : Tok::float32, begin);
  token.value = value;
  return token;
}

Token Lexer::decimal_float(const char* begin) {
  at_ = begin;
  while (is(*at_, char_digit)) ++at_;
  if (*at_ == '.') ++at_;
  while (is(*at_, char_digit)) ++at_;
  bool bad = false;
  if (*at_ == 'e' || *at_ == 'E') {
    ++at_;
    if (*at_ == '+' || *at_ == '-') ++at_;
    bad = !is(*at_, char_digit);
    while (is(*at_, char_digit)) ++at_;
  }
  if (is(*at_, char_name)) bad = true;
  while (is(*at_, char_name)) ++at_;
  if (bad) {
    error(begin, at_, quoted({begin, at_}) + " is no floating-point number", kFloatRule);
    return make(Tok::error, begin);
  }
  double value = 0;
  const auto result = std::from_chars(begin, at_, value);
  if (result.ec == std::errc::result_out_of_range) {
    value = 0;
    if (is_large({begin, static_cast<std::size_t>(at_ - begin)})) {
      error(begin, at_, "this number does not fit in an .f64", kFloatRule);
      return make(Tok::error, begin);
    }
  }
  Token token = make(Tok::float64, begin);
  token.value = std::bit_cast<uint64_t>(value);
  return token;
}

}  // namespace heddle::ptx
