// The stages of a transform of real lines of odd length, over columns: half spectra to half spectra.
#pragma once

template <class T>
[[gnu::always_inline]] inline C<T> conjugate(C<T> a) {
  return {a.re, -a.im};
}
template <class T>
[[gnu::always_inline]] inline C<T> swapped(C<T> a) {
  return {a.im, a.re};
}

// From r spectra of length m to one of length r m.
template <class T, int R>
void real_stage_of(const RealStage<T>& stage, const T* twiddles, const C<T>* x, C<T>* y) {
  const int64_t m = stage.m, s = stage.s;
  for (int64_t t = 0; t < s; ++t) {
    C<T> a[R];
    for (int i = 0; i < R; ++i) a[i] = {x[t + s * i].re, V<T>{}};
    Butterfly<T, R>::run(a);
    y[t] = {a[0].re, V<T>{}};
    for (int q = 1; q <= R / 2; ++q) y[s * m * q + t] = a[q];
  }
  for (int64_t k = 1; k <= m / 2; ++k) {
    const T* w = twiddles + (k - 1) * 2 * (R - 1);
    const C<T>* from = x + s * R * k;
    for (int64_t t = 0; t < s; ++t) {
      C<T> a[R];
      a[0] = from[t];
      for (int i = 1; i < R; ++i) a[i] = times<T>(from[t + s * i], w[2 * i - 2], w[2 * i - 1]);
      Butterfly<T, R>::run(a);
      for (int q = 0; q <= R / 2; ++q) y[s * (k + m * q) + t] = a[q];
      for (int q = R / 2 + 1; q < R; ++q) y[s * (m * (R - q) - k) + t] = conjugate<T>(a[q]);
    }
  }
}

// And back, times r. Real and imaginary parts are swapped inside: the transform back is a forward one of
// swapped parts.
template <class T, int R>
void real_stage_back_of(const RealStage<T>& stage, const T* twiddles, const C<T>* y, C<T>* x) {
  const int64_t m = stage.m, s = stage.s;
  for (int64_t t = 0; t < s; ++t) {
    C<T> a[R];
    a[0] = {V<T>{}, y[t].re};
    for (int q = 1; q <= R / 2; ++q) {
      const C<T> c = y[s * m * q + t];
      a[q] = swapped<T>(c);
      a[R - q] = swapped<T>(conjugate<T>(c));
    }
    Butterfly<T, R>::run(a);
    for (int i = 0; i < R; ++i) x[t + s * i] = {a[i].im, V<T>{}};
  }
  for (int64_t k = 1; k <= m / 2; ++k) {
    const T* w = twiddles + (k - 1) * 2 * (R - 1);
    C<T>* to = x + s * R * k;
    for (int64_t t = 0; t < s; ++t) {
      C<T> a[R];
      for (int q = 0; q <= R / 2; ++q) a[q] = swapped<T>(y[s * (k + m * q) + t]);
      for (int q = R / 2 + 1; q < R; ++q) a[q] = swapped<T>(conjugate<T>(y[s * (m * (R - q) - k) + t]));
      Butterfly<T, R>::run(a);
      to[t] = swapped<T>(a[0]);
      for (int i = 1; i < R; ++i) to[t + s * i] = swapped<T>(times<T>(a[i], w[2 * i - 2], w[2 * i - 1]));
    }
  }
}

template <class T, int R>
void real_stage(const RealStage<T>& stage, const T* twiddles, bool back, const C<T>* x, C<T>* y) {
  if (back) return real_stage_back_of<T, R>(stage, twiddles, x, y);
  real_stage_of<T, R>(stage, twiddles, x, y);
}

// Between the n real parts and the first n / 2 + 1 numbers of their spectrum. The result is in x or y.
template <class T>
C<T>* real_transform(const RealColumns<T>& columns, bool back, C<T>* x, C<T>* y) {
  const std::size_t count = columns.stages.size();
  for (std::size_t i = 0; i < count; ++i) {
    const RealStage<T>& stage = columns.stages[back ? count - 1 - i : i];
    const T* w = columns.twiddles.data() + stage.twiddles;
    switch (stage.radix) {
      case 3: real_stage<T, 3>(stage, w, back, x, y); break;
      case 5: real_stage<T, 5>(stage, w, back, x, y); break;
      case 7: real_stage<T, 7>(stage, w, back, x, y); break;
      case 9: real_stage<T, 9>(stage, w, back, x, y); break;
      case 11: real_stage<T, 11>(stage, w, back, x, y); break;
      default: real_stage<T, 13>(stage, w, back, x, y);
    }
    std::swap(x, y);
  }
  return x;
}
