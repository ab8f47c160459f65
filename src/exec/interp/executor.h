// The reference executor: one PTX instruction at a time over the lanes of a warp.
#pragma once

#include <memory>

#include "exec/launch.h"

namespace heddle::exec::interp {

// Has no state of its own: several launches may run at once.
std::unique_ptr<Executor> make_executor();

}  // namespace heddle::exec::interp
