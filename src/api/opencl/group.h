// Which work-group a range gets when the program leaves the choice to us.
#pragma once

#include <array>
#include <cstddef>

namespace heddle::opencl {

struct GroupQuestion {
  std::array<size_t, 3> global{1, 1, 1};  // no 0
  std::array<size_t, 3> limits{1, 1, 1};  // work-items of a group in each dimension
  size_t most = 1;                        // and together: what device and kernel allow
  bool may_be_non_uniform = false;        // the last groups of a dimension may be smaller ones
  bool operator==(const GroupQuestion&) const = default;
};

// Depends on nothing else, the host least of all: programs see the answer (get_local_size), and what some of
// them compute follows from it.
std::array<size_t, 3> chosen_group(const GroupQuestion& question);

}  // namespace heddle::opencl
