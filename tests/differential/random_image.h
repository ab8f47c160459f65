// Random texels, and the two sides of tests that compare how executors read and write them.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exec/interp/lanes.h"
#include "exec/interp/test_program.h"
#include "exec/interp/texture/test_image.h"
#include "exec/jit/executor.h"
#include "exec/texture.h"

namespace heddle {

using exec::ChannelKind;
using exec::Texel;

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  uint32_t word() { return static_cast<uint32_t>(engine_()); }
  uint32_t below(uint32_t n) { return word() % n; }
  bool once_in(uint32_t n) { return below(n) == 0; }
  float real(float low, float high) {
    return low + (high - low) * static_cast<float>(word() >> 8) * 0x1p-24f;
  }
  template <class T>
  T one_of(std::initializer_list<T> list) {
    return list.begin()[below(static_cast<uint32_t>(list.size()))];
  }

 private:
  std::mt19937_64 engine_;
};

// Bytes that are often special as floats.
inline std::vector<std::byte> content(Random& random, const Texel& texel, std::size_t bytes) {
  std::vector<std::byte> data(bytes);
  for (std::size_t i = 0; i + 4 <= bytes; i += 4) {
    uint32_t word = random.word();
    if (texel.kind == ChannelKind::floating && !random.once_in(3)) {
      word = texel.bits[0] == 32 ? std::bit_cast<uint32_t>(random.real(-8, 8))
                                 : 0x3c00'3c00U ^ (random.word() & 0x83ff'83ffU);
      if (random.once_in(24))
        word = texel.bits[0] == 32
                   ? random.one_of({0x7f80'0000U, 0xff80'0000U, 0x7fc1'2345U, 0xffa0'0001U, 0x8000'0000U,
                                    0x0000'0001U, 0x0080'0000U, 0x7f7f'ffffU})
                   : random.one_of({0x7c00'3c00U, 0xfc00'7c00U, 0x7e01'3c00U, 0x3c00'fd01U, 0x8000'0001U});
    }
    std::memcpy(&data[i], &word, 4);
  }
  return data;
}

// Orders and types of channels that OpenCL has, bytes of a texel with them (OpenCL API 3.0, 5.3.1.1).
inline exec::PixelFormat random_pixel(Random& random, unsigned& bytes) {
  static constexpr uint16_t types[] = {0x10d0, 0x10d1, 0x10d2, 0x10d3, 0x10d7, 0x10d8,
                                       0x10d9, 0x10da, 0x10db, 0x10dc, 0x10dd, 0x10de};
  static constexpr unsigned sizes[] = {1, 2, 1, 2, 1, 2, 4, 1, 2, 4, 2, 4};
  if (random.once_in(10)) {  // packed
    bytes = random.once_in(2) ? 2 : 4;
    return {0x10b4, static_cast<uint16_t>(bytes == 2 ? 0x10d4 + random.below(2) : 0x10d6)};
  }
  const uint32_t i = random.below(static_cast<uint32_t>(std::size(types)));
  static constexpr std::pair<uint16_t, unsigned> orders[] = {
      {0x10b0, 1}, {0x10b1, 1}, {0x10b2, 2}, {0x10b3, 2}, {0x10b5, 4}, {0x10b6, 4},
      {0x10b7, 4}, {0x10b8, 1}, {0x10b9, 1}, {0x10ba, 1}, {0x10bb, 2}, {0x10c3, 4}};
  const auto [order, channels] = orders[random.below(static_cast<uint32_t>(std::size(orders)))];
  bytes = channels * sizes[i];
  return {order, types[i]};
}

inline Texel texel_of_bytes(unsigned bytes) {
  Texel texel{ChannelKind::unsigned_, {0, 0, 0, 0}};
  for (unsigned left = bytes * 8, i = 0; left != 0; ++i) {
    texel.bits[i] = static_cast<uint8_t>(left < 32 ? left : 32);
    left -= texel.bits[i];
  }
  return texel;
}

// HEDDLE_SEEDS=FIRST,COUNT, or from 1 on.
inline std::pair<uint64_t, uint64_t> image_seeds(uint64_t count) {
  uint64_t from = 1;
  if (const char* text = std::getenv("HEDDLE_SEEDS"); text != nullptr) {
    const std::string_view all(text);
    const std::size_t comma = std::min(all.find(','), all.size());
    std::from_chars(text, text + comma, from);
    if (comma < all.size()) std::from_chars(text + comma + 1, text + all.size(), count);
  }
  return {from, count};
}

// One executor's program: eight words a thread go in, four come out.
constexpr uint32_t image_threads = 80;
struct Side {
  exec::interp::TestProgram program;
  exec::interp::Buffer<uint32_t> in, out;
  explicit Side(const std::string& text)
      : program(text),
        in(program.buffer<uint32_t>(image_threads * 8)),
        out(program.buffer<uint32_t>(image_threads * 4)) {}
};

inline auto native_executor(const std::string& cpu) {
  exec::jit::Options options;
  options.cpu = cpu;
  options.tier = exec::jit::Tier::quick;
  return exec::jit::make_executor(options, exec::interp::make_executor(),
                                  exec::interp::make_reference_lanes_factory());
}

// As a name of a test.
inline std::string name_of_cpu(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::erase(name, '-');
  return name;
}

}  // namespace heddle
