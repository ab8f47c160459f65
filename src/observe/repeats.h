// For who counts accesses and need not see each: those that repeat an earlier one are told with how often.
#pragma once

#include <cstdint>

#include "observe/observer.h"

namespace heddle::observe {

// An access repeats an earlier one of its place that has the same lanes, bytes, space and kind, whose lanes'
// addresses lie as far from one another, and begin as far behind a multiple of so many bytes. No device looks
// further when it puts addresses together or finds their banks.
inline constexpr uint64_t repeat_bytes = 256;

class RepeatSink : public Sink {
 public:
  // An access and those that repeat it, told at any time after the first of them: `times` in all, told in any
  // number of calls. Block, warp and addresses are one's of them. An executor may tell some by `access`.
  virtual void accesses(const Access& one, uint64_t times) = 0;
  void access(const Access& one) override { accesses(one, 1); }
  // Whether each access of this block is told one by one: by its number in the grid, x first.
  virtual bool sees_all_of(uint64_t /*block*/) const { return false; }
};

// One that needs accesses is told of them this way. With several observers of a launch it is told of each.
class RepeatObserver : public Observer {
 public:
  RepeatSink& sink() override = 0;
};

}  // namespace heddle::observe
