// Rows whose time is arithmetic: Black-Scholes, n bodies, the Mandelbrot set.
#include <cmath>

#include "rows.h"

namespace heddle::bench {

namespace {

double normal_distribution(double d) {
  const double k = 1 / (1 + 0.2316419 * std::abs(d));
  const double tail =
      0.39894228040143267794 * std::exp(-0.5 * d * d) *
      (k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))));
  return d > 0 ? 1 - tail : tail;
}

std::string absolute_errors(const float* got, std::span<const double> wanted, double tolerance) {
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (!(std::abs(got[i] - wanted[i]) <= tolerance)) return wrong_at(i, got[i], wanted[i]);
  return {};
}

}  // namespace

Problem black_scholes(Size size) {
  const std::size_t n = size == Size::small ? 1 << 14 : 1 << 22;
  const float rate = 0.02f, volatility = 0.3f;
  Problem p;
  p.arrays = arrays({4 * n, 4 * n, 4 * n, 4 * n, 4 * n});  // call, put, price, strike, years
  Random random;
  float *price = p.arrays[2].as<float>(), *strike = p.arrays[3].as<float>(), *years = p.arrays[4].as<float>();
  std::vector<double> call(n), put(n);
  for (std::size_t i = 0; i < n; ++i) {
    price[i] = 5 + 25 * random.fraction();
    strike[i] = 1 + 99 * random.fraction();
    years[i] = 0.25f + 9.75f * random.fraction();
    const double s = price[i], x = strike[i], t = years[i], v = volatility, r = rate, root = std::sqrt(t);
    const double d1 = (std::log(s / x) + (r + 0.5 * v * v) * t) / (v * root), d2 = d1 - v * root;
    const double n1 = normal_distribution(d1), n2 = normal_distribution(d2), discount = std::exp(-r * t);
    call[i] = s * n1 - x * discount * n2;
    put[i] = x * discount * (1 - n2) - s * (1 - n1);
  }
  p.steps = {Launch{
      "bs",
      {number(n / block_threads)},
      {block_threads},
      {array(0), array(1), array(2), array(3), array(4), value(rate), value(volatility), value(number(n))}}};
  p.results = {0, 1};
  p.check = [c = p.arrays[0].as<float>(), q = p.arrays[1].as<float>(), call = std::move(call),
             put = std::move(put)] {
    std::string wrong = absolute_errors(c, call, 1e-4);
    return wrong.empty() ? absolute_errors(q, put, 1e-4) : wrong;
  };
  p.least = {12.0 * static_cast<double>(n), 8.0 * static_cast<double>(n), 0};
  return p;
}

Problem nbody(Size size) {
  const uint32_t n = size == Size::small ? 512 : 16384;
  Problem p;
  p.arrays = arrays({16 * n, 16 * n});
  Random random;
  fill_with_fractions(p.arrays[0], random);
  p.steps = {Launch{"nbody", {n / block_threads}, {block_threads}, {array(0), array(1), value(n)}}};
  p.results = {1};
  // 64 of the bodies.
  p.check = [bodies = p.arrays[0].as<float>(), got = p.arrays[1].as<float>(), n]() -> std::string {
    for (uint32_t i = 0; i < n; i += n / 64) {
      double wanted[3] = {};
      for (uint32_t j = 0; j < n; ++j) {
        double d[3], square = 0.01;
        for (int k = 0; k < 3; ++k) {
          d[k] = double{bodies[4 * j + k]} - bodies[4 * i + k];
          square += d[k] * d[k];
        }
        const double f = bodies[4 * j + 3] / (square * std::sqrt(square));
        for (int k = 0; k < 3; ++k) wanted[k] += d[k] * f;
      }
      for (int k = 0; k < 3; ++k)
        if (!(std::abs(wanted[k] - got[4 * i + k]) <= 1e-3 * (std::abs(wanted[k]) + 0.01 * n)))
          return wrong_at(4 * i + k, got[4 * i + k], wanted[k]);
    }
    return {};
  };
  // Three differences, three and one for the square, the root, three for the force, three sums.
  p.least.operations = 14.0 * n * n;
  return p;
}

Problem mandel(Size size) {
  const uint32_t width = size == Size::small ? 64 : 2048, most = 512;
  const std::size_t cells = std::size_t{width} * width;
  Problem p;
  p.arrays = arrays({4 * cells});
  p.steps = {Launch{"mandel", {width / 32, width / 8}, {32, 8}, {array(0), value(width), value(most)}}};
  p.results = {0};
  std::vector<uint32_t> wanted(cells);
  double iterations = 0;
  for (uint32_t y = 0; y < width; ++y)
    for (uint32_t x = 0; x < width; ++x) {
      const float w = static_cast<float>(width);
      const float cx = -2.0f + 2.5f * static_cast<float>(x) / w,
                  cy = -1.25f + 2.5f * static_cast<float>(y) / w;
      float zx = 0, zy = 0;
      uint32_t i = 0;
      for (; i < most && zx * zx + zy * zy < 4.0f; ++i) {
        const float t = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = t;
      }
      wanted[y * width + x] = i;
      iterations += i;
    }
  // Fused multiply-adds move a few points of the boundary: two in a hundred may be off by more than two.
  p.check = [got = p.arrays[0].as<int32_t>(), wanted = std::move(wanted)]() -> std::string {
    std::size_t off = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i)
      off += std::abs(got[i] - static_cast<int32_t>(wanted[i])) > 2;
    if (off * 50 < wanted.size()) return {};
    return std::to_string(off) + " of " + std::to_string(wanted.size()) + " points differ";
  };
  p.least.operations = 6 * iterations;  // a square, the sum, its test, and three for the next point
  return p;
}

}  // namespace heddle::bench
