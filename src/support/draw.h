// Numbers that look like random ones, the same on each host (splitmix64, Vigna 2015).
#pragma once

#include <cstdint>

namespace heddle {

// Changes about half of the bits when one bit of the value does; two values never become one.
constexpr uint64_t mixed(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

class Draw {
 public:
  explicit Draw(uint64_t seed) : state_(seed) {}
  uint64_t next() { return mixed(state_ += 0x9e3779b97f4a7c15U); }
  uint64_t below(uint64_t end) { return next() % end; }  // end is not 0

 private:
  uint64_t state_;
};

}  // namespace heddle
