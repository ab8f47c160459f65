// For who follows what becomes of values: every instruction of a warp, with what its operands hold. Launches
// with such an observer run on the reference executor.
#pragma once

#include <cstdint>

#include "observe/values.h"
#include "observe/values_of.h"

namespace heddle::observe {

inline constexpr uint8_t all_operands = 0x80;  // beside ValueKinds: of such an observer

struct Executed {
  Place place;
  std::array<uint32_t, 3> block{};
  uint32_t warp = 0;  // of the block
  uint64_t call = 0;  // of the warp: the call of the function to which the registers belong
  Mask came = 0;
  Mask lanes = 0;  // that were not switched off by a guard
  // Of operand n of the instruction, if it is a register or an immediate, what lane l has there is
  // operands[32 * n + l]: of a source before, of a result after the instruction. nullptr: no lane is on, or
  // it was the last of these lanes in this call.
  const uint64_t* operands = nullptr;
};

class OperandSink : public ValueSink {
 public:
  virtual void executed(const Executed&) = 0;
  void value(const Value&) override {}
};

class OperandObserver : public ValueObserver {
 public:
  uint8_t values() const override { return all_operands; }
};

inline bool wants_operands(Observer* observer) {
  return observer != nullptr && (value_kinds_of(observer) & all_operands) != 0;
}

}  // namespace heddle::observe
