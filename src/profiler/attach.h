// Where the profiler joins a process: libheddle.so.0 calls it before anything else happens.
#pragma once

namespace heddle::profiler {

// Reads HEDDLE_PROFILE, HEDDLE_PROFILE_OPTIONS and HEDDLE_PROFILE_KERNEL, and offers the runtime a watcher if
// they ask for one. docs/reference/heddle-profile.md.
void attach();

}  // namespace heddle::profiler
