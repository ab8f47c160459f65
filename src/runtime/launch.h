// A kernel's launch: what the program asked for, checked against what the device takes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "exec/launch.h"
#include "model/occupancy.h"
#include "runtime/grid.h"
#include "runtime/module.h"
#include "runtime/stream.h"

namespace heddle::runtime {

struct LaunchRequest {
  Kernel* kernel = nullptr;
  exec::Dim3 grid = {}, block = {};
  std::optional<exec::Dim3> cluster = {};  // nothing: what the kernel itself asks for
  uint32_t dynamic_shared = 0;             // bytes
  bool cooperative = false;
  std::span<const std::byte> params = {};      // as the entry's signature lays them out
  std::span<const uint32_t> environment = {};  // exec::Launch::environment
};

// Copies the parameters. Nothing of a refused launch is left.
Done launch(Stream& stream, const LaunchRequest& request);
// The checks alone, and what will run: for graphs.
Outcome<OperationRef> make_launch(const LaunchRequest& request);
Outcome<std::shared_ptr<const Grid>> make_grid(const LaunchRequest& request);

// One pointer to each argument's value, as launch functions take them.
Outcome<std::vector<std::byte>> pack_parameters(const Kernel& kernel, const void* const* arguments);
uint64_t parameter_bytes(const module::Function& entry);

// What a block of the kernel takes of a multiprocessor.
model::BlockNeeds block_needs(const Kernel& kernel, uint32_t threads, uint32_t dynamic_shared);
uint64_t cooperative_capacity(const Kernel& kernel, uint32_t threads, uint32_t dynamic_shared);  // blocks

}  // namespace heddle::runtime
