// How the toolkit's programs begin, all but nvcc: the command line is read, --help and --version are
// answered, what is wrong is told.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "driver/option.h"

namespace heddle::driver {

struct ProgramFacts {
  const OptionTable& options;
  std::string_view what;   // "Ptx optimizing assembler": of --version
  std::string_view usage;  // the first line of --help
  int exit_bad = 1;        // of a command line that cannot be
  bool one_file = false;   // another number of files is answered as --help is
};

// The command line; or the exit status, where nothing is left to do.
Result<CommandLine, int> begin(const ProgramFacts& program, std::vector<std::string> words);

// "ptxas fatal   : ..." on the error output. Returns the exit status.
int complain(const ProgramFacts& program, const std::string& text);

}  // namespace heddle::driver
