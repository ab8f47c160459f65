// The products of one level: HEDDLE_SMALL_LEVEL, with vectors of up to HEDDLE_SMALL_BYTES and
// HEDDLE_SMALL_COLUMNS columns of C at a time. HEDDLE_SMALL_REAL: up to which size real ones are made here.
#include <algorithm>
#include <cstddef>
#include <utility>

#include "libs/cublas/small/small.h"

namespace heddle::cublas::small {
namespace {

template <class R, int width>
struct VectorOf {
  using Type [[gnu::vector_size(width * sizeof(R))]] = R;
  using Unaligned [[gnu::vector_size(width * sizeof(R)), gnu::aligned(sizeof(R)), gnu::may_alias]] = R;
};

// Copies that are too short to call anybody for.
template <class R, int most_count>
[[gnu::always_inline]] inline void copy_few(const R* from, R* to, int64_t count) {
  if constexpr (most_count > 1) {
    constexpr int half = most_count / 2;
    if (count & half) {
      __builtin_memcpy(to, from, half * sizeof(R));
      from += half, to += half;
    }
    copy_few<R, half>(from, to, count);
  }
}

template <class N, int width>
class Multiplier {
  using R = typename Parts<N>::Real;
  static constexpr int64_t parts = Parts<N>::count;
  static constexpr bool is_complex = parts == 2;
  using V = typename VectorOf<R, width>::Type;
  using Unaligned = typename VectorOf<R, width>::Unaligned;

 public:
  static void product(const Shape& s, N alpha, const N* a, const N* b, N beta, N* c) {
    Multiplier(s, alpha, reinterpret_cast<const R*>(b), beta, reinterpret_cast<R*>(c))
        .all(reinterpret_cast<const R*>(a));
  }

 private:
  Multiplier(const Shape& s, N alpha, const R* b, N beta, R* c)
      : s_(s), alpha_(alpha), beta_(beta), b_(b), c_(c) {}

  void all(const R* a) {
    const int64_t reals = s_.m * parts, column = (reals + width - 1) / width * width;
    alignas(64) R room[most * (most * parts + width)];
    // Where columns of op(A) are columns of A they are read where they lie: a whole vector at their ends too,
    // which the last columns must not. Those, and all others, get zeros behind them.
    const bool as_it_lies = s_.a.one == parts && !s_.a.conjugated;
    const int64_t beyond = column - reals,
                  last = as_it_lies ? std::min(s_.k, (beyond + s_.a.next - 1) / s_.a.next) : s_.k;
    lying_ = {a, s_.a.next, s_.k - last};
    packed_ = {room, column, last};
    for (int64_t p = 0; p < last; ++p)
      pack(a + (s_.k - last + p) * s_.a.next, room + p * column, reals, column);
    rows(reals);
  }
  void pack(const R* from, R* to, int64_t reals, int64_t column) const {
    if (s_.a.one == parts && !s_.a.conjugated)
      copy(from, to, reals);
    else
      for (int64_t i = 0; i < s_.m; ++i) {
        to[i * parts] = from[i * s_.a.one];
        if constexpr (is_complex)
          to[i * parts + 1] = s_.a.conjugated ? -from[i * s_.a.one + 1] : from[i * s_.a.one + 1];
      }
    for (int64_t i = reals; i < column; ++i) to[i] = R(0);
  }

  static void copy(const R* from, R* to, int64_t count) {
    int64_t i = 0;
    for (; i + width <= count; i += width)
      *reinterpret_cast<V*>(to + i) = *reinterpret_cast<const Unaligned*>(from + i);
    copy_few<R, width>(from + i, to + i, count - i);
  }

  // Two vectors of rows at a time where there are two: what is read of B serves both.
  void rows(int64_t reals) const {
    int64_t i = 0;
    for (; i + width < reals; i += 2 * width) columns<2>(i, reals);
    if (i < reals) columns<1>(i, reals);
  }
  template <int vectors>
  void columns(int64_t i, int64_t reals) const {
    constexpr int most_columns = is_complex && vectors == 2 ? HEDDLE_SMALL_COLUMNS / 2 : HEDDLE_SMALL_COLUMNS;
    int64_t j = 0;
    for (; j + most_columns <= s_.n; j += most_columns) tile<vectors, most_columns>(i, j, reals);
    if (most_columns > 4 && j + 4 <= s_.n) tile<vectors, std::min(4, most_columns)>(i, j, reals), j += 4;
    if (most_columns > 2 && j + 2 <= s_.n) tile<vectors, std::min(2, most_columns)>(i, j, reals), j += 2;
    if (j < s_.n) tile<vectors, 1>(i, j, reals);
  }

  [[gnu::always_inline]] static V fused(V a, R b, V sum) {
    const V by = b - V{};  // b + V{} would turn -0 into 0
#ifdef __FMA__
    return __builtin_elementwise_fma(a, by, sum);
#else
    return a * by + sum;
#endif
  }

  template <int vectors, int count>
  void tile(int64_t i, int64_t j, int64_t reals) const {
    V real[vectors][count] = {}, imaginary[vectors][count] = {};  // sums of A by the parts of B
    const R* b = b_ + j * s_.b.next;
    const auto add = [&](const Columns& columns) __attribute__((always_inline)) {
      const R* a = columns.first + i;
      for (int64_t p = 0; p < columns.count; ++p, a += columns.next, b += s_.b.one) {
        V x[vectors];
        for (int v = 0; v < vectors; ++v) x[v] = *reinterpret_cast<const Unaligned*>(a + v * width);
        for (int q = 0; q < count; ++q)
          for (int v = 0; v < vectors; ++v) {
            real[v][q] = fused(x[v], b[q * s_.b.next], real[v][q]);
            if constexpr (is_complex) imaginary[v][q] = fused(x[v], b[q * s_.b.next + 1], imaginary[v][q]);
          }
      }
    };
    add(lying_);
    add(packed_);
    for (int q = 0; q < count; ++q)
      for (int v = 0; v < vectors; ++v) {
        V sum = real[v][q];
        if constexpr (is_complex) {
          const V turned = by_i(imaginary[v][q]);
          sum = s_.b.conjugated ? sum - turned : sum + turned;
        }
        put(sum, c_ + i + v * width + (j + q) * s_.ldc, reals - i - v * width);
      }
  }

  // Pairs (re, im) times i.
  static V by_i(V x) { return turn(x, std::make_index_sequence<width>()); }
  template <std::size_t... I>
  [[gnu::always_inline]] static V turn(V x, std::index_sequence<I...>) {
    const V sign = {(I % 2 == 0 ? R(-1) : R(1))...};
    return __builtin_shufflevector(x, x, static_cast<int>(I ^ 1)...) * sign;
  }
  [[gnu::always_inline]] static V scaled(V x, const N& by) {
    if constexpr (is_complex)
      return x * by.real() + by_i(x) * by.imag();
    else
      return x * by;
  }

  // The first `left` numbers of a vector.
  void put(V sum, R* to, int64_t left) const {
    sum = scaled(sum, alpha_);
    if (left >= width) {
      if (beta_ != N(0)) sum += scaled(*reinterpret_cast<const Unaligned*>(to), beta_);
      *reinterpret_cast<Unaligned*>(to) = sum;
      return;
    }
    alignas(64) R some[width] = {};
    if (beta_ != N(0)) {
      copy_few<R, width>(to, some, left);
      sum += scaled(*reinterpret_cast<const V*>(some), beta_);
    }
    *reinterpret_cast<V*>(some) = sum;
    copy_few<R, width>(some, to, left);
  }

  const Shape& s_;
  const N alpha_, beta_;
  struct Columns {
    const R* first = nullptr;
    int64_t next = 0, count = 0;
  };
  Columns lying_, packed_;  // of op(A), in this order
  const R* const b_;
  R* const c_;
};

template <class N>
consteval Codes<N> codes() {
  constexpr int widest = HEDDLE_SMALL_BYTES / static_cast<int>(sizeof(typename Parts<N>::Real));
  return {Parts<N>::count == 1 ? HEDDLE_SMALL_REAL : most, Multiplier<N, std::min(widest, 4)>::product,
          Multiplier<N, std::min(widest, 8)>::product, Multiplier<N, std::min(widest, 16)>::product};
}

}  // namespace

const Level HEDDLE_SMALL_LEVEL = {codes<float>(), codes<double>(), codes<std::complex<float>>(),
                                  codes<std::complex<double>>()};

}  // namespace heddle::cublas::small
