// Tells whether an entry's bytes are those that were written. Fast, since entries of many megabytes are read
// by each process; not made against people, from whom the folder's rights protect.
#pragma once

#include <span>

#include "cache/key.h"

namespace heddle::cache {

// Any change within eight bytes changes it; others do with all the chance that 64 bits give.
Digest checksum(std::span<const std::byte> bytes, uint64_t seed = 0);

}  // namespace heddle::cache
