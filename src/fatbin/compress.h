// The two ways in which entries are compressed: an LZ4 block, a zstd frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "fatbin/fatbin.h"

namespace heddle::fatbin {

Result<std::string> compress(Compression how, std::string_view content);
// Exactly `bytes` must come out.
Result<std::string> decompress(Compression how, std::span<const std::byte> stored, uint64_t bytes);

}  // namespace heddle::fatbin
