// For who looks at what programs compute: the floating-point numbers of an instruction are told where one of
// them is exceptional.
#pragma once

#include <cstdint>

#include "observe/observer.h"

namespace heddle::observe {

// Which numbers are exceptional. Bits; code is made for just these.
enum ValueKinds : uint8_t {
  no_values = 0,
  not_finite = 1,     // NaNs and infinities: results, and sources that a finite result may come of
  subnormals = 2,     // results
  cancellations = 4,  // sums that have lost most of the digits of what was added
};

// One instruction of one warp, when it is over. Which numbers it has is said by exec::ToldNumbers; number n
// of lane l is bits[32 * n + l]. Payload and sign of a NaN mean nothing.
struct Value {
  Place place;
  std::array<uint32_t, 3> block{};
  uint32_t warp = 0;  // of the block
  Mask lanes = 0;     // that came, and were not switched off by a guard
  const uint64_t* bits = nullptr;
};

class ValueSink : public Sink {
 public:
  // Where a lane has a number that is exceptional. Not where none has.
  virtual void value(const Value&) = 0;
};

// Is told values besides what it needs.
class ValueObserver : public Observer {
 public:
  virtual uint8_t values() const = 0;  // ValueKinds
  ValueSink& sink() override = 0;
};

// What somebody's observer wants to be told of values.
inline uint8_t values_of(const Observer* observer) {
  const auto* values = dynamic_cast<const ValueObserver*>(observer);
  return values == nullptr ? uint8_t{no_values} : values->values();
}

}  // namespace heddle::observe
