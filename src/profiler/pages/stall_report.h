// What warps wait for, as text.
#pragma once

#include <iosfwd>
#include <vector>

#include "profiler/pages/report.h"

namespace heddle::profiler {

// By the timing model: of the clocks in which warps are there, those in which they issue, and what they wait
// for. Nothing where that was not asked for.
void print_stalls(const std::vector<KernelSum>& kernels, bool lines, std::ostream& out);

}  // namespace heddle::profiler
