// Where a texel lies in a device's memory, as its texture cache sees it.
//
// Linear memory lies there as it lies here. How arrays lie is in no guide; open drivers write them so: tiles
// of 64 bytes by 8 rows one after another, in a tile sectors of 32 bytes, each 16 bytes by 2 rows. So texels
// that are near each other on two axes lie in few sectors (OpenCL Programming Guide 3.3.2.5: optimised for 2D
// locality).
#pragma once

#include <cstdint>

#include "exec/texture.h"

namespace heddle::exec {

// Of the texel that lies `offset` bytes behind the level's first one here.
uint64_t texel_address(const TexelArray& image, const MipLevel& level, uint64_t offset);

// Textures over linear memory: any address is taken, so memory may end before the image does, and who reads
// asks GuestMemory. Images of OpenCL are whole.
bool is_open_ended(const TexelArray& image);

}  // namespace heddle::exec
