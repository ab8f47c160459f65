// What a launch that accessed memory which is not its own is said to have ended by.
#pragma once

#include <atomic>

namespace heddle::runtime {

// Under NVIDIA's memcheck the tool ends such a kernel itself, and programs see a failed launch (719) instead
// of an illegal or misaligned address: set while a drop-in for it watches.
inline std::atomic<bool> stray_launches_just_fail{false};

}  // namespace heddle::runtime
