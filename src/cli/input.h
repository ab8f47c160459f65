// Reading what a command works on.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cli/command.h"
#include "support/result.h"
#include "support/source.h"

namespace heddle::cli {

// A file, or the console's input for "-". The error names the file and why it cannot be read.
Result<std::shared_ptr<const SourceText>> read_source(std::string_view name, Console& console);

}  // namespace heddle::cli
