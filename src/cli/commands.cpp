// THE table of commands.
#include "cli/commands.h"

#include <array>

namespace heddle::cli {

namespace {

constexpr std::array kCommands{
#if HEDDLE_JIT
    &cache_command,
#endif
    &check_command,     &devices_command, &occupancy_command, &predict_command,
    &profile_command,   &ptx_run_command, &ptx_check_command,
#if HEDDLE_JIT
    &ptx_jit_command,
#endif
    &ptx_print_command, &run_command,
};

constexpr std::array kGroups{
    Group{"ptx", "check, compile, print and run PTX"},
};

constexpr CommandTable kTable{kCommands, kGroups};

}  // namespace

const CommandTable& command_table() { return kTable; }

}  // namespace heddle::cli
