#include "libs/curand/poisson.h"

#include <algorithm>
#include <cmath>

namespace heddle::curand {

// Beyond 12 deviations and a little there is less than a double's last bit on either side.
Poisson::Poisson(double mean) {
  const double reach = 12 * std::sqrt(mean) + 30;
  first_ = static_cast<uint32_t>(std::max(0.0, std::floor(mean - reach)));
  const auto last = static_cast<uint32_t>(std::ceil(mean + reach));
  double sum = 0;
  for (uint32_t k = first_; k <= last; ++k) {
    sum += std::exp(k * std::log(mean) - mean - std::lgamma(k + 1.0));
    shares_.push_back(sum);
  }
  for (double& share : shares_) share /= sum;
  const std::size_t steps = std::max<std::size_t>(shares_.size() / 4, 1);
  uint32_t k = 0;
  for (std::size_t i = 0; i < steps; ++i) {
    while (shares_[k] < static_cast<double>(i) / static_cast<double>(steps)) ++k;
    starts_.push_back(k);
  }
}

uint32_t Poisson::at(double u) const {
  const auto steps = starts_.size();
  const auto step = std::min(static_cast<std::size_t>(u * static_cast<double>(steps)), steps - 1);
  uint32_t k = starts_[step];
  while (k + 1 < shares_.size() && shares_[k] < u) ++k;
  return first_ + k;
}

}  // namespace heddle::curand
