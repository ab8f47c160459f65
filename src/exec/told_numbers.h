// Which numbers of an instruction observers of values are told (observe/values.h), and when: the same by both
// executors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exec/number_format.h"
#include "exec/number_use.gen.h"
#include "module/image.h"
#include "observe/values.h"

namespace heddle::exec {

// An instruction has at most so many; of others none is told.
inline constexpr std::size_t most_numbers = 32;

struct Number {
  // nullptr: an argument or a result of a device math function, which the instruction calls.
  const module::Operand* operand = nullptr;
  isa::Type type{};     // f16, f16x2, bf16, bf16x2, f32, f32x2, f64
  bool result = false;  // results come first, both in the order of the operands
  // For NaNs and infinities. Not a source of which an exceptional result tells as much, nor a constant.
  bool looked_at = false;
  uint8_t place = 0;  // of a source: which one, from 1; of a call's: which argument

  unsigned elements() const { return isa::info(type).elements; }
  NumberFormat format() const { return format_of(type); }
  uint64_t element(uint64_t bits, unsigned i) const { return bits >> (i * format().bits) & format().mask(); }
};

// Of the functions of an image. Not for two threads at once.
class ToldNumbers {
 public:
  explicit ToldNumbers(const module::Image& image) : image_(image), functions_(image.functions.size()) {}
  std::span<const Number> of(uint32_t function, uint32_t instruction);
  NumberUse use(uint32_t function, uint32_t instruction) const;

 private:
  const module::Image& image_;
  std::vector<std::vector<std::vector<Number>>> functions_;  // by instruction; empty: not asked for yet
};

// Which of its lanes have a number that is exceptional in one of these ways (observe::ValueKinds). `bits`: as
// observe::Value has them.
observe::Mask exceptional_lanes(std::span<const Number> numbers, NumberUse use, uint8_t kinds,
                                observe::Mask lanes, const uint64_t* bits);

// Of a sum, the addend that its result is compared with to see that it cancelled; nullptr: it is none.
const Number* addend_of(std::span<const Number> numbers, NumberUse use);

}  // namespace heddle::exec
