#include "libs/fft/line.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "libs/fft/pieces.h"
#include "libs/fft/real_line.h"
#include "libs/fft/scratch.h"
#include "libs/fft/single.h"

namespace heddle::fft {
namespace {

constexpr int64_t cached_length = 4096;

}  // namespace

template <class T>
Axis<T>::Axis(Kind kind, int64_t n, int64_t in_step, int64_t out_step, std::vector<Across> across)
    : kind_(kind), n_(n), in_step_(in_step), out_step_(out_step), across_(std::move(across)) {
  // Neighbours in memory become neighbours in lanes.
  std::sort(across_.begin(), across_.end(), [](const Across& a, const Across& b) {
    return std::pair(std::abs(a.in), std::abs(a.out)) > std::pair(std::abs(b.in), std::abs(b.out));
  });
  for (const Across& a : across_) lines_ *= a.count;
  const bool even = n % 2 == 0;
  const int64_t length = kind == Kind::complex || !even ? n : n / 2;
  if (kind == Kind::real_to_complex) shape_ = even ? Shape::real_to_complex_even : Shape::real_to_complex_odd;
  if (kind == Kind::complex_to_real) shape_ = even ? Shape::complex_to_real_even : Shape::complex_to_real_odd;
  if (kind != Kind::complex && even) half_roots_ = roots<T>(n, length / 2 + 1);
  const int lanes = host_codes<T>().lanes;
  const double groups = static_cast<double>((lines_ + lanes - 1) / lanes);
  const bool half = kind != Kind::complex && has_real_columns(n);
  const double in_lanes = groups * (columns_cost(length) / (half ? 2 : 1) + 2 * static_cast<double>(length)) *
                          (length > (half ? 2 : 1) * cached_length ? 2.5 : 1);
  // A line that is not contiguous is copied first.
  const double one_by_one = static_cast<double>(lines_) *
                            (LinePlan<T>::cost(length, lanes) / (kind != Kind::complex && !even ? 2 : 1) +
                             static_cast<double>(length) * 4 / lanes);
  if (length > 1 && one_by_one < in_lanes) {
    if (kind != Kind::complex && !even)
      real_single_ = RealLinePlan<T>::make(n, kind == Kind::complex_to_real);
    if (!real_single_) single_ = std::make_unique<LinePlan<T>>(length);
  } else if (half) {
    real_ = make_real_columns<T>(n);
  } else {
    columns_ = make_columns<T>(length);
  }
}

template <class T>
Axis<T>::~Axis() = default;

template <class T>
void Axis<T>::place(int64_t line, int64_t& in, int64_t& out) const {
  in = out = 0;
  for (std::size_t d = across_.size(); d-- > 0;) {
    const int64_t at = line % across_[d].count;
    line /= across_[d].count;
    in += at * across_[d].in;
    out += at * across_[d].out;
  }
}

template <class T>
void Axis<T>::run(const T* in, T* out, bool inverse) const {
  const int64_t numbers = n_ * lines_;
  if (single_ || real_single_) {
    const bool each = lines_ >= static_cast<int64_t>(libs::parallel_threads()) && numbers >= parallel_from;
    const auto body = [&](int64_t line) { run_line(in, out, inverse, line, !each); };
    return pieces(lines_, each, body);
  }
  const int64_t lanes = host_codes<T>().lanes, groups = (lines_ + lanes - 1) / lanes;
  // Several groups at once: taking one has its price.
  const int64_t together = std::max<int64_t>(1, (int64_t{1} << 13) / (n_ * lanes));
  const auto body = [&](int64_t chunk) {
    const int64_t begin = chunk * together;
    for (int64_t g = begin; g < std::min(groups, begin + together); ++g) run_group(in, out, inverse, g);
  };
  const int64_t chunks = (groups + together - 1) / together;
  pieces(chunks, numbers >= parallel_from, body);
}

template <class T>
void Axis<T>::run_group(const T* in, T* out, bool inverse, int64_t group) const {
  const Codes<T>& codes = host_codes<T>();
  const int64_t begin = group * codes.lanes;
  const int64_t n = std::max(columns_.n, real_.n);
  const Scratch scratch(static_cast<std::size_t>((2 * (n + 1) + columns_.work) * 2 * codes.lanes) *
                        sizeof(T));
  GroupJob<T> job{&columns_, half_roots_.data(), in, out, {}, {}, shape_, inverse, scratch.template as<T>()};
  if (!real_.stages.empty()) job.real_columns = &real_;
  job.from.count = job.to.count = static_cast<int>(std::min<int64_t>(codes.lanes, lines_ - begin));
  for (int l = 0; l < codes.lanes; ++l) {
    place(begin + (l < job.from.count ? l : 0), job.from.offset[l], job.to.offset[l]);
  }
  job.from.step = in_step_;
  job.to.step = out_step_;
  job.from.imaginary = job.to.imaginary = 1;
  // Of an even length, two real numbers are taken for a complex one.
  const auto real = [this](Lines& lines) {
    const bool even = n_ % 2 == 0;
    lines.imaginary = even ? lines.step : 0;
    if (even) lines.step *= 2;
  };
  if (kind_ == Kind::real_to_complex) real(job.from);
  if (kind_ == Kind::complex_to_real) real(job.to);
  codes.group(job);
}

template <class T>
void Axis<T>::run_line(const T* in, T* out, bool inverse, int64_t line, bool parallel) const {
  int64_t from, to;
  place(line, from, to);
  in += from;
  out += to;
  if (real_single_) return run_real_line(in, out, parallel);
  if (kind_ == Kind::complex) {
    if (in_step_ == 2 && out_step_ == 2) return single_->run(in, out, inverse, parallel);
    const Scratch copy(static_cast<std::size_t>(2 * n_) * sizeof(T));
    T* z = copy.template as<T>();
    for (int64_t j = 0; j < n_; ++j) {
      z[2 * j] = in[j * in_step_];
      z[2 * j + 1] = in[j * in_step_ + 1];
    }
    single_->run(z, z, inverse, parallel);
    for (int64_t j = 0; j < n_; ++j) {
      out[j * out_step_] = z[2 * j];
      out[j * out_step_ + 1] = z[2 * j + 1];
    }
    return;
  }
  const int64_t h = n_ / 2;
  const bool even = n_ % 2 == 0;
  const Scratch copy(static_cast<std::size_t>(2 * n_ + 2) * sizeof(T));
  T* z = copy.template as<T>();
  if (kind_ == Kind::real_to_complex) {
    if (even) {
      const T* packed = in;
      if (in_step_ != 1) {
        for (int64_t j = 0; j < n_; ++j) z[j] = in[j * in_step_];
        packed = z;
      }
      single_->run(packed, z, false, parallel);
      const auto put = [&](int64_t k, T re, T im) {
        out[k * out_step_] = re;
        out[k * out_step_ + 1] = im;
      };
      put(0, z[0] + z[1], 0);
      put(h, z[0] - z[1], 0);
      const T half = static_cast<T>(0.5);
      for (int64_t k = 1; 2 * k <= h; ++k) {  // lines.h, unpack_real
        const T are = z[2 * k], aim = z[2 * k + 1], bre = z[2 * (h - k)], bim = z[2 * (h - k) + 1];
        const T ere = (are + bre) * half, eim = (aim - bim) * half, re = (aim + bim) * half,
                im = (bre - are) * half;
        const T c = half_roots_[2 * k], s = half_roots_[2 * k + 1];
        const T ore = re * c - im * s, oim = re * s + im * c;
        put(k, ere + ore, eim + oim);
        put(h - k, ere - ore, oim - eim);
      }
    } else {
      for (int64_t j = 0; j < n_; ++j) {
        z[2 * j] = in[j * in_step_];
        z[2 * j + 1] = 0;
      }
      single_->run(z, z, false, parallel);
      for (int64_t k = 0; k <= h; ++k) {
        out[k * out_step_] = z[2 * k];
        out[k * out_step_ + 1] = z[2 * k + 1];
      }
    }
    return;
  }
  if (even) {
    const T first = in[0], last = in[h * in_step_];
    z[0] = first + last;
    z[1] = first - last;
    for (int64_t k = 1; 2 * k <= h; ++k) {  // lines.h, pack_real
      const T* a = in + k * in_step_;
      const T* b = in + (h - k) * in_step_;
      const T ere = a[0] + b[0], eim = a[1] - b[1], re = a[0] - b[0], im = a[1] + b[1];
      const T c = half_roots_[2 * k], s = -half_roots_[2 * k + 1];
      const T ore = -(re * s + im * c), oim = re * c - im * s;
      z[2 * k] = ere + ore;
      z[2 * k + 1] = eim + oim;
      z[2 * (h - k)] = ere - ore;
      z[2 * (h - k) + 1] = oim - eim;
    }
    if (out_step_ == 1) return single_->run(z, out, true, parallel);
    single_->run(z, z, true, parallel);
    for (int64_t j = 0; j < n_; ++j) out[j * out_step_] = z[j];
    return;
  }
  z[0] = in[0];
  z[1] = 0;
  for (int64_t k = 1; k <= h; ++k) {
    z[2 * k] = z[2 * (n_ - k)] = in[k * in_step_];
    z[2 * k + 1] = in[k * in_step_ + 1];
    z[2 * (n_ - k) + 1] = -z[2 * k + 1];
  }
  single_->run(z, z, true, parallel);
  for (int64_t j = 0; j < n_; ++j) out[j * out_step_] = z[2 * j];
}

// By way of copies where numbers are not contiguous.
template <class T>
void Axis<T>::run_real_line(const T* in, T* out, bool parallel) const {
  const bool back = kind_ == Kind::complex_to_real;
  const int64_t half = n_ / 2 + 1, unit = back ? 2 : 1, count = back ? half : n_, unit_to = back ? 1 : 2;
  const Scratch copy(static_cast<std::size_t>(n_ + 1) * sizeof(T));
  const Scratch result(static_cast<std::size_t>(n_ + 1) * sizeof(T));
  if (in_step_ != unit) {
    T* z = copy.template as<T>();
    for (int64_t j = 0; j < count; ++j)
      for (int64_t u = 0; u < unit; ++u) z[j * unit + u] = in[j * in_step_ + u];
    in = z;
  }
  if (out_step_ == unit_to) return real_single_->run(in, out, parallel);
  T* z = result.template as<T>();
  real_single_->run(in, z, parallel);
  for (int64_t j = 0; j < (back ? n_ : half); ++j)
    for (int64_t u = 0; u < unit_to; ++u) out[j * out_step_ + u] = z[j * unit_to + u];
}

template class Axis<float>;
template class Axis<double>;

}  // namespace heddle::fft
