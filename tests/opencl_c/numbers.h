// Numbers to test with, and what they are in other formats, worked out in long double (64 digits: every
// number of every type of OpenCL C is exact).
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace heddle::opencl_c {

struct Format {
  std::string name;
  unsigned bytes;
  bool real, is_signed;
  int digits = 0, least = 0, most = 0;  // of a real one: of the significand; exponents of 2
  unsigned bits() const { return bytes * 8; }
};
inline const std::vector<Format>& formats() {
  static const std::vector<Format> all{{"char", 1, false, true},
                                       {"uchar", 1, false, false},
                                       {"short", 2, false, true},
                                       {"ushort", 2, false, false},
                                       {"int", 4, false, true},
                                       {"uint", 4, false, false},
                                       {"long", 8, false, true},
                                       {"ulong", 8, false, false},
                                       {"half", 2, true, true, 11, -14, 15},
                                       {"float", 4, true, true, 24, -126, 127},
                                       {"double", 8, true, true, 53, -1022, 1023}};
  return all;
}

inline long double decode(const Format& f, uint64_t bits) {
  if (!f.real) {
    if (!f.is_signed) return static_cast<long double>(bits);
    const unsigned shift = 64 - f.bits();
    return static_cast<long double>(static_cast<int64_t>(bits << shift) >> shift);
  }
  const unsigned fraction = static_cast<unsigned>(f.digits) - 1;
  const uint64_t exponent_mask = (uint64_t{1} << (f.bits() - 1 - fraction)) - 1;
  const uint64_t mantissa = bits & ((uint64_t{1} << fraction) - 1),
                 exponent = bits >> fraction & exponent_mask;
  const bool negative = (bits >> (f.bits() - 1) & 1) != 0;
  long double value;
  if (exponent == exponent_mask)
    value = mantissa != 0 ? NAN : INFINITY;
  else if (exponent == 0)
    value = std::ldexp(static_cast<long double>(mantissa), f.least - static_cast<int>(fraction));
  else
    value = std::ldexp(static_cast<long double>(mantissa | uint64_t{1} << fraction),
                       static_cast<int>(exponent) - f.most - static_cast<int>(fraction));
  return negative ? -value : value;
}

// 'e' to nearest even, 'z', 'p', 'n'.
inline long double to_whole(long double x, char mode) {
  switch (mode) {
    case 'e': return std::nearbyint(x);
    case 'p': return std::ceil(x);
    case 'n': return std::floor(x);
    default: return std::trunc(x);
  }
}

// The nearest number of a real format in that direction.
inline long double to_format(const Format& f, long double x, char mode) {
  if (x == 0 || std::isnan(x) || std::isinf(x)) return x;
  const int exponent = std::max(std::ilogb(x), f.least);
  const long double step = std::ldexp(1.0L, exponent - f.digits + 1);
  const long double rounded = to_whole(x / step, mode) * step;
  const long double largest = std::ldexp(2 - std::ldexp(1.0L, 1 - f.digits), f.most);
  if (std::fabs(rounded) <= largest) return std::copysign(rounded, x);
  const bool stays = mode == 'z' || (mode == 'p' && x < 0) || (mode == 'n' && x > 0);
  return std::copysign(stays ? largest : static_cast<long double>(INFINITY), x);
}

// Corners and numbers at random, as bits.
inline std::vector<uint64_t> samples(const Format& f, std::size_t count, uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  const uint64_t all = f.bits() == 64 ? ~uint64_t{0} : (uint64_t{1} << f.bits()) - 1;
  std::vector<uint64_t> values{
      0, 1, 2, 3, 5, 7, 127, 128, 255, all, all - 1, all >> 1, (all >> 1) + 1, (all >> 1) + 2};
  if (f.real) {
    const unsigned fraction = static_cast<unsigned>(f.digits) - 1;
    for (const int e : {-3, -2, -1, 0, 1, 2, 6, 7, 8, 14, 15, 16, 30, 31, 32, 62, 63, 64})
      for (const uint64_t m :
           {uint64_t{0}, uint64_t{1}, (uint64_t{1} << fraction) - 1, uint64_t{1} << (fraction - 1)})
        if (e <= f.most)
          for (const uint64_t sign : {uint64_t{0}, uint64_t{1}})
            values.push_back(sign << (f.bits() - 1) | static_cast<uint64_t>(e + f.most) << fraction | m);
    const uint64_t exponents = all >> 1 & ~((uint64_t{1} << fraction) - 1);
    for (const uint64_t special : {exponents, exponents | uint64_t{1} << (fraction - 1), exponents - 1})
      values.insert(values.end(), {special, special | uint64_t{1} << (f.bits() - 1)});
  }
  for (auto& value : values) value &= all;
  while (values.size() < count) {
    uint64_t value = random() & all;
    // Half of the real numbers near those that integers have.
    if (f.real && values.size() % 2 == 0) {
      const unsigned fraction = static_cast<unsigned>(f.digits) - 1;
      const uint64_t exponent = static_cast<uint64_t>(f.most) - 4 + random() % (f.most < 20 ? 19 : 70);
      value =
          (value & ((uint64_t{1} << fraction) - 1)) | exponent << fraction | (random() & 1) << (f.bits() - 1);
    }
    values.push_back(value);
  }
  values.resize(count);
  return values;
}

}  // namespace heddle::opencl_c
