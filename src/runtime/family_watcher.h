// What a watcher may be besides: told of launches in device code, and of threads that wait for them.
#pragma once

#include <cstdint>

#include "exec/launch.h"

namespace heddle::runtime {

// A thread of a grid that runs.
struct ThreadOfGrid {
  uint64_t grid_id = 0;
  exec::Dim3 block;
  uint32_t thread = 0;  // of the block
};

class FamilyWatcher {
 public:
  virtual ~FamilyWatcher() = default;
  // Before the child can begin; LaunchFacts::asked will be this number. `tail`: it begins behind the grid.
  virtual void launched(const ThreadOfGrid& by, uint64_t number, bool tail) = 0;
  // The host's thread that calls is about to wait until all that the grid has launched so far has ended.
  virtual void waits(const ThreadOfGrid& who) = 0;
  // It has, and the thread of the grid knows it.
  virtual void waited(const ThreadOfGrid& who) = 0;
};

}  // namespace heddle::runtime
