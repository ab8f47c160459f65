// Every command, each defined in a file of its own.
#pragma once

#include "cli/command.h"

namespace heddle::cli {

extern const Command cache_command;
extern const Command check_command;
extern const Command devices_command;
extern const Command occupancy_command;
extern const Command predict_command;
extern const Command profile_command;
extern const Command ptx_run_command;
extern const Command ptx_check_command;
extern const Command ptx_jit_command;
extern const Command ptx_print_command;
extern const Command run_command;

}  // namespace heddle::cli
