// What fatbinary does: files with device code become one fat binary.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "driver/architecture.h"
#include "support/result.h"

namespace heddle::driver {

struct DeviceFile {
  ArchName arch;
  std::string name;     // for messages
  std::string content;  // PTX, or what assemble() makes; an ELF file with machine code
};

struct FatOptions {
  fatbin::Compression compression = fatbin::Compression::zstd;
  std::string source_name;    // --ident
  std::string ptxas_options;  // --cmdline
};

// Where the same PTX would be there twice for one architecture, once is enough: what ptxas makes is PTX.
Result<std::string> make_fat_binary(const std::vector<DeviceFile>& files, const FatOptions& options);

// The compression that -compress-mode names.
fatbin::Compression compression_of(std::string_view mode);

// The fat binary as C that defines what host code registers (fatbinary --embedded-fatbin).
std::string as_c(std::string_view fat_binary);

}  // namespace heddle::driver
