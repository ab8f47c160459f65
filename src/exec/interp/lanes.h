// One instruction at a time for another executor: see exec/reference_lanes.h.
#pragma once

#include <memory>

#include "exec/reference_lanes.h"

namespace heddle::exec::interp {

// Takes launches without clusters and without grid-wide waiting.
std::unique_ptr<ReferenceLanesFactory> make_reference_lanes_factory();

}  // namespace heddle::exec::interp
