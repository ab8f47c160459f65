// The versions of every function of the driver API, for cuGetProcAddress and cudaGetDriverEntryPoint. The
// driver API's room gives the table: what is loaded without it has no functions of the driver.
#pragma once

#include <cstdint>
#include <span>

#include "api/cuda_state/code.h"

namespace heddle::cuda {

// One version of a function; names without their version's ending, in order.
struct Version {
  const char* name;
  int since;  // the CUDA version that brought it, 12050 for 12.5
  void (*plain)();
  void (*per_thread)();  // nullptr: the same
};
// In order of names, then of versions. True, for initializers.
bool set_entry_points(std::span<const Version> versions);

// As both APIs number them.
enum class EntryPointStatus : int { success = 0, not_found = 1, version_not_sufficient = 2 };
// The newest one that the CUDA version had. `flags`: 0, 1 for the legacy default stream, 2 for each thread's
// own. With a place for the status the call itself succeeds: the status tells.
Status find_entry_point(const char* name, void** address_out, int cuda_version, uint64_t flags,
                        EntryPointStatus& status, bool has_status);

}  // namespace heddle::cuda
