// What ptxas does: PTX is checked, and what kernels need of the device is told. The result is no machine code
// but a fat binary with the PTX (docs/reference/ptxas.md), so that whoever loads it can run it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "driver/architecture.h"
#include "driver/option.h"

namespace heddle::module {
struct Image;
}

namespace heddle::driver {

struct AssembleOptions {
  ArchName arch;
  std::string name;  // of the input, for messages
  bool verbose = false;
  bool relocatable = false;  // may refer to other files
  bool quiet = false;        // no warnings
  bool warnings_are_errors = false;
  bool warn_demotion = true;  // where doubles are taken for floats
  bool warn_double = false, warn_local = false;
  std::vector<std::string> entries;      // these kernels have to be there
  std::optional<int64_t> max_registers;  // what no thread can have is told and ignored
  fatbin::Compression compression = fatbin::Compression::zstd;
};

// What a command line of ptxas asks for.
Result<AssembleOptions> read_assembler(const CommandLine& line);

// ptxas' -maxrregcount: a number, or archmax or archmin for the architecture's own limits, which bind nothing
// here.
Result<std::optional<int64_t>> read_register_limit(const CommandLine& line);

struct Assembly {
  bool ok = false;
  bool newer = false;  // the text's version of PTX is newer than any that is known
  std::string log;     // for the error output
  std::string cubin;
};
// "Entry function 'k' uses too much shared data (0xc004 bytes, 0xc000 max)": what a kernel's variables take
// of shared memory is bounded by what a block gets without asking for more.
std::optional<std::string> too_much_shared(std::string_view kernel, uint64_t bytes, const ArchName& arch);

// What the linker tells of each kernel, in its own form (nvlink -v).
std::string link_report(const module::Image& image, const ArchName& arch);

Assembly assemble(const std::string& ptx, const AssembleOptions& options);

}  // namespace heddle::driver
