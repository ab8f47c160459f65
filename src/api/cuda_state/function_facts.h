// What both APIs answer about a kernel.
#pragma once

#include <array>
#include <cstdint>

#include "api/cuda_state/module.h"
#include "model/occupancy.h"

namespace heddle::cuda {

struct FunctionFacts {
  std::size_t static_shared = 0, constant_bytes = 0, local_bytes = 0;
  int max_threads = 0;                      // of a block
  int registers = 0;                        // of a thread, an estimate
  int ptx_version = 0, binary_version = 0;  // 10 * major + minor
  int max_dynamic_shared = 0, carveout = -1;
  std::array<int, 3> required_cluster{};
  bool large_cluster_allowed = false;
};
FunctionFacts function_facts(const Function& function);

// What a block of so many threads takes of a multiprocessor; the kernel's own limits are checked.
Answer<model::BlockNeeds> block_needs(const Function& function, int threads, uint64_t dynamic_shared);

}  // namespace heddle::cuda
