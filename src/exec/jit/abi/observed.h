// What code tells an observer, as one number: observe::Needs, and behind them observe::ValueKinds.
#pragma once

#include <cstdint>

#include "isa/isa.h"
#include "observe/values.h"

namespace heddle::exec::jit {

using Observed = uint16_t;
inline constexpr unsigned value_kinds_shift = 8;

constexpr Observed observed_values(uint8_t kinds) {
  return static_cast<Observed>(kinds << value_kinds_shift);
}
constexpr uint8_t value_kinds(Observed observed) {
  return static_cast<uint8_t>(observed >> value_kinds_shift);
}

// Of a number that is told: its type, and what is to be seen in it.
struct ValueCode {
  isa::Type type{};
  bool looked_at = false, result = false, addend = false;
  uint32_t number() const {
    return static_cast<uint32_t>(type) << 3 | uint32_t{addend} << 2 | uint32_t{result} << 1 |
           uint32_t{looked_at};
  }
  static ValueCode of(uint64_t number) {
    return {static_cast<isa::Type>(number >> 3), (number & 1) != 0, (number & 2) != 0, (number & 4) != 0};
  }
};

}  // namespace heddle::exec::jit
