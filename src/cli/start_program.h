// What `heddle run` and `heddle check` do before a program starts.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/command.h"

namespace heddle::cli {

// Finds the program as a shell does, looks into it, and sets this process's environment so that it runs with
// this toolkit's libraries; `devices`: those that it sees, empty: as they are. What it returns is why not.
std::optional<Exit> prepare_program(const std::string& name, std::string_view devices, Console& console,
                                    std::string& path);

}  // namespace heddle::cli
