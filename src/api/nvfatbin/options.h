// The options of nvFatbinCreate.
#pragma once

#include <span>

#include "fatbin/fatbin.h"
#include "support/result.h"

namespace heddle::nvfatbin {

struct Options {
  fatbin::Compression compression = fatbin::Compression::zstd;
  fatbin::Host host = fatbin::Host::linux;
  bool wide = true, debug = false;
};

// The error says which is unknown.
Result<Options> read_options(std::span<const char* const> list);

}  // namespace heddle::nvfatbin
