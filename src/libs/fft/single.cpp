#include "libs/fft/single.h"

#include <algorithm>
#include <limits>

#include "libs/fft/pieces.h"
#include "libs/fft/roots.h"
#include "libs/fft/scratch.h"

namespace heddle::fft {
namespace {

// Two buffers of so many vectors fill a core's second cache.
constexpr double cached_length = 4096;
double beyond_cache(int64_t n) { return static_cast<double>(n) > cached_length ? 1.7 : 1.0; }

struct Division {
  int64_t n1 = 1;
  double cost = std::numeric_limits<double>::infinity();
};

Division divide(int64_t n, int lanes) {
  const auto rounded = [lanes](int64_t k) {
    return static_cast<double>((k + lanes - 1) / lanes * lanes) / lanes;
  };
  Division best;
  const auto consider = [&](int64_t n1) {
    const int64_t n2 = n / n1;
    const double cost = rounded(n2) * (columns_cost(n1) * beyond_cache(n1) + 2 * static_cast<double>(n1)) +
                        rounded(n1) * (columns_cost(n2) * beyond_cache(n2) + 3 * static_cast<double>(n2));
    if (cost < best.cost) best = {n1, cost};
  };
  for (int64_t d = 1; d * d <= n; ++d) {
    if (n % d == 0) {
      consider(d);
      consider(n / d);
    }
  }
  return best;
}

double chirp_cost(int64_t n, int lanes) {
  const int64_t by = smooth_above(2 * n - 1);
  return 2 * divide(by, lanes).cost + 6 * static_cast<double>(by) / lanes;
}

}  // namespace

template <class T>
double LinePlan<T>::cost(int64_t n, int lanes) {
  const double direct = divide(n, lanes).cost;
  return largest_prime(n) > largest_direct_prime ? std::min(direct, chirp_cost(n, lanes)) : direct;
}

template <class T>
int64_t LinePlan<T>::first_factor(int64_t n) {
  const int lanes = host_codes<T>().lanes;
  const Division division = divide(n, lanes);
  return largest_prime(n) > largest_direct_prime && chirp_cost(n, lanes) < division.cost ? 0 : division.n1;
}

template <class T>
LinePlan<T>::LinePlan(int64_t n) : n_(n) {
  const int lanes = host_codes<T>().lanes;
  const int64_t n1 = first_factor(n);
  if (n1 == 0) {
    by_n_ = smooth_above(2 * n - 1);
    by_ = std::make_unique<LinePlan>(by_n_);
    const Roots roots(2 * n);
    std::vector<double> spectrum(2 * static_cast<std::size_t>(by_n_));
    for (int64_t j = 0; j < n; ++j) {
      const int64_t square = static_cast<int64_t>(static_cast<__int128>(j) * j % (2 * n));
      const auto root = roots.at<double>(square);
      const auto rounded = roots.at<T>(square);
      chirp_.push_back(rounded.re);
      chirp_.push_back(rounded.im);
      for (const int64_t at : {j, (by_n_ - j) % by_n_}) {
        spectrum[2 * static_cast<std::size_t>(at)] = root.re / static_cast<double>(by_n_);
        spectrum[2 * static_cast<std::size_t>(at) + 1] = -root.im / static_cast<double>(by_n_);
      }
    }
    LinePlan<double>(by_n_).run(spectrum.data(), spectrum.data(), false, true);
    spectrum_.assign(spectrum.begin(), spectrum.end());
    return;
  }
  const int64_t n2 = n / n1;
  first_ = make_columns<T>(n1);
  second_ = make_columns<T>(n2);
  roots_ = LineRoots<T>(n, n1, n2, lanes);
}

template <class T>
LinePlan<T>::~LinePlan() = default;

template <class T>
void LinePlan<T>::run(const T* in, T* out, bool inverse, bool parallel) const {
  if (by_) return run_chirp(in, out, inverse, parallel);
  const Codes<T>& codes = host_codes<T>();
  const int64_t lanes = codes.lanes, n1 = first_.n, n2 = second_.n;
  const int64_t columns = (n2 + lanes - 1) / lanes, rows = (n1 + lanes - 1) / lanes;
  const Scratch between(static_cast<std::size_t>(2 * columns * lanes * rows * lanes) * sizeof(T));
  LineJob<T> job{&first_, &second_, roots_.lanes(),           roots_.blocks(),
                 in,      out,      between.template as<T>(), inverse};
  parallel = parallel && n_ >= parallel_from;
  const std::size_t bytes1 = static_cast<std::size_t>(2 * lanes * (2 * n1 + first_.work)) * sizeof(T);
  const std::size_t bytes2 =
      static_cast<std::size_t>(2 * lanes * (2 * columns * lanes + second_.work)) * sizeof(T);
  pieces(columns, parallel, [&](int64_t block) {
    const Scratch scratch(bytes1);
    codes.step1(job, block, scratch.template as<T>());
  });
  pieces(rows, parallel, [&](int64_t block) {
    const Scratch scratch(bytes2);
    codes.step2(job, block, scratch.template as<T>());
  });
}

template <class T>
void LinePlan<T>::run_chirp(const T* in, T* out, bool inverse, bool parallel) const {
  const Scratch scratch(static_cast<std::size_t>(2 * by_n_) * sizeof(T));
  T* a = scratch.template as<T>();
  const T sign = inverse ? T(-1) : T(1);  // the inverse is the transform of conjugates, conjugated
  for (int64_t j = 0; j < n_; ++j) {
    const T re = in[2 * j], im = sign * in[2 * j + 1], c = chirp_[2 * j], s = chirp_[2 * j + 1];
    a[2 * j] = re * c - im * s;
    a[2 * j + 1] = re * s + im * c;
  }
  std::fill(a + 2 * n_, a + 2 * by_n_, T{});
  by_->run(a, a, false, parallel);
  for (int64_t k = 0; k < by_n_; ++k) {
    const T re = a[2 * k], im = a[2 * k + 1], c = spectrum_[2 * k], s = spectrum_[2 * k + 1];
    a[2 * k] = re * c - im * s;
    a[2 * k + 1] = re * s + im * c;
  }
  by_->run(a, a, true, parallel);
  for (int64_t k = 0; k < n_; ++k) {
    const T re = a[2 * k], im = a[2 * k + 1], c = chirp_[2 * k], s = chirp_[2 * k + 1];
    out[2 * k] = re * c - im * s;
    out[2 * k + 1] = sign * (re * s + im * c);
  }
}

template class LinePlan<float>;
template class LinePlan<double>;

}  // namespace heddle::fft
