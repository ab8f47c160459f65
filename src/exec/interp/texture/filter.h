// What a linear filter adds up, and what becomes of the sum. As an H100 does it
// (tests/hw/h100/answers/texture_filters): weights are whole 256ths, texels are numbers of few bits, and a
// sum is rounded once.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "exec/interp/texture/texel.h"

namespace heddle::exec::interp {

// How the 256 parts of a look are shared among its corners, from the parts of the second texel on each axis;
// 0 for an axis that there is not. Bit i of a corner's number says that it is the second one of axis i. The
// third axis shares first, then the first one, then the second; each share is rounded to a whole one.
std::array<int32_t, 8> corner_weights(int32_t x, int32_t y, int32_t z);

class Filter {
 public:
  // `compared`: texels have become 0 and 1.
  Filter(const Reading& reading, bool compared);

  // In the filter's own numbers: what is normalised is not divided yet.
  Values texel(const std::byte* at) const;
  Values border(const float (&colour)[4]) const;

  struct Corner {
    int32_t weight = 0;  // in 256ths; 0: does not count, be it infinite
    Values texel{};
  };
  // The weighted sum, in 256ths, of up to four corners that differ on the first two axes. Of floats it keeps
  // as many bits as the largest of them allows; the third axis adds two such sums.
  Values sum(std::span<const Corner> corners) const;
  // Registers, from a sum in 256ths.
  Words words(const Values& sum) const;

 private:
  enum class Kind : uint8_t {
    exact,       // numbers as they are, divided by `unit_` and rounded to f32
    whole,       // integers that are handed out as such
    normalized,  // integers of `unit_` in all, as a fraction of 15 or 16 bits
    single,
    half
  };
  uint32_t word(double sum) const;

  const Reading& reading_;
  Kind kind_ = Kind::exact;
  double unit_ = 1;
};

}  // namespace heddle::exec::interp
