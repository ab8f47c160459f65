// For who looks at numbers (values.h) of programs that may compute with exceptional ones all the time: those
// that only go on may be counted instead of told.
#pragma once

#include <cstdint>

#include "observe/values.h"

namespace heddle::observe {

inline constexpr uint8_t counts_carried = 8;  // beside ValueKinds: of an observer whose sink is a CarriedSink

// Results of one instruction that are exceptional, as one of their sources was.
struct Carried {
  uint64_t nans = 0, infinities = 0;
  bool operator==(const Carried&) const = default;
};

// A base of a ValueSink. Executors may tell an instruction of a warp by its count alone where every
// exceptional result comes of such sources (a NaN of a NaN) and every such source gives such a result.
class CarriedSink {
 public:
  virtual void carried(Place, const Carried&) = 0;

 protected:
  ~CarriedSink() = default;
};

}  // namespace heddle::observe
