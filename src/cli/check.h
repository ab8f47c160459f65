// compute-sanitizer and cuda-memcheck: the checker with the options, the text and the exit codes of NVIDIA's
// tool.
#pragma once

#include <span>
#include <string_view>

#include "cli/command.h"

namespace heddle::cli {

// `name`: as which it was called; `words`: those behind it.
int run_sanitizer(std::string_view name, std::span<const std::string_view> words, Console& console);

}  // namespace heddle::cli
