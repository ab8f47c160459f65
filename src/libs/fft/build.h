// Making what a transform needs beforehand: stages, roots.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "libs/fft/columns.h"
#include "libs/fft/level.h"

namespace heddle::fft {

// Of this host.
template <class T>
const Codes<T>& host_codes();

std::vector<int> radices(int64_t n);  // of the stages, with primes as they are
int64_t largest_prime(int64_t n);
int64_t smooth_above(int64_t n);  // the cheapest length at least n of small primes alone

// What a transform of length n costs for one vector of lanes, in butterflies' operations.
double columns_cost(int64_t n);

template <class T>
Columns<T> make_columns(int64_t n);

// exp(-2 pi i k / n) for k below count.
template <class T>
std::vector<T> roots(int64_t n, int64_t count);

}  // namespace heddle::fft
