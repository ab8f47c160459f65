// Vectors of one level. Included by all.h inside the level's namespace.
#pragma once

template <class T>
inline constexpr int lanes = HEDDLE_FFT_BYTES / static_cast<int>(sizeof(T));

template <class T>
struct VectorOf {
  using Type [[gnu::vector_size(HEDDLE_FFT_BYTES)]] = T;
  using Unaligned [[gnu::vector_size(HEDDLE_FFT_BYTES), gnu::aligned(sizeof(T)), gnu::may_alias]] = T;
};
template <class T>
using V = typename VectorOf<T>::Type;

// A complex number for each lane.
template <class T>
struct C {
  V<T> re, im;
};

template <class T>
V<T> load(const T* p) {
  return *reinterpret_cast<const typename VectorOf<T>::Unaligned*>(p);
}
template <class T>
void store(T* p, V<T> v) {
  *reinterpret_cast<typename VectorOf<T>::Unaligned*>(p) = v;
}

// a * b + c
template <class T>
[[gnu::always_inline]] inline T madd(T a, T b, T c) {
#ifdef __FMA__
  return __builtin_elementwise_fma(a, b, c);
#else
  return a * b + c;
#endif
}

template <class T>
[[gnu::always_inline]] inline V<T> all(T x) {
  return x - V<T>{};  // x + 0 would have to turn -0 into 0
}

template <class T>
[[gnu::always_inline]] inline C<T> operator+(C<T> a, C<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
[[gnu::always_inline]] inline C<T> operator-(C<T> a, C<T> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class T>
[[gnu::always_inline]] inline C<T> times(C<T> a, V<T> re, V<T> im) {
  return {madd(a.re, re, -(a.im * im)), madd(a.re, im, a.im * re)};
}
template <class T>
[[gnu::always_inline]] inline C<T> times(C<T> a, T re, T im) {
  return times(a, all<T>(re), all<T>(im));
}
template <class T>
[[gnu::always_inline]] inline C<T> minus_i(C<T> a) {
  return {a.im, -a.re};
}

// Units of U numbers of two vectors in turn: from their lower and their upper halves.
constexpr int unit_of(int i, int u, int width, int first) {
  const int unit = i / u + first;
  return (unit % 2 ? width : 0) + unit / 2 * u + i % u;
}
template <int U, int First, class X, std::size_t... I>
[[gnu::always_inline]] inline X in_turn(X a, X b, std::index_sequence<I...>) {
  return __builtin_shufflevector(a, b, unit_of(static_cast<int>(I), U, sizeof...(I), First)...);
}
template <class T, int U>
[[gnu::always_inline]] inline V<T> low(V<T> a, V<T> b) {
  return in_turn<U, 0>(a, b, std::make_index_sequence<lanes<T>>());
}
template <class T, int U>
[[gnu::always_inline]] inline V<T> high(V<T> a, V<T> b) {
  return in_turn<U, lanes<T> / U>(a, b, std::make_index_sequence<lanes<T>>());
}
template <int First, class X, std::size_t... I>
[[gnu::always_inline]] inline X every_second(X a, X b, std::index_sequence<I...>) {
  return __builtin_shufflevector(a, b, static_cast<int>(2 * I + First)...);
}
template <class T>
[[gnu::always_inline]] inline C<T> split(V<T> a, V<T> b) {
  return {every_second<0>(a, b, std::make_index_sequence<lanes<T>>()),
          every_second<1>(a, b, std::make_index_sequence<lanes<T>>())};
}

// A square of units of U numbers: row i becomes column i.
template <class T, int U>
[[gnu::always_inline]] inline void transpose(V<T>* a) {
  constexpr int n = lanes<T> / U;
  for (int step = 1; step < n; step *= 2) {
    V<T> b[n];
    for (int i = 0; i < n / 2; ++i) {
      b[2 * i] = low<T, U>(a[i], a[i + n / 2]);
      b[2 * i + 1] = high<T, U>(a[i], a[i + n / 2]);
    }
    for (int i = 0; i < n; ++i) a[i] = b[i];
  }
}
