// For who tells programs the time: a kernel that reads %clock or %globaltimer is given what its observer's
// sink says, instead of what the host's clock shows.
#pragma once

#include <array>
#include <cstdint>

#include "observe/observer.h"

namespace heddle::observe {

// A warp reads a clock at this place; it has been told of whatever the warp did before. Lanes that read it
// together may ask one after another: they are to have one answer.
struct TimeAsked {
  Place place;
  std::array<uint32_t, 3> block{};
  uint32_t warp = 0;  // of the block
};

struct Time {
  uint64_t cycles = 0;       // of the multiprocessor
  uint64_t nanoseconds = 0;  // of the device
};

// A base of a Sink.
class TimeSink {
 public:
  virtual bool tells_time() const { return true; }
  virtual Time time(const TimeAsked&) = 0;

 protected:
  ~TimeSink() = default;
};

// All of whose sinks tell the time.
class TimeObserver : public Observer {};

// nullptr: the host's clock is read.
inline TimeSink* time_sink(Sink* sink) {
  auto* found = dynamic_cast<TimeSink*>(sink);
  return found != nullptr && found->tells_time() ? found : nullptr;
}
// Whether sinks of this observer tell the time; nullptr: none.
bool tells_time(Observer* observer);

}  // namespace heddle::observe
