#include "libs/curand/scrambling.h"

#include <array>
#include <bit>

#include "libs/curand/sequence.h"
#include "libs/curand/sobol.h"

namespace heddle::curand {
namespace {

constexpr unsigned bits = 64;
using Matrix = std::array<uint64_t, bits>;  // by rows; the first bit of a row is the topmost

// Row k, times a vector, is bit k from the top of the product. Here each row's places before the diagonal are
// random, and the diagonal is one.
void multiply(const uint64_t* random, const uint64_t* vectors, uint64_t* products) {
  Matrix rows;
  for (unsigned k = 0; k < bits; ++k) {
    const uint64_t diagonal = uint64_t{1} << (bits - 1 - k);
    rows[k] = (random[k] & -diagonal) | diagonal;
  }
  for (unsigned v = 0; v < bits; ++v) {
    uint64_t product = 0;
    for (const uint64_t row : rows)
      product = product << 1 | static_cast<uint64_t>(std::popcount(row & vectors[v]) & 1);
    products[v] = product;
  }
}

// The random words are XORWOW's, as an H200's vectors and constants show: seed 0, legacy order, from the
// second number on; 64 rows for each dimension, then a constant for each.
Scrambling make() {
  const unsigned dimensions = most_dimensions();
  const auto words = make_sequence(Kind::xorwow, Order::legacy, 0, 1);
  const auto take = [&words](uint64_t* to, std::size_t count) {
    std::vector<uint32_t> halves(2 * count);
    words->bits(halves.data(), halves.size());
    for (std::size_t i = 0; i < count; ++i) to[i] = halves[2 * i] | uint64_t{halves[2 * i + 1]} << 32;
  };
  Scrambling made;
  made.vectors_64.resize(std::size_t{dimensions} * bits);
  made.constants_64.resize(dimensions);
  for (unsigned d = 0; d < dimensions; ++d) {
    Matrix random;
    take(random.data(), bits);
    multiply(random.data(), direction_vectors_64()[d], made.vectors_64.data() + std::size_t{d} * bits);
  }
  take(made.constants_64.data(), dimensions);
  made.vectors_32.reserve(std::size_t{dimensions} * 32);
  for (unsigned d = 0; d < dimensions; ++d)
    for (unsigned k = 0; k < 32; ++k)
      made.vectors_32.push_back(static_cast<uint32_t>(made.vectors_64[std::size_t{d} * bits + k] >> 32));
  for (const uint64_t constant : made.constants_64)
    made.constants_32.push_back(static_cast<uint32_t>(constant >> 32));
  return made;
}

}  // namespace

const Scrambling& scrambling() {
  static const auto* const made = new Scrambling(make());
  return *made;
}

}  // namespace heddle::curand
