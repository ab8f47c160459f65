// Whether a profiler measures now: what programs ask for by cudaProfilerStart, cuProfilerStart and their
// opposites. At the start of a process it does, unless its options say otherwise.
#pragma once

namespace heddle::profiler {

void collect(bool on);
bool collects();

}  // namespace heddle::profiler
