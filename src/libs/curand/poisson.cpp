#include "libs/curand/poisson.h"

#include <algorithm>
#include <cmath>

namespace heddle::curand {

// All numbers whose share is a double above 0, denormal ones too.
Poisson::Poisson(double of_mean, bool searched) : mean(of_mean), deviation(std::sqrt(of_mean)) {
  if (mean >= 2000 && !searched) return;
  std::vector<double> shares;
  for (uint32_t k = 0;; ++k) {
    const double share = std::exp(k * std::log(mean) - mean - std::lgamma(k + 1.0));
    if (share > 0) {
      if (shares.empty()) first = k;
      shares.push_back(share);
    } else if (k > mean) {
      break;
    }
  }
  for (const double share : shares) sums.push_back(share + (sums.empty() ? 0 : sums.back()));
  if (!searched) make_bars(std::move(shares));
}

// Bars that are not full take what they lack from the last one that has too much. That is done in their
// order; those that have given too much are full, or wait for the next round when their place is behind.
// Which takes from which, a program sees in the numbers: an H200's tables are these (tests/hw/h200/curand).
void Poisson::make_bars(std::vector<double> shares) {
  const std::size_t count = shares.size();
  const double width = 1 / static_cast<double>(count);
  std::vector<std::size_t> rich;
  for (std::size_t i = 0; i < count; ++i) {
    others.push_back(static_cast<uint32_t>(i));
    thresholds.push_back(static_cast<double>(i + 1) * width);
    if (shares[i] >= width) rich.push_back(i);
  }
  std::vector<bool> full(count);
  const auto fill = [&](std::size_t i) { thresholds[i] = shares[i] + static_cast<double>(i) * width; };
  for (bool changed = true; changed && !rich.empty();) {
    changed = false;
    for (std::size_t i = 0; i < count && !rich.empty(); ++i) {
      if (full[i] || shares[i] >= width) continue;
      const std::size_t from = rich.back();
      full[i] = changed = true;
      fill(i);
      others[i] = static_cast<uint32_t>(from);
      shares[from] -= width - shares[i];
      if (shares[from] < width) rich.pop_back();
    }
  }
  for (std::size_t i = 0; i < count; ++i)
    if (!full[i] && shares[i] < width) fill(i);
}

void Poisson::look_up(const double* uniform, uint32_t* to, uint64_t count) const {
  const auto bars = static_cast<double>(thresholds.size());
  for (uint64_t i = 0; i < count; ++i) {
    const auto bar = std::min(static_cast<std::size_t>(bars * uniform[i]), thresholds.size() - 1);
    to[i] = first + (uniform[i] < thresholds[bar] ? static_cast<uint32_t>(bar) : others[bar]);
  }
}
void Poisson::search(const double* uniform, uint32_t* to, uint64_t count) const {
  for (uint64_t i = 0; i < count; ++i) {
    const auto at = std::lower_bound(sums.begin(), sums.end() - 1, uniform[i]);
    to[i] = first + static_cast<uint32_t>(at - sums.begin());
  }
}
void Poisson::round(const float* normal, uint32_t* to, uint64_t count) const {
  for (uint64_t i = 0; i < count; ++i) to[i] = static_cast<uint32_t>(deviation * normal[i] + mean + 0.5);
}

}  // namespace heddle::curand
