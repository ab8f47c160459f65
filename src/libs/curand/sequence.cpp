#include "libs/curand/sequence.h"

#include <vector_functions.h>
#include <vector_types.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "libs/curand/mt19937.h"
#include "libs/curand/mtgp32.h"
#include "libs/curand/sobol.h"

// The device API's generators, for the host.
#define QUALIFIERS static inline
#ifndef __device__
#define __device__
#endif
static inline int __ffsll(long long value) { return __builtin_ffsll(value); }
// In this order.
// clang-format off
#include <curand_precalc.h>
#include <crt/curand_xorwow.h>
#include <crt/curand_philox.h>
#include <crt/curand_mrg.h>
#include <crt/curand_sobol.h>
#include <crt/curand_uniform.h>
// clang-format on

namespace heddle::curand {
namespace {

template <class Real>
using Pair = std::array<Real, 2>;

// Box and Muller's, of an angle from 0 to 2 pi.
Pair<float> pair_of(float u, float angle) {
  const float s = std::sqrt(-2.0f * std::log(u));
  return {s * std::sin(angle), s * std::cos(angle)};
}
// Of half turns.
Pair<double> pair_of(double u, double turns) {
  constexpr double pi = 3.14159265358979323846;
  const double s = std::sqrt(-2.0 * std::log(u));
  // Exact at the quarters, and without the error of a product of pi beyond them.
  double rest = turns, sine = 0, cosine = 0;
  const int quarter = static_cast<int>(std::floor(rest * 2 + 0.5));
  rest -= quarter * 0.5;
  const double x = std::sin(rest * pi), y = std::cos(rest * pi);
  switch (quarter & 3) {
    case 0: sine = x, cosine = y; break;
    case 1: sine = y, cosine = -x; break;
    case 2: sine = -x, cosine = -y; break;
    default: sine = -y, cosine = x;
  }
  return {s * sine, s * cosine};
}
Pair<float> pair_of_bits(uint32_t x, uint32_t y) {
  const float u = _curand_uniform(x);
  const float angle = static_cast<float>(y) * CURAND_2POW32_INV_2PI + (CURAND_2POW32_INV_2PI / 2);
  return pair_of(u, angle);
}
Pair<double> pair_of_bits(uint32_t x0, uint32_t x1, uint32_t y0, uint32_t y1) {
  const double u = _curand_uniform_double_hq(x0, x1);
  const uint64_t y = uint64_t{y0} ^ (uint64_t{y1} << 21);
  return pair_of(u, static_cast<double>(y) * (CURAND_2POW53_INV_DOUBLE * 2.0) + CURAND_2POW53_INV_DOUBLE);
}

Pair<float> normals(curandStateXORWOW& s, float) {
  const uint32_t x = ::curand(&s), y = ::curand(&s);
  return pair_of_bits(x, y);
}
Pair<double> normals(curandStateXORWOW& s, double) {
  const uint32_t x0 = ::curand(&s), x1 = ::curand(&s), y0 = ::curand(&s), y1 = ::curand(&s);
  return pair_of_bits(x0, x1, y0, y1);
}
Pair<float> normals(curandStateMRG32k3a& s, float) {
  const float x = curand_uniform(&s), y = curand_uniform(&s) * CURAND_2PI;
  return pair_of(x, y);
}
Pair<double> normals(curandStateMRG32k3a& s, double) {
  const double x = curand_uniform_double(&s), y = curand_uniform_double(&s) * 2.0;
  return pair_of(x, y);
}
float uniform_of(curandStateXORWOW& s, float) { return curand_uniform(&s); }
double uniform_of(curandStateXORWOW& s, double) { return curand_uniform_double(&s); }
float uniform_of(curandStateMRG32k3a& s, float) { return curand_uniform(&s); }
double uniform_of(curandStateMRG32k3a& s, double) { return curand_uniform_double(&s); }

// A jump to the next subsequence is linear: the sum of what becomes of each byte of the state. Generators
// begin with thousands of them, and again with each seed.
class XorwowJump {
 public:
  XorwowJump() {
    for (std::size_t byte = 0; byte < sum_.size(); ++byte) {
      for (unsigned value = 1; value < 256; ++value) {
        Words& to = sum_[byte][value];
        if (const unsigned rest = value & (value - 1); rest != 0) {
          to = added(sum_[byte][rest], sum_[byte][value & -value]);
          continue;
        }
        curandStateXORWOW s = {};
        s.v[byte / 4] = uint32_t{value} << byte % 4 * 8;
        skipahead_sequence(1, &s);
        std::copy(std::begin(s.v), std::end(s.v), to.begin());
      }
    }
  }
  void operator()(curandStateXORWOW& s) const {
    Words sum = {};
    for (std::size_t byte = 0; byte < sum_.size(); ++byte)
      sum = added(sum, sum_[byte][s.v[byte / 4] >> byte % 4 * 8 & 255]);
    std::copy(sum.begin(), sum.end(), std::begin(s.v));
  }

 private:
  using Words = std::array<uint32_t, 5>;
  static Words added(Words a, const Words& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] ^= b[i];
    return a;
  }
  std::array<std::array<Words, 256>, 20> sum_ = {};
};

void next_subsequence(curandStateXORWOW& s) {
  static const XorwowJump jump;
  jump(s);
}
void next_subsequence(curandStateMRG32k3a& s) { skipahead_subsequence(1, &s); }

// Result n is the next number of stream n modulo their count; a pair comes from one stream.
template <class State>
class Turns final : public Sequence {
 public:
  // `apart`: how far the streams' seeds lie apart; if not at all, they are subsequences of one seed.
  // `overlap`: where a call has single normal numbers for all streams, each is made by a copy of the stream,
  // which itself goes one word ahead.
  Turns(std::size_t streams, uint64_t seed, uint64_t offset, uint64_t apart = 0, bool overlap = false)
      : states_(streams), overlap_(overlap) {
    State state;
    curand_init(seed, 0, 0, &state);
    for (State& s : states_) {
      s = state;
      if (apart == 0)
        next_subsequence(state);
      else
        curand_init(seed += apart, 0, 0, &state);
    }
    next_ = offset % streams;
    const uint64_t rounds = offset / streams;
    for (std::size_t t = 0; t < streams; ++t) {
      const uint64_t skipped = rounds + (t < next_ ? 1 : 0);
      if (skipped != 0) skipahead(skipped, &states_[t]);
    }
  }
  void bits(uint32_t* to, uint64_t count) override {
    for (uint64_t i = 0; i < count; ++i) to[i] = ::curand(&turn());
  }
  void uniform(float* to, uint64_t count) override { uniforms(to, count); }
  void uniform(double* to, uint64_t count) override { uniforms(to, count); }
  void normal(float* to, uint64_t count) override { pairs(to, count); }
  void normal(double* to, uint64_t count) override { pairs(to, count); }
  void single_normal(float* to, uint64_t count) override {
    kept_.resize(states_.size());
    uint64_t i = 0;
    while (i < count) {
      if (overlap_ && count - i >= states_.size()) {
        for (std::size_t t = 0; t < states_.size(); ++t) {
          const std::optional<float>& kept = kept_[next_];
          State& state = turn();
          State copy = state;
          to[i++] = kept ? *kept : normals(copy, float())[0];
          ::curand(&state);
        }
        continue;
      }
      std::optional<float>& kept = kept_[next_];
      State& state = turn();
      if (kept) {
        to[i++] = *std::exchange(kept, std::nullopt);
      } else {
        const Pair<float> pair = normals(state, float());
        to[i++] = pair[0], kept = pair[1];
      }
    }
  }

 private:
  State& turn() {
    State& state = states_[next_];
    if (++next_ == states_.size()) next_ = 0;
    return state;
  }
  template <class Real>
  void uniforms(Real* to, uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) to[i] = uniform_of(turn(), Real());
  }
  template <class Real>
  void pairs(Real* to, uint64_t count) {
    for (uint64_t i = 0; i + 1 < count; i += 2) {
      const Pair<Real> pair = normals(turn(), Real());
      to[i] = pair[0], to[i + 1] = pair[1];
    }
  }

  std::vector<State> states_;
  std::vector<std::optional<float>> kept_;  // by stream: empty, or the second one of a pair
  std::size_t next_ = 0;
  const bool overlap_;
};

// Four results of a stream, then four of the next one. A result that is not taken is the first of the next
// call.
class Fours final : public Sequence {
 public:
  Fours(std::size_t streams, uint64_t seed, uint64_t offset)
      : blocks_(streams), key_(make_uint2(low(seed), low(seed >> 32))) {
    const uint64_t turns = offset / 4;
    part_ = offset % 4;
    next_ = turns % streams;
    for (std::size_t t = 0; t < streams; ++t) blocks_[t] = turns / streams + (t < next_ ? 1 : 0);
  }
  void bits(uint32_t* to, uint64_t count) override {
    fill<1>(to, count, [](const uint4& x, const uint4&) { return std::array{x.x, x.y, x.z, x.w}; });
  }
  void uniform(float* to, uint64_t count) override {
    fill<1>(to, count, [](const uint4& x, const uint4&) {
      return std::array{_curand_uniform(x.x), _curand_uniform(x.y), _curand_uniform(x.z),
                        _curand_uniform(x.w)};
    });
  }
  void uniform(double* to, uint64_t count) override {
    fill<2>(to, count, [](const uint4& x, const uint4& y) {
      return std::array{_curand_uniform_double_hq(x.x, x.y), _curand_uniform_double_hq(x.z, x.w),
                        _curand_uniform_double_hq(y.x, y.y), _curand_uniform_double_hq(y.z, y.w)};
    });
  }
  void normal(float* to, uint64_t count) override {
    fill<1>(to, count, [](const uint4& x, const uint4&) {
      const Pair<float> a = pair_of_bits(x.x, x.y), b = pair_of_bits(x.z, x.w);
      return std::array{a[0], a[1], b[0], b[1]};
    });
  }
  void normal(double* to, uint64_t count) override {
    fill<2>(to, count, [](const uint4& x, const uint4& y) {
      const Pair<double> a = pair_of_bits(x.x, x.y, x.z, x.w), b = pair_of_bits(y.x, y.y, y.z, y.w);
      return std::array{a[0], a[1], b[0], b[1]};
    });
  }

 private:
  static uint32_t low(uint64_t v) { return static_cast<uint32_t>(v); }

  uint4 block(uint64_t number) const {
    return curand_Philox4x32_10(make_uint4(low(number), low(number >> 32), low(next_), 0), key_);
  }
  template <unsigned taken, class Real, class Make>
  void fill(Real* to, uint64_t count, const Make& make) {
    for (uint64_t i = 0; i < count;) {
      const uint64_t number = blocks_[next_];
      const auto four = make(block(number), taken > 1 ? block(number + 1) : uint4{});
      while (part_ < 4 && i < count) to[i++] = four[part_++];
      if (part_ < 4) return;
      part_ = 0;
      blocks_[next_] += taken;
      if (++next_ == blocks_.size()) next_ = 0;
    }
  }

  std::vector<uint64_t> blocks_;  // how many each stream has given
  uint2 key_;
  std::size_t next_ = 0, part_ = 0;
};

constexpr std::size_t legacy_streams = 4096, fours_streams = 65536;
constexpr uint64_t seeds_apart = 0x2fd111;
// Default order of MRG32k3a, and dynamic order of XORWOW: on an H200, and here everywhere.
constexpr std::size_t mrg_streams = 81920, xorwow_streams = 2816;
constexpr std::size_t fours_of_multiprocessor = 512;

}  // namespace

std::unique_ptr<Sequence> make_sequence(Kind kind, Order order, uint64_t seed, uint64_t offset,
                                        Threads threads) {
  const std::size_t resident = std::size_t{threads.multiprocessors} * threads.on_each;
  switch (kind) {
    case Kind::xorwow:
      return std::make_unique<Turns<curandStateXORWOW>>(
          order == Order::dynamic ? xorwow_streams : legacy_streams, seed, offset,
          order == Order::seeded ? seeds_apart : 0, order == Order::dynamic);
    case Kind::mrg32k3a:
      return std::make_unique<Turns<curandStateMRG32k3a>>(order == Order::legacy    ? legacy_streams
                                                          : order == Order::dynamic ? resident
                                                                                    : mrg_streams,
                                                          seed, offset);
    case Kind::philox:
      return std::make_unique<Fours>(
          order == Order::dynamic ? threads.multiprocessors * fours_of_multiprocessor : fours_streams, seed,
          offset);
    case Kind::mtgp32: return make_mtgp32(order, seed);
    case Kind::mt19937: return make_mt19937(seed);
    case Kind::sobol32:
    case Kind::scrambled_sobol32:
    case Kind::sobol64:
    case Kind::scrambled_sobol64:
      return make_sobol(wide(kind), kind == Kind::scrambled_sobol32 || kind == Kind::scrambled_sobol64,
                        offset);
  }
  return nullptr;
}

}  // namespace heddle::curand
