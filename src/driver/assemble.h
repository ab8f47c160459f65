// What ptxas does: PTX is checked, and what kernels need of the device is told. The result is no machine code
// but a fat binary with the PTX (docs/reference/ptxas.md), so that whoever loads it can run it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "driver/architecture.h"

namespace heddle::driver {

struct AssembleOptions {
  ArchName arch;
  std::string name;  // of the input, for messages
  bool verbose = false;
  bool relocatable = false;  // may refer to other files
  bool quiet = false;        // no warnings
  bool warnings_are_errors = false;
  bool warn_double = false, warn_local = false;
  std::optional<uint32_t> max_registers;
  fatbin::Compression compression = fatbin::Compression::zstd;
};

struct Assembly {
  bool ok = false;
  std::string log;  // for the error output
  std::string cubin;
};
Assembly assemble(const std::string& ptx, const AssembleOptions& options);

}  // namespace heddle::driver
