#include "exec/interp/number/narrow.h"

#include <cmath>
#include <limits>

namespace heddle::exec::interp {

uint64_t narrow(const Narrowing& how, float value) {
  if (std::isnan(value)) return how.format.all_ones();
  if (how.relu && std::signbit(value)) return 0;
  return encode(how.format, double{value}, how.rounding, how.overflow);
}

uint64_t narrow_stochastic(const Narrowing& how, float value, uint32_t random, int random_bits) {
  const Format& format = how.format;
  if (std::isnan(value) || std::isinf(value) || (how.relu && std::signbit(value))) return narrow(how, value);
  const uint64_t sign = std::signbit(value) ? format.sign_bit() : 0;
  const double magnitude = std::fabs(double{value});
  const uint64_t below = encode(format, magnitude, Rounding::toward_zero);
  const double low = decode(format, below);
  // The distance to the next number; above the largest one, the distance to the one before.
  const double unit =
      below < format.largest() ? decode(format, below + 1) - low : low - decode(format, below - 1);
  const double rest = std::floor(std::ldexp((magnitude - low) / unit, random_bits));
  const bool up = rest + random >= std::ldexp(1.0, random_bits);
  if (below < format.largest()) return sign | (below + (up ? 1 : 0));
  const bool infinite = up && how.overflow == Overflow::ieee && format.special == Format::Special::ieee;
  return sign | (infinite ? format.infinity() : format.largest());
}

uint8_t to_ue8m0(float value, Rounding rounding, Overflow overflow) {
  constexpr uint8_t nan = 0xff, largest = 0xfe;
  if (std::isnan(value)) return nan;
  const float magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return overflow == Overflow::largest ? largest : nan;
  if (magnitude <= 0x1p-127f) return 0;  // 2^-127 is the least number, and there is no zero
  int exponent = 0;
  const float fraction = std::frexp(magnitude, &exponent);  // in [0.5, 1)
  const int field = exponent - 1 + 127 + (rounding == Rounding::up && fraction != 0.5f ? 1 : 0);
  if (field <= largest) return static_cast<uint8_t>(field);
  return overflow == Overflow::largest ? largest : nan;
}

float from_ue8m0(uint8_t bits) {
  if (bits == 0xff) return std::numeric_limits<float>::quiet_NaN();
  return std::ldexp(1.0f, bits - 127);
}

}  // namespace heddle::exec::interp
