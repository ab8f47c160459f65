// The rows by family, for rows.cpp's table.
#pragma once

#include "problem.h"

namespace heddle::bench {

// streams.cpp
Problem vecadd(Size), saxpy(Size), offcopy(Size), strcopy(Size), stencil(Size), reduce(Size), hist(Size);
// matrices.cpp
Problem matrix_vector(Size, const char* kernel);
Problem matrix_product(Size, const char* kernel);
Problem transpose(Size, const char* kernel);
Problem spmv(Size);
// arithmetic.cpp
Problem black_scholes(Size), nbody(Size), mandel(Size);
// blocks.cpp
Problem bitonic(Size), scan(Size), barheavy(Size), tiny(Size);

// ---- what they share
constexpr uint32_t block_threads = 256;

std::vector<Array> arrays(std::initializer_list<std::size_t> bytes);
void fill_with_fractions(Array& array, Random& random);
inline uint32_t number(std::size_t n) { return static_cast<uint32_t>(n); }
// What is wrong when |got - wanted| / (|wanted| + 0.001) is above `tolerance` somewhere.
std::string relative_errors(const float* got, std::span<const double> wanted, double tolerance);
std::string wrong_at(std::size_t index, double got, double wanted);

}  // namespace heddle::bench
