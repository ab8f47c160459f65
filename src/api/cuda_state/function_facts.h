// What both APIs answer about a kernel.
#pragma once

#include <array>
#include <cstdint>

#include "api/cuda_state/module.h"

namespace heddle::cuda {

struct FunctionFacts {
  std::size_t static_shared = 0, constant_bytes = 0, local_bytes = 0;
  int max_threads = 0;                      // of a block
  int registers = 0;                        // of a thread, an estimate
  int ptx_version = 0, binary_version = 0;  // 10 * major + minor
  int max_dynamic_shared = 0, carveout = -1;
  std::array<int, 3> required_cluster{};  // by its compilation, or what the program asked for
  bool cluster_must_be_set = false;
  bool large_cluster_allowed = false;
};
FunctionFacts function_facts(const runtime::Kernel& kernel);
FunctionFacts function_facts(const Function& function);

// As both APIs number them (CUfunction_attribute, cudaFuncAttribute).
enum class FunctionAttribute : int {
  max_threads,
  static_shared,
  constant_bytes,
  local_bytes,
  registers,
  ptx_version,
  binary_version,
  cache_mode_ca,
  max_dynamic_shared,
  carveout,
  cluster_must_be_set,
  cluster_width,
  cluster_height,
  cluster_depth,
  large_cluster_allowed,
  cluster_policy
};
Answer<int> function_attribute(const Function& function, int attribute);
Status set_function_attribute(Function& function, int attribute, int value);
Status set_cache_config(Function& function, int config);
Status set_shared_config(Function& function, int config);
Status parameter_info(const Function& function, std::size_t index, std::size_t* offset, std::size_t* bytes);

}  // namespace heddle::cuda
