// What objects of analyses keep from one call to the next one.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

namespace heddle::cusparse {

// csru2csr: the places that elements had before they were sorted.
struct Unsorted {
  std::mutex mutex;
  std::shared_ptr<std::vector<int>> places = std::make_shared<std::vector<int>>();
};
struct Colors {};
// The magnitude that a share of all elements does not exceed.
struct Threshold {
  std::shared_ptr<double> value = std::make_shared<double>(0);
};

}  // namespace heddle::cusparse
