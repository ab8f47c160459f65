#include "libs/fft/build.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libs/fft/roots.h"
#include "support/host_level.h"

namespace heddle::fft {
namespace {

struct Both {
  Codes<float> f;
  Codes<double> d;
};

const Both& host() {
  static const Both both = [] {
    Both b;
    switch (host_level()) {
      case HostLevel::avx512: avx512::codes(b.f, b.d); break;
      case HostLevel::avx2: avx2::codes(b.f, b.d); break;
      case HostLevel::plain: plain::codes(b.f, b.d); break;
    }
    return b;
  }();
  return both;
}

// Lines of a few lanes are transformed like full ones.
template <class T>
struct Buffer {
  explicit Buffer(std::size_t count)
      : values(static_cast<T*>(operator new(count * sizeof(T), std::align_val_t(64)))) {
    std::fill_n(values, count, T{});
  }
  ~Buffer() { operator delete(values, std::align_val_t(64)); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  T* values;
};

template <class T>
std::unique_ptr<Chirp<T>> make_chirp(int64_t r) {
  auto chirp = std::make_unique<Chirp<T>>();
  chirp->r = r;
  const int64_t n = smooth_above(2 * r - 1);
  chirp->by = make_columns<T>(n);
  const Roots roots(2 * r);
  const auto square = [&](int64_t j) { return static_cast<int64_t>(static_cast<__int128>(j) * j % (2 * r)); };
  for (int64_t j = 0; j < r; ++j) {
    const auto root = roots.at<T>(square(j));
    chirp->chirp.push_back(root.re);
    chirp->chirp.push_back(root.im);
  }
  // In double also for float; its error is then the smaller one.
  const Columns<double> by = make_columns<double>(n);
  const Codes<double>& codes = host_codes<double>();
  const std::size_t w = static_cast<std::size_t>(codes.lanes), size = 2 * w * static_cast<std::size_t>(n);
  Buffer<double> x(size), y(size), work(std::max<std::size_t>(1, 2 * w * static_cast<std::size_t>(by.work)));
  for (int64_t j = 0; j < r; ++j) {
    const auto root = roots.at<double>(square(j));
    for (const int64_t at : {j, (n - j) % n}) {
      x.values[2 * w * static_cast<std::size_t>(at)] = root.re;
      x.values[2 * w * static_cast<std::size_t>(at) + w] = -root.im;
    }
  }
  const double* spectrum = codes.columns(by, x.values, y.values, work.values);
  for (int64_t k = 0; k < n; ++k) {
    for (const std::size_t part : {std::size_t{0}, w}) {
      chirp->spectrum.push_back(
          static_cast<T>(spectrum[2 * w * static_cast<std::size_t>(k) + part] / static_cast<double>(n)));
    }
  }
  return chirp;
}

}  // namespace

template <>
const Codes<float>& host_codes<float>() {
  return host().f;
}
template <>
const Codes<double>& host_codes<double>() {
  return host().d;
}

std::vector<int> radices(int64_t n) {
  std::vector<int> found;
  while (n % 8 == 0) {
    found.push_back(8);
    n /= 8;
  }
  // Two stages of 4 for one of 8 and one of 2.
  if (n % 4 == 2 && !found.empty()) {
    found.back() = 4;
    found.push_back(4);
    n /= 2;
  }
  while (n % 9 == 0) {
    found.push_back(9);
    n /= 9;
  }
  for (int64_t p = 2; p * p <= n || p == 2; p += p == 2 ? 1 : 2) {
    while (p == 2 && n % 4 == 0) {
      found.push_back(4);
      n /= 4;
    }
    while (n % p == 0) {
      found.push_back(static_cast<int>(p));
      n /= p;
    }
  }
  if (n > 1) found.push_back(static_cast<int>(n));
  return found;
}

int64_t largest_prime(int64_t n) {
  int64_t largest = 1;
  for (int64_t p = 2; p * p <= n; ++p) {
    while (n % p == 0) {
      largest = p;
      n /= p;
    }
  }
  return std::max(largest, n);
}

int64_t smooth_above(int64_t n) {
  int64_t best = 0;
  double cost = std::numeric_limits<double>::infinity();
  for (int64_t odd : {1, 3, 5, 7, 9, 15, 25, 27, 21, 35, 45}) {
    int64_t size = odd;
    while (size < n) size *= 2;
    if (const double c = columns_cost(size); c < cost) {
      cost = c;
      best = size;
    }
  }
  return best;
}

double columns_cost(int64_t n) {
  double cost = 0;
  for (const int r : radices(n)) {
    switch (r) {
      case 2: cost += 1; break;
      case 3: cost += 1.6; break;
      case 4: cost += 1.5; break;
      case 5: cost += 2.2; break;
      case 7: cost += 3; break;
      case 8: cost += 2; break;
      case 9: cost += 2.8; break;
      case 11: cost += 4.5; break;
      case 13: cost += 5.5; break;
      default:
        if (r <= largest_direct_prime) {
          cost += 0.6 * r;
        } else {
          const int64_t by = smooth_above(2 * static_cast<int64_t>(r) - 1);
          cost += (2 * columns_cost(by) / static_cast<double>(by) + 3) * static_cast<double>(by) / r;
        }
    }
  }
  return cost * static_cast<double>(n);
}

template <class T>
std::vector<T> roots(int64_t n, int64_t count) {
  const Roots all(n);
  std::vector<T> values;
  values.reserve(2 * static_cast<std::size_t>(count));
  for (int64_t k = 0; k < count; ++k) {
    const auto root = all.at<T>(k);
    values.push_back(root.re);
    values.push_back(root.im);
  }
  return values;
}
template std::vector<float> roots(int64_t, int64_t);
template std::vector<double> roots(int64_t, int64_t);

template <class T>
Columns<T> make_columns(int64_t n) {
  Columns<T> columns;
  columns.n = n;
  if (n <= 1) return columns;
  const Roots all(n);
  int64_t length = n, s = 1;
  for (const int r : radices(n)) {
    Stage<T> stage;
    stage.radix = r;
    stage.m = length / r;
    stage.s = s;
    stage.twiddles = columns.twiddles.size();
    for (int64_t p = 0; p < stage.m; ++p) {
      for (int64_t k = 1; k < r; ++k) {
        const auto root = all.at<T>(p * k * s);
        columns.twiddles.push_back(root.re);
        columns.twiddles.push_back(root.im);
      }
    }
    if (r > largest_direct_prime) {
      columns.chirps.push_back(make_chirp<T>(r));
      stage.chirp = columns.chirps.back().get();
      columns.work = std::max(columns.work, 2 * stage.chirp->by.n + stage.chirp->by.work);
    } else if (r > 13) {
      stage.direct = columns.twiddles.size();
      const auto own = roots<T>(r, r);
      columns.twiddles.insert(columns.twiddles.end(), own.begin(), own.end());
    }
    columns.stages.push_back(stage);
    length /= r;
    s *= r;
  }
  return columns;
}
template Columns<float> make_columns(int64_t);
template Columns<double> make_columns(int64_t);

template <class T>
LineRoots<T>::LineRoots(int64_t n, int64_t rows, int64_t columns, int lanes) {
  const Roots roots(n);
  // Aligned by hand: vectors of any level are loaded from it.
  storage_ = std::make_unique<T[]>(static_cast<std::size_t>(2 * lanes * rows) + 64 / sizeof(T));
  lanes_ = storage_.get();
  while (reinterpret_cast<uintptr_t>(lanes_) % 64 != 0) ++lanes_;
  for (int64_t k = 0; k < rows; ++k) {
    for (int64_t l = 0; l < lanes; ++l) {
      const auto root = roots.at<T>(k * l);
      lanes_[2 * lanes * k + l] = root.re;
      lanes_[2 * lanes * k + lanes + l] = root.im;
    }
  }
  const int64_t blocks = (columns + lanes - 1) / lanes;
  blocks_.reserve(static_cast<std::size_t>(2 * blocks * rows));
  for (int64_t block = 0; block < blocks; ++block) {
    for (int64_t k = 0; k < rows; ++k) {
      const auto root = roots.at<T>(k * block * lanes);
      blocks_.push_back(root.re);
      blocks_.push_back(root.im);
    }
  }
}
template class LineRoots<float>;
template class LineRoots<double>;

bool has_real_columns(int64_t n) { return n > 1 && n % 2 != 0 && largest_prime(n) <= largest_own_prime; }

template <class T>
RealColumns<T> make_real_columns(int64_t n) {
  RealColumns<T> columns;
  columns.n = n;
  if (!has_real_columns(n)) return columns;
  const Roots all(n);
  int64_t m = 1;
  for (const int r : radices(n)) {
    RealStage<T> stage;
    stage.radix = r;
    stage.m = m;
    stage.s = n / (m * r);
    stage.twiddles = columns.twiddles.size();
    for (int64_t k = 1; k <= m / 2; ++k) {
      for (int64_t i = 1; i < r; ++i) {
        const auto root = all.at<T>(i * k * stage.s);
        columns.twiddles.push_back(root.re);
        columns.twiddles.push_back(root.im);
      }
    }
    columns.stages.push_back(stage);
    m *= r;
  }
  return columns;
}
template RealColumns<float> make_real_columns(int64_t);
template RealColumns<double> make_real_columns(int64_t);

}  // namespace heddle::fft
