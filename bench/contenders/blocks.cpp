// Rows about launches, barriers and small blocks: a bitonic sort, a scan, a ring of barriers, tiny blocks.
#include <algorithm>
#include <cmath>

#include "rows.h"

namespace heddle::bench {

namespace {

std::string different(const uint32_t* got, std::span<const uint32_t> wanted) {
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (got[i] != wanted[i]) return wrong_at(i, got[i], wanted[i]);
  return {};
}

}  // namespace

Problem bitonic(Size size) {
  const uint32_t n = size == Size::small ? 1 << 10 : 1 << 20;
  Problem p;
  p.arrays = arrays({4 * n, 4 * n});  // unsorted, sorted
  Random random;
  std::vector<uint32_t> wanted(n);
  for (uint32_t& x : wanted) x = random.bits();
  std::ranges::copy(wanted, p.arrays[0].as<uint32_t>());
  std::ranges::sort(wanted);
  p.steps.emplace_back(Copy{1, 0});
  for (uint32_t k = 2; k <= n; k *= 2)
    for (uint32_t j = k / 2; j > 0; j /= 2)
      p.steps.emplace_back(
          Launch{"bitonic", {n / block_threads}, {block_threads}, {array(1), value(j), value(k)}});
  p.results = {1};
  p.check = [got = p.arrays[1].as<uint32_t>(), wanted = std::move(wanted)] { return different(got, wanted); };
  return p;
}

Problem scan(Size size) {
  const uint32_t n = size == Size::small ? 1 << 12 : 1 << 22, block = 512;
  const uint32_t sums = n / block, sums_of_sums = (sums + block - 1) / block;
  Problem p;
  // in, out; the blocks' sums padded to whole blocks and scanned; the same one level up.
  p.arrays = arrays(
      {4 * n, 4 * n, 4 * sums_of_sums * block, 4 * sums_of_sums * block, 4 * block, 4 * block, 4 * block});
  Random random;
  std::vector<uint32_t> wanted(n);
  uint32_t sum = 0;
  for (uint32_t i = 0; i < n; ++i) {
    wanted[i] = sum;
    sum += p.arrays[0].as<uint32_t>()[i] = random.bits();
  }
  const auto launch = [&](const char* kernel, uint32_t blocks, std::vector<Argument> arguments) {
    p.steps.emplace_back(Launch{kernel, {blocks}, {block_threads}, std::move(arguments)});
  };
  launch("scan_block", sums, {array(0), array(1), array(2)});
  launch("scan_block", sums_of_sums, {array(2), array(3), array(4)});
  if (sums_of_sums > 1) {
    launch("scan_block", 1, {array(4), array(5), array(6)});
    launch("scan_add", sums_of_sums, {array(3), array(5)});
  }
  launch("scan_add", sums, {array(1), array(3)});
  p.results = {1};
  p.check = [got = p.arrays[1].as<uint32_t>(), wanted = std::move(wanted)] { return different(got, wanted); };
  p.least = {4.0 * n, 4.0 * n, 0};
  return p;
}

Problem barheavy(Size size) {
  const uint32_t blocks = size == Size::small ? 4 : 4096, rounds = 32;
  Problem p;
  p.arrays = arrays({4 * blocks * block_threads});
  p.steps = {Launch{"barheavy", {blocks}, {block_threads}, {array(0), value(rounds)}}};
  p.results = {0};
  std::vector<double> ring(block_threads);
  for (std::size_t i = 0; i < ring.size(); ++i) ring[i] = 0.001 * static_cast<double>(i);
  for (uint32_t r = 0; r < rounds; ++r) {
    std::ranges::rotate(ring, ring.begin() + 1);
    for (double& x : ring) x = x * 0.999 + 0.001;
  }
  p.check = [got = p.arrays[0].as<float>(), ring = std::move(ring), blocks]() -> std::string {
    for (std::size_t i = 0; i < std::size_t{blocks} * block_threads; ++i)
      if (!(std::abs(got[i] - ring[i % block_threads]) <= 1e-5))
        return wrong_at(i, got[i], ring[i % block_threads]);
    return {};
  };
  p.least.operations = 1.0 * blocks * block_threads * rounds;
  return p;
}

Problem tiny(Size size) {
  const uint32_t n = size == Size::small ? 1 << 12 : 1 << 22;
  Problem p;
  p.arrays = arrays({4 * n});
  p.steps = {Launch{"tiny", {n / 4}, {4}, {array(0)}}};
  p.results = {0};
  p.check = [got = p.arrays[0].as<uint32_t>(), n]() -> std::string {
    for (uint32_t i = 0; i < n; ++i)
      if (got[i] != i * 3 + 1) return wrong_at(i, got[i], i * 3.0 + 1);
    return {};
  };
  p.least = {0, 4.0 * n, 0};
  return p;
}

}  // namespace heddle::bench
