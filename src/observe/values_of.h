// What an observer wants to be told of values, also where it stands for several.
#pragma once

#include "observe/values.h"

namespace heddle::observe {

// ValueKinds; nullptr: none. `sink`: one of the observer's.
uint8_t value_kinds_of(Observer* observer);
uint8_t value_kinds_of(const Observer* observer, const Sink* sink);

// A base of the sink of several observers: what they want together.
class ValueKindsSink {
 public:
  virtual uint8_t values() const = 0;

 protected:
  ~ValueKindsSink() = default;
};

}  // namespace heddle::observe
