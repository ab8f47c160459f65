// Attributes of launches, kernel nodes and streams (CUlaunchAttribute, cudaLaunchAttribute, which are laid
// out alike): what was set is told again; a few change what happens.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <type_traits>

#include "api/cuda_state/code.h"
#include "exec/launch.h"

namespace heddle::cuda {

enum class LaunchAttribute : int {
  ignore = 0,
  access_policy_window = 1,
  cooperative = 2,
  synchronization_policy = 3,
  cluster_dimension = 4,
  cluster_policy = 5,
  programmatic_stream_serialization = 6,
  programmatic_event = 7,
  priority = 8,
  memory_sync_domain_map = 9,
  memory_sync_domain = 10,
  preferred_cluster_dimension = 11,
  launch_completion_event = 12,
  device_updatable_node = 13,
  preferred_carveout = 14,
  nvlink_scheduling = 16,
};

class LaunchAttributes {
 public:
  static constexpr std::size_t value_bytes = 64;
  void set(int attribute, const void* value) { std::memcpy(values_[attribute].data(), value, value_bytes); }
  // Zeros for what was not set.
  void get(int attribute, void* value) const {
    const auto found = values_.find(attribute);
    if (found == values_.end())
      std::memset(value, 0, value_bytes);
    else
      std::memcpy(value, found->second.data(), value_bytes);
  }
  bool has(int attribute) const { return values_.contains(attribute); }
  bool operator==(const LaunchAttributes&) const = default;

 private:
  std::map<int, std::array<std::byte, value_bytes>> values_;
};

// What a launch's attributes ask for.
struct LaunchWishes {
  bool cooperative = false;
  std::optional<exec::Dim3> cluster = {};
  // Events that are recorded with it: when its blocks allow dependents to start, and when it has begun. Both
  // are recorded at its end, which is never too early.
  std::array<void*, 2> events{};
  LaunchAttributes attributes;  // all of them
  Status take(int attribute, const void* value);
};
// `Attribute` has an id and a value, which the two APIs name differently: it begins at the eighth byte.
template <class Attribute>
Answer<LaunchWishes> wishes_of(const Attribute* attributes, unsigned count) {
  static_assert(sizeof(Attribute) == 8 + LaunchAttributes::value_bytes);
  if (count != 0 && attributes == nullptr) return invalid_value("the attributes are NULL");
  LaunchWishes wishes;
  for (unsigned i = 0; i < count; ++i)
    if (Status taken = wishes.take(static_cast<int>(attributes[i].id),
                                   reinterpret_cast<const std::byte*>(&attributes[i]) + 8);
        !taken)
      return taken.error();
  return wishes;
}

// Whether kernel nodes of graphs, or streams, have the attribute.
bool of_kernel_nodes(int attribute);
bool of_streams(int attribute);

}  // namespace heddle::cuda
