// What the bytes of a texel mean: the channels of an element as registers hold them, and as numbers that
// filters add up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "exec/texture.h"

namespace heddle::exec::interp {

using Words = std::array<uint32_t, 4>;  // integers extended to 32 bits, or the bits of f32
using Values = std::array<double, 4>;   // the same as numbers

struct Reading {
  Texel texel;
  bool normalized = false;  // integers as numbers in [0, 1] or [-1, 1]
  bool srgb = false;
  PixelFormat pixel = {};

  bool real() const { return texel.kind == ChannelKind::floating || normalized; }
};
// As a texture hands its texels out. Only integers of 8 and 16 bits can be normalised.
Reading reading_of(const TextureObject& texture);

Words texel_words(const Reading& reading, const std::byte* at);
Values texel_values(const Reading& reading, const std::byte* at);
// What integers of all channels are divided by; 1 where that is another thing for each, or no division.
double normalized_unit(const Reading& reading);
Words to_words(const Reading& reading, const Values& values);
// Whether a linear filter is one: not where OpenCL has integers.
bool filters(const Reading& reading);
// Outside the image, where the sampler asks for the border's colour: it is a value of the texels' format, and
// of integers the bits that it has.
Values border_values(const Reading& reading, const float (&border)[4]);

// A formatted store of `count` components (PTX ISA 9.7.11.2): f32 for a floating format, else u32 or s32,
// clamped to what the channel holds. Channels without a component become 0.
void store_texel(const TexelArray& image, std::byte* at, const Words& components, unsigned count);

}  // namespace heddle::exec::interp
