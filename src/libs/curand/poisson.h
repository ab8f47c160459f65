// Numbers with Poisson's distribution, as NVIDIA's library makes them: one uniform number for each.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::curand {

// Below a mean of 2000 by a square histogram (G. Marsaglia, W. W. Tsang, J. Wang, "Fast Generation of
// Discrete Random Variables", 2004, method II): every bar has the same width, and is divided between its own
// number and another one. From there on normal numbers, rounded.
class Poisson {
 public:
  // `searched`: for search() alone, of any mean.
  explicit Poisson(double mean, bool searched = false);
  // From uniform numbers that are neither 0 nor 1: from a table, or by the inverse of the distribution
  // function, which keeps the order of a quasi-random sequence.
  void look_up(const double* uniform, uint32_t* to, uint64_t count) const;
  void search(const double* uniform, uint32_t* to, uint64_t count) const;
  // From normal ones.
  void round(const float* normal, uint32_t* to, uint64_t count) const;

  const double mean, deviation;
  bool normal() const { return thresholds.empty(); }
  uint32_t first = 0;  // what the first bar is for
  std::vector<double> thresholds;
  std::vector<uint32_t> others;  // bars, too
  std::vector<double> sums;      // of shares, up to each

 private:
  void make_bars(std::vector<double> shares);
};

}  // namespace heddle::curand
