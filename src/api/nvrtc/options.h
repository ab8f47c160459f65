// The options of nvrtcCompileProgram, and what of clang's they are.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "frontend/clang.h"
#include "support/result.h"

namespace heddle::nvrtc {

struct Options {
  std::string architecture = "52";  // of compute_52 or sm_52; NVRTC's own default
  bool real = false;                // sm_52: code for a device is asked for, too
  std::vector<std::string> words;   // for clang, of these kinds apart:
  std::string macros;               // lines that define and undefine what -D and -U say
  std::vector<std::string> places;  // -I and -include
  frontend::FloatPrecision precision;
  std::optional<bool> warp_synchronous;  // not said: as the architecture has it
  std::string max_registers;             // of a thread, in decimal; empty: no limit
  bool relocatable = false;
  bool link_time = false;          // code for a linker that optimises is asked for, and nothing else
  bool device_by_default = false;  // functions that say nothing are for the device
};
// The error names the option.
Result<Options> read_options(std::span<const char* const> options);

}  // namespace heddle::nvrtc
