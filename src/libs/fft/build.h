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

// Of an odd length. No stages where a prime factor has no code of its own.
template <class T>
RealColumns<T> make_real_columns(int64_t n);
bool has_real_columns(int64_t n);

// Of lanes of columns that are one line: w = exp(-2 pi i / n) to the power of row times column, as two
// tables.
template <class T>
class LineRoots {
 public:
  LineRoots() = default;
  LineRoots(int64_t n, int64_t rows, int64_t columns, int lanes);
  const T* lanes() const { return lanes_; }           // [row]: w^(row lane), a vector re, a vector im
  const T* blocks() const { return blocks_.data(); }  // [block][row]: w^(row block lanes), re and im

 private:
  std::unique_ptr<T[]> storage_;
  T* lanes_ = nullptr;
  std::vector<T> blocks_;
};

// exp(-2 pi i k / n) for k below count.
template <class T>
std::vector<T> roots(int64_t n, int64_t count);

}  // namespace heddle::fft
