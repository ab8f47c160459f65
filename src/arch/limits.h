// What a device refuses to launch, as a value: which limit, the value that broke it, the limit, and a
// message. Whether a cooperative grid fits is a question of occupancy (model/occupancy.h).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "arch/device.h"

namespace heddle::arch {

struct KernelNeeds {
  std::string_view name;
  uint32_t registers = 0;        // of a thread; 0: not known, not checked
  uint32_t static_shared = 0;    // bytes of a block
  uint32_t local_bytes = 0;      // of a thread
  uint32_t parameter_bytes = 0;  // all arguments
  uint32_t max_threads = 0;      // of a block, as the program promised (.maxntid); 0: no promise
};

struct LaunchNeeds {
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::array<uint32_t, 3> cluster{1, 1, 1};
  uint32_t dynamic_shared = 0;          // bytes
  uint32_t dynamic_shared_allowed = 0;  // what the program raised the kernel's limit to; 0: not raised
  bool large_cluster_allowed = false;   // the program asked for clusters that not every device takes
  bool cooperative = false;
};

enum class Limit : uint8_t {
  empty,           // a dimension of 0
  block_threads,   // too many threads in a block
  block_dim,       // too many in x, y or z
  launch_bounds,   // more than the kernel promised
  grid_dim,        // too many blocks in x, y or z
  registers,       // a block's, or a thread's
  shared,          // a block's shared memory
  local,           // a thread's local memory
  parameters,      // bytes of arguments
  cluster_size,    // too many blocks in a cluster
  cluster_shape,   // the grid is not made of whole clusters
  no_clusters,     // the device has none
  no_cooperative,  // the device has none
};

struct LimitExceeded {
  Limit limit;
  uint64_t value = 0, allowed = 0;
  std::string message;  // "shared memory of 'reduce' is 65536 bytes, device 'gtx480' (sm_20) allows 49152"
};

// The first limit that the launch exceeds; nothing when the device takes it.
std::optional<LimitExceeded> check_launch(const Device&, const KernelNeeds&, const LaunchNeeds&);

// A kernel that no launch can run: its static shared memory, registers, local memory or arguments alone are
// too much.
std::optional<LimitExceeded> check_kernel(const Device&, const KernelNeeds&);

// Bytes of shared memory that the kernel counts for, dynamic ones included.
uint64_t shared_bytes(const Device&, const KernelNeeds&, uint32_t dynamic_shared);

}  // namespace heddle::arch
