#include "api/cuda_state/launch_attributes.h"

#include <string>

namespace heddle::cuda {
namespace {

constexpr int last_attribute = static_cast<int>(LaunchAttribute::nvlink_scheduling);

template <class T>
T read(const void* value, std::size_t offset = 0) {
  T result;
  std::memcpy(&result, static_cast<const std::byte*>(value) + offset, sizeof result);
  return result;
}

}  // namespace

Status LaunchWishes::take(int attribute, const void* value) {
  if (attribute < 0 || attribute > last_attribute)
    return invalid_value("no attribute of launches has the number " + std::to_string(attribute));
  switch (static_cast<LaunchAttribute>(attribute)) {
    case LaunchAttribute::ignore: return Unit{};
    case LaunchAttribute::cooperative: cooperative = read<int>(value) != 0; break;
    case LaunchAttribute::cluster_dimension: {
      const exec::Dim3 wanted{read<uint32_t>(value), read<uint32_t>(value, 4), read<uint32_t>(value, 8)};
      if (wanted.count() == 0) return failure(Code::invalid_cluster_size, "a cluster with a side of 0");
      cluster = wanted;
      break;
    }
    case LaunchAttribute::programmatic_event: events[0] = read<void*>(value); break;
    case LaunchAttribute::launch_completion_event: events[1] = read<void*>(value); break;
    default: break;  // advice about caches, priorities and overlap, which cannot be followed or seen
  }
  attributes.set(attribute, value);
  return Unit{};
}

bool of_kernel_nodes(int attribute) {
  switch (static_cast<LaunchAttribute>(attribute)) {
    case LaunchAttribute::access_policy_window:
    case LaunchAttribute::cooperative:
    case LaunchAttribute::cluster_dimension:
    case LaunchAttribute::cluster_policy:
    case LaunchAttribute::priority:
    case LaunchAttribute::memory_sync_domain_map:
    case LaunchAttribute::memory_sync_domain:
    case LaunchAttribute::preferred_cluster_dimension:
    case LaunchAttribute::device_updatable_node:
    case LaunchAttribute::preferred_carveout:
    case LaunchAttribute::nvlink_scheduling: return true;
    default: return false;
  }
}

bool of_streams(int attribute) {
  switch (static_cast<LaunchAttribute>(attribute)) {
    case LaunchAttribute::access_policy_window:
    case LaunchAttribute::synchronization_policy:
    case LaunchAttribute::priority:
    case LaunchAttribute::memory_sync_domain_map:
    case LaunchAttribute::memory_sync_domain: return true;
    default: return false;
  }
}

}  // namespace heddle::cuda
