// Texels as OpenCL has them: an order of channels and a type (OpenCL API 3.0, 5.3.1.1; OpenCL
// C 3.0, 6.15.15.7 and 8.3). Those are cl_channel_order's and cl_channel_type's numbers.
#pragma once

#include "exec/interp/texture/texel.h"

namespace heddle::exec::interp {

bool is_normalized(PixelFormat);
bool is_half(PixelFormat);
double pixel_unit(PixelFormat);    // as normalized_unit()
ChannelKind kind_of(PixelFormat);  // of what it is read as, when it is not normalised

// Red, green, blue, alpha; channels that it does not have are 0, alpha is 1.
Values pixel_values(PixelFormat, const std::byte* at);
// The same channels in `words` as they are, where they are floats: a NaN keeps its payload.
void keep_float_bits(PixelFormat, const std::byte* at, Words& words);
Values pixel_border(PixelFormat);
// f32 for normalised and floating types, else u32 or s32; clamped and rounded to nearest even.
void store_pixel(PixelFormat, std::byte* at, const Words& components);

}  // namespace heddle::exec::interp
