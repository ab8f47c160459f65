// The reference executor: one PTX instruction at a time over the lanes of a warp.
#pragma once

#include <memory>

#include "exec/launch.h"

namespace heddle::exec::interp {

// Has no state of its own: several launches may run at once. By one thread a launch is the same each time; by
// several (0: as many as the host has) clusters meet as they do on a device.
std::unique_ptr<Executor> make_executor(unsigned threads = 1);

}  // namespace heddle::exec::interp
