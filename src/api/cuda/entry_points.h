// The versions of every function of the driver API, for cuGetProcAddress and cudaGetDriverEntryPoint.
#pragma once

#include <span>

namespace heddle::cu {

// One version of a function; names without their version's ending, in order.
struct Version {
  const char* name;
  int since;  // the CUDA version that brought it, 12050 for 12.5
  void (*plain)();
  void (*per_thread)();  // nullptr: the same
};
std::span<const Version> all_versions();  // entry_points.gen.cpp

struct EntryPoint {
  void* address = nullptr;
  bool known = false;  // there is such a function, in a later version
};
// The newest one that the CUDA version had.
EntryPoint find_entry_point(const char* name, int cuda_version, bool per_thread);

}  // namespace heddle::cu
