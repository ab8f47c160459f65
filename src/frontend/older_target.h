// Architectures that are newer than those of clang's tables.
#pragma once

#include <optional>
#include <string_view>

#include "frontend/cuda.h"

namespace heddle::frontend {

// As find_target(), but for an architecture after the newest that is known, up to compute capability 12.9,
// the newest one: its code runs there.
std::optional<Target> find_target_or_older(std::string_view name);

}  // namespace heddle::frontend
