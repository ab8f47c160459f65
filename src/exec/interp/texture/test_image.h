// For tests: an image over plain values.
#pragma once

#include <cstring>
#include <vector>

#include "exec/texture.h"

namespace heddle::exec::interp {

struct TestImage {
  std::vector<std::vector<std::byte>> levels;
  TexelArray array;

  // Sizes of 0 mean that there is no such axis.
  template <class T>
  TestImage(TextureShape shape, Texel texel, const std::vector<T>& values, uint64_t width,
            uint64_t height = 0, uint64_t depth = 0) {
    array.shape = shape;
    array.texel = texel;
    array.levels = 0;
    add(values, width, height, depth);
  }
  TestImage(const TestImage&) = delete;
  TestImage& operator=(const TestImage&) = delete;

  template <class T>
  void add(const std::vector<T>& values, uint64_t width, uint64_t height = 0, uint64_t depth = 0) {
    levels.emplace_back(values.size() * sizeof(T));
    std::memcpy(levels.back().data(), values.data(), levels.back().size());
    const uint64_t row = width * array.texel.bytes();
    array.mip[array.levels++] = {
        levels.back().data(), width, height, depth, row, row * (height == 0 ? 1 : height)};
  }
  template <class T>
  std::vector<T> values(std::size_t level = 0) const {
    std::vector<T> read(levels[level].size() / sizeof(T));
    std::memcpy(read.data(), levels[level].data(), levels[level].size());
    return read;
  }
};

constexpr Texel texel_of(ChannelKind kind, uint8_t bits, int channels = 1) {
  Texel texel{kind, {0, 0, 0, 0}};
  for (int i = 0; i < channels; ++i) texel.bits[i] = bits;
  return texel;
}
inline constexpr Texel f32_texel = texel_of(ChannelKind::floating, 32);

}  // namespace heddle::exec::interp
