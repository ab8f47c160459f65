// Rows whose time is memory's: streams, a stencil, a reduction, a histogram.
#include <array>
#include <cmath>
#include <cstring>

#include "rows.h"

namespace heddle::bench {

namespace {

constexpr float factor = 2.5f;  // of saxpy

std::size_t stream_length(Size size) { return size == Size::small ? 1 << 16 : 1 << 24; }
std::size_t stencil_length(Size size) { return size == Size::small ? 1 << 14 : 1 << 24; }

// out = f(a, b) for every element, exact or within rounding of a fused multiply-add.
Problem two_to_one(Size size, const char* kernel, float scale) {
  const std::size_t n = stream_length(size);
  Problem p;
  p.arrays = arrays({4 * n, 4 * n, 4 * n});
  Random random;
  fill_with_fractions(p.arrays[0], random);
  fill_with_fractions(p.arrays[1], random);
  std::vector<Argument> arguments = {array(0), array(1), array(2)};
  if (scale != 1) arguments.push_back(value(scale));
  arguments.push_back(value(number(n)));
  p.steps = {Launch{kernel, {number(n / block_threads)}, {block_threads}, arguments}};
  p.results = {2};
  p.check = [a = p.arrays[0].as<float>(), b = p.arrays[1].as<float>(), c = p.arrays[2].as<float>(), n,
             scale]() -> std::string {
    for (std::size_t i = 0; i < n; ++i) {
      const double wanted = double{scale} * a[i] + b[i];
      if (!(std::abs(c[i] - wanted) <= 4e-7)) return wrong_at(i, c[i], wanted);
    }
    return {};
  };
  p.least = {8.0 * static_cast<double>(n), 4.0 * static_cast<double>(n), static_cast<double>(n)};
  return p;
}

}  // namespace

Problem vecadd(Size size) { return two_to_one(size, "vecadd", 1); }
Problem saxpy(Size size) { return two_to_one(size, "saxpy", factor); }

Problem offcopy(Size size) {
  const std::size_t n = stream_length(size), offset = 13;
  Problem p;
  p.arrays = arrays({4 * (n + 16), 4 * (n + 16)});
  Random random;
  fill_with_fractions(p.arrays[0], random);
  p.steps = {Launch{
      "offcopy", {number(n / block_threads)}, {block_threads}, {array(0), array(1), value(number(offset))}}};
  p.results = {1};
  p.check = [in = p.arrays[0].as<float>(), out = p.arrays[1].as<float>(), n]() -> std::string {
    for (std::size_t i = offset; i < offset + n; ++i)
      if (out[i] != in[i]) return wrong_at(i, out[i], in[i]);
    return {};
  };
  p.least = {4.0 * static_cast<double>(n), 4.0 * static_cast<double>(n), 0};
  return p;
}

Problem strcopy(Size size) {
  const std::size_t n = size == Size::small ? 1 << 14 : 1 << 22, stride = 8;
  Problem p;
  p.arrays = arrays({4 * n * stride, 4 * n * stride});
  Random random;
  fill_with_fractions(p.arrays[0], random);
  p.steps = {Launch{
      "strcopy", {number(n / block_threads)}, {block_threads}, {array(0), array(1), value(number(stride))}}};
  p.results = {1};
  p.check = [in = p.arrays[0].as<float>(), out = p.arrays[1].as<float>(), n]() -> std::string {
    for (std::size_t i = 0; i < n * stride; ++i) {
      const float wanted = i % stride == 0 ? in[i] + 1.0f : 0;
      if (out[i] != wanted) return wrong_at(i, out[i], wanted);
    }
    return {};
  };
  // Eight floats are half a line: every line is touched.
  p.least = {4.0 * static_cast<double>(n * stride), 4.0 * static_cast<double>(n * stride), 0};
  return p;
}

Problem stencil(Size size) {
  const std::size_t n = stencil_length(size);
  Problem p;
  p.arrays = arrays({4 * (n + 64), 4 * (n + 64)});
  Random random;
  fill_with_fractions(p.arrays[0], random);
  p.steps = {Launch{"stencil", {number(n / block_threads)}, {block_threads}, {array(0), array(1)}}};
  p.results = {1};
  p.check = [in = p.arrays[0].as<float>(), out = p.arrays[1].as<float>(), n]() -> std::string {
    for (std::size_t i = 3; i < n + 3; ++i) {
      double wanted = 0;
      for (std::size_t o = 0; o < 7; ++o) wanted += in[i + o - 3];
      if (!(std::abs(out[i] - wanted) <= 1e-5)) return wrong_at(i, out[i], wanted);
    }
    return {};
  };
  p.least = {4.0 * static_cast<double>(n), 4.0 * static_cast<double>(n), 0};
  return p;
}

Problem reduce(Size size) {
  const std::size_t n = stream_length(size);
  const uint32_t blocks = 256;
  Problem p;
  p.arrays = arrays({4 * n, 4 * blocks, 4});
  Random random;
  fill_with_fractions(p.arrays[0], random);
  p.steps = {Launch{"reduce", {blocks}, {block_threads}, {array(0), array(1), value(number(n))}},
             Launch{"reduce", {1}, {block_threads}, {array(1), array(2), value(blocks)}}};
  p.results = {2};
  double wanted = 0;
  for (const float x : std::span(p.arrays[0].as<float>(), n)) wanted += x;
  p.check = [got = p.arrays[2].as<float>(), wanted] {
    return relative_errors(got, std::span(&wanted, 1), 1e-4);
  };
  p.least = {4.0 * static_cast<double>(n), 0, static_cast<double>(n)};
  return p;
}

Problem hist(Size size) {
  const std::size_t n = stream_length(size);
  constexpr std::size_t bins = 256;
  Problem p;
  p.arrays = arrays({4 * n, 4 * bins});
  Random random;
  std::array<uint32_t, bins> wanted = {};
  for (uint32_t& x : std::span(p.arrays[0].as<uint32_t>(), n)) {
    x = random.bits();
    ++wanted[x % bins];
  }
  p.steps = {Clear{1}, Launch{"hist", {256}, {block_threads}, {array(0), array(1), value(number(n))}}};
  p.results = {1};
  p.check = [got = p.arrays[1].as<uint32_t>(), wanted]() -> std::string {
    for (std::size_t i = 0; i < bins; ++i)
      if (got[i] != wanted[i]) return wrong_at(i, got[i], wanted[i]);
    return {};
  };
  p.least = {4.0 * static_cast<double>(n), 0, 0};
  return p;
}

}  // namespace heddle::bench
