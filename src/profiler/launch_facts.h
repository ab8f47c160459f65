// The facts of a launch: what spec/metrics/counters.toml names.
#pragma once

#include "exec/launch.h"
#include "profiler/profile.h"
#include "runtime/module.h"

namespace heddle::profiler {

Facts launch_facts(const runtime::Kernel& kernel, const exec::Launch& launch);

}  // namespace heddle::profiler
