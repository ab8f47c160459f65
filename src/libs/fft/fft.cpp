#include "libs/fft/fft.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "libs/fft/line.h"

namespace heddle::fft {
namespace {

int64_t product(const std::vector<int64_t>& of) {
  int64_t p = 1;
  for (const int64_t x : of) p *= x;
  return p;
}

// Dimensions one after the other. The real one is the last: the first to go on the way to complex numbers,
// the last on the way back, which needs an array in between.
template <class T>
class Dimensions final : public Plan {
 public:
  explicit Dimensions(const Request& request) : kind_(request.kind) {
    const std::size_t rank = request.lengths.size(), last = rank - 1;
    const auto complex = complex_lengths(request.lengths);
    const int64_t in_unit = kind_ == Kind::real_to_complex ? 1 : 2,
                  out_unit = kind_ == Kind::complex_to_real ? 1 : 2;
    const auto& spectrum = kind_ == Kind::complex ? request.lengths : complex;
    Layout between = request.in;
    if (kind_ == Kind::complex_to_real && rank > 1) {
      between = dense(complex, Kind::complex, true, false);
      between_ = static_cast<std::size_t>(2 * product(complex) * request.batch);
    }
    const auto add = [&](Kind kind, std::size_t axis, const Layout& in, int64_t iu, const Layout& out,
                         int64_t ou) {
      std::vector<Across> across{{request.batch, in.distance * iu, out.distance * ou}};
      for (std::size_t d = 0; d < rank; ++d) {
        if (d != axis) across.push_back({spectrum[d], in.strides[d] * iu, out.strides[d] * ou});
      }
      axes_.push_back(std::make_unique<Axis<T>>(kind, request.lengths[axis], in.strides[axis] * iu,
                                                out.strides[axis] * ou, std::move(across)));
    };
    if (kind_ == Kind::complex_to_real) {
      for (std::size_t d = last; d-- > 0;)
        add(Kind::complex, d, d + 1 == last ? request.in : between, 2, between, 2);
      add(Kind::complex_to_real, last, between, 2, request.out, 1);
    } else {
      add(kind_, last, request.in, in_unit, request.out, out_unit);
      for (std::size_t d = last; d-- > 0;) add(Kind::complex, d, request.out, 2, request.out, 2);
    }
  }

  void execute(const void* in, void* out, bool inverse) const override {
    const T* from = static_cast<const T*>(in);
    T* to = static_cast<T*>(out);
    if (kind_ == Kind::complex_to_real) {
      const std::unique_ptr<T[]> between(between_ ? new T[between_] : nullptr);
      for (std::size_t a = 0; a + 1 < axes_.size(); ++a)
        axes_[a]->run(a == 0 ? from : between.get(), between.get(), true);
      axes_.back()->run(between ? between.get() : from, to, true);
      return;
    }
    for (std::size_t a = 0; a < axes_.size(); ++a) axes_[a]->run(a == 0 ? from : to, to, inverse);
  }

 private:
  Kind kind_;
  std::vector<std::unique_ptr<Axis<T>>> axes_;
  std::size_t between_ = 0;
};

uint32_t bits_of(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  return bits;
}

float read(uint16_t x, bool brain) {
  if (!brain) {
    _Float16 h;
    std::memcpy(&h, &x, 2);
    return static_cast<float>(h);
  }
  const uint32_t bits = static_cast<uint32_t>(x) << 16;
  float f;
  std::memcpy(&f, &bits, 4);
  return f;
}
uint16_t write(float x, bool brain) {
  if (!brain) {
    const _Float16 h = static_cast<_Float16>(x);
    uint16_t bits;
    std::memcpy(&bits, &h, 2);
    return bits;
  }
  const uint32_t bits = bits_of(x);
  if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fff;
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// Numbers of 16 bits, by way of float.
class Halves final : public Plan {
 public:
  explicit Halves(const Request& request) : request_(request), brain_(request.number == Number::bf16) {
    Request inner = request;
    inner.number = Number::f32;
    const auto complex = complex_lengths(request.lengths);
    in_lengths_ = request.kind == Kind::complex_to_real ? complex : request.lengths;
    out_lengths_ = request.kind == Kind::real_to_complex ? complex : request.lengths;
    in_unit_ = request.kind == Kind::real_to_complex ? 1 : 2;
    out_unit_ = request.kind == Kind::complex_to_real ? 1 : 2;
    inner.in = dense(in_lengths_, Kind::complex, true, false);
    inner.out = dense(out_lengths_, Kind::complex, true, false);
    plan_ = std::make_unique<Dimensions<float>>(inner);
  }
  void execute(const void* in, void* out, bool inverse) const override {
    std::vector<float> from(static_cast<std::size_t>(product(in_lengths_) * request_.batch * in_unit_));
    std::vector<float> to(static_cast<std::size_t>(product(out_lengths_) * request_.batch * out_unit_));
    const uint16_t* source = static_cast<const uint16_t*>(in);
    uint16_t* target = static_cast<uint16_t*>(out);
    each(in_lengths_, request_.in, in_unit_,
         [&](std::size_t i, int64_t at) { from[i] = read(source[at], brain_); });
    plan_->execute(from.data(), to.data(), inverse);
    each(out_lengths_, request_.out, out_unit_,
         [&](std::size_t i, int64_t at) { target[at] = write(to[i], brain_); });
  }

 private:
  template <class F>
  void each(const std::vector<int64_t>& lengths, const Layout& layout, int64_t unit, F f) const {
    const int64_t size = product(lengths);
    std::size_t i = 0;
    for (int64_t b = 0; b < request_.batch; ++b) {
      for (int64_t e = 0; e < size; ++e) {
        int64_t rest = e, at = b * layout.distance;
        for (std::size_t d = lengths.size(); d-- > 0;) {
          at += rest % lengths[d] * layout.strides[d];
          rest /= lengths[d];
        }
        for (int64_t u = 0; u < unit; ++u) f(i++, at * unit + u);
      }
    }
  }
  Request request_;
  bool brain_;
  std::vector<int64_t> in_lengths_, out_lengths_;
  int64_t in_unit_, out_unit_;
  std::unique_ptr<Plan> plan_;
};

}  // namespace

std::vector<int64_t> complex_lengths(const std::vector<int64_t>& lengths) {
  std::vector<int64_t> complex = lengths;
  complex.back() = complex.back() / 2 + 1;
  return complex;
}

Layout dense(const std::vector<int64_t>& lengths, Kind kind, bool is_input, bool in_place) {
  std::vector<int64_t> rows = lengths;
  const bool real = kind == (is_input ? Kind::real_to_complex : Kind::complex_to_real);
  if (kind != Kind::complex && !real) rows = complex_lengths(lengths);
  if (real && in_place) rows.back() = 2 * (rows.back() / 2 + 1);
  Layout layout;
  layout.strides.assign(rows.size(), 1);
  for (std::size_t d = rows.size() - 1; d-- > 0;) layout.strides[d] = layout.strides[d + 1] * rows[d + 1];
  layout.distance = layout.strides[0] * rows[0];
  return layout;
}

std::unique_ptr<Plan> make_plan(const Request& request) {
  switch (request.number) {
    case Number::f32: return std::make_unique<Dimensions<float>>(request);
    case Number::f64: return std::make_unique<Dimensions<double>>(request);
    case Number::f16:
    case Number::bf16: break;
  }
  return std::make_unique<Halves>(request);
}

}  // namespace heddle::fft
