// Every command, each defined in a file of its own.
#pragma once

#include "cli/command.h"

namespace heddle::cli {}  // namespace heddle::cli
