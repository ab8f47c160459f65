// Rows about matrices: times a vector, times a matrix, transposed, sparse.
#include <algorithm>
#include <cmath>

#include "rows.h"

namespace heddle::bench {

Problem matrix_vector(Size size, const char* kernel) {
  const uint32_t width = 1100, height = size == Size::small ? 128 : 100000;
  const std::size_t cells = std::size_t{width} * height;
  Problem p;
  p.arrays = arrays({4 * cells, 4 * width, 4 * height});
  Random random;
  fill_with_fractions(p.arrays[0], random);
  fill_with_fractions(p.arrays[1], random);
  Launch launch{kernel,
                {},
                {block_threads},
                {array(0), array(1), value(width), value(height), array(2)},
                4 * block_threads};
  switch (kernel[4]) {
    case '2':
      launch.blocks.x = (height + block_threads - 1) / block_threads;
      launch.shared_bytes = 0;
      break;
    case '3':
      launch.blocks.x = size == Size::small ? 1 : 64;
      launch.shared_bytes = 0;
      break;
    default: launch.blocks.x = size == Size::small ? 8 : 1024; break;
  }
  p.steps = {launch};
  p.results = {2};
  const float *m = p.arrays[0].as<float>(), *v = p.arrays[1].as<float>();
  std::vector<double> wanted(height);
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x) wanted[y] += double{m[y * width + x]} * v[x];
  p.check = [got = p.arrays[2].as<float>(), wanted = std::move(wanted)] {
    return relative_errors(got, wanted, 2e-5);
  };
  p.least = {4.0 * static_cast<double>(cells), 0, static_cast<double>(cells)};
  return p;
}

Problem matrix_product(Size size, const char* kernel) {
  const uint32_t n = size == Size::small ? 64 : 1024;
  const std::size_t cells = std::size_t{n} * n;
  Problem p;
  p.arrays = arrays({4 * cells, 4 * cells, 4 * cells});
  Random random;
  fill_with_fractions(p.arrays[0], random);
  fill_with_fractions(p.arrays[1], random);
  p.steps = {Launch{kernel, {n / 16, n / 16}, {16, 16}, {array(0), array(1), array(2), value(n)}}};
  p.results = {2};
  const float *a = p.arrays[0].as<float>(), *b = p.arrays[1].as<float>();
  std::vector<double> wanted(cells);
  for (std::size_t y = 0; y < n; ++y)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t x = 0; x < n; ++x) wanted[y * n + x] += double{a[y * n + k]} * b[k * n + x];
  p.check = [got = p.arrays[2].as<float>(), wanted = std::move(wanted)] {
    return relative_errors(got, wanted, 1e-4);
  };
  p.least = {8.0 * static_cast<double>(cells), 4.0 * static_cast<double>(cells), std::pow(n, 3.0)};
  return p;
}

Problem transpose(Size size, const char* kernel) {
  const uint32_t n = size == Size::small ? 128 : 4096;
  const std::size_t cells = std::size_t{n} * n;
  Problem p;
  p.arrays = arrays({4 * cells, 4 * cells});
  for (std::size_t i = 0; i < cells; ++i) p.arrays[0].as<uint32_t>()[i] = number(i);  // moved, not calculated
  p.steps = {Launch{kernel, {n / 32, n / 32}, {32, 8}, {array(0), array(1), value(n)}}};
  p.results = {1};
  p.check = [got = p.arrays[1].as<uint32_t>(), n]() -> std::string {
    for (std::size_t y = 0; y < n; ++y)
      for (std::size_t x = 0; x < n; ++x)
        if (got[y * n + x] != x * n + y)
          return wrong_at(y * n + x, got[y * n + x], static_cast<double>(x * n + y));
    return {};
  };
  p.least = {4.0 * static_cast<double>(cells), 4.0 * static_cast<double>(cells), 0};
  return p;
}

Problem spmv(Size size) {
  const uint32_t rows = size == Size::small ? 1000 : 100000, repetitions = 10;
  Random random;
  std::vector<uint32_t> begins(rows + 1);
  for (uint32_t r = 0; r < rows; ++r) begins[r + 1] = begins[r] + random.bits() % 21;
  const std::size_t entries = begins[rows];
  Problem p;
  p.arrays = arrays({4 * begins.size(), 4 * entries, 4 * entries, 4 * rows, 4 * rows});
  std::ranges::copy(begins, p.arrays[0].as<uint32_t>());
  uint32_t* columns = p.arrays[1].as<uint32_t>();
  for (std::size_t i = 0; i < entries; ++i) columns[i] = random.bits() % rows;
  fill_with_fractions(p.arrays[2], random);
  fill_with_fractions(p.arrays[3], random);
  const Launch launch{"spmv",
                      {(rows + block_threads - 1) / block_threads},
                      {block_threads},
                      {array(0), array(1), array(2), array(3), array(4), value(rows)}};
  p.steps.assign(repetitions, launch);
  p.results = {4};
  const float *values = p.arrays[2].as<float>(), *x = p.arrays[3].as<float>();
  std::vector<double> wanted(rows);
  for (uint32_t r = 0; r < rows; ++r)
    for (uint32_t k = begins[r]; k < begins[r + 1]; ++k) wanted[r] += double{values[k]} * x[columns[k]];
  p.check = [got = p.arrays[4].as<float>(), wanted = std::move(wanted)] {
    return relative_errors(got, wanted, 1e-5);
  };
  return p;  // fits in a cache: no limit
}

}  // namespace heddle::bench
