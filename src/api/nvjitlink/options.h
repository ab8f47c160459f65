// The options of nvJitLinkCreate.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "fatbin/fatbin.h"
#include "support/result.h"

namespace heddle::nvjitlink {

struct Options {
  std::string_view arch;  // "sm_80", of the table of targets
  uint32_t capability = 0;
  bool lto = false, ptx = false, verbose = false;
  uint32_t max_registers = 0;  // 0: no limit
};

struct OptionError {
  enum class What : uint8_t { unrecognized, no_arch, unknown_arch, unsupported_arch, incompatible };
  What what;
  std::string message;
};

Result<Options, OptionError> read_options(std::span<const char* const> list);

}  // namespace heddle::nvjitlink
