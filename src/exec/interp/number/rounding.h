// How a result that no number of the format equals is rounded (PTX ISA 9.7.3, 9.7.9.21).
#pragma once

#include <cstdint>

#include "isa/isa.h"

namespace heddle::exec::interp {

enum class Rounding : uint8_t {
  nearest_even,  // .rn
  nearest_away,  // .rna: ties away from zero
  toward_zero,   // .rz
  down,          // .rm
  up,            // .rp
};

inline Rounding rounding_of(isa::Word word) {  // no word means .rn
  switch (word) {
    case isa::Word::rna: return Rounding::nearest_away;
    case isa::Word::rz:
    case isa::Word::rzi: return Rounding::toward_zero;
    case isa::Word::rm:
    case isa::Word::rmi: return Rounding::down;
    case isa::Word::rp:
    case isa::Word::rpi: return Rounding::up;
    default: return Rounding::nearest_even;
  }
}

// What the rounding does to a magnitude: `rest` is what stands below its last digit, compared with half of
// that digit's unit.
enum class Rest : uint8_t { none, below_half, half, above_half };

constexpr bool rounds_up_magnitude(Rounding rounding, bool negative, bool odd, Rest rest) {
  switch (rounding) {
    case Rounding::nearest_even: return rest == Rest::above_half || (rest == Rest::half && odd);
    case Rounding::nearest_away: return rest >= Rest::half;
    case Rounding::toward_zero: return false;
    case Rounding::down: return negative && rest != Rest::none;
    case Rounding::up: return !negative && rest != Rest::none;
  }
  return false;
}

}  // namespace heddle::exec::interp
