// Numbers with Poisson's distribution, by the inverse of its distribution function.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::curand {

class Poisson {
 public:
  explicit Poisson(double mean);
  // The least k whose share of numbers up to it is at least u.
  uint32_t at(double u) const;

 private:
  uint32_t first_ = 0;
  std::vector<double> shares_;    // of numbers up to first_, first_ + 1, ...
  std::vector<uint32_t> starts_;  // where to look for the shares of i / size and above
};

}  // namespace heddle::curand
