// The transforms of small lengths, in registers.
#pragma once

// cos and sin of 2 pi k / R, k up to R / 2, from spec: computed by the compiler in long double.
template <class T, int R>
struct SmallRoots {
  T c[R], s[R];
};

constexpr long double series(long double x, bool sine) {
  long double term = sine ? x : 1, sum = 0;
  for (int i = sine ? 1 : 0; i < 60; i += 2) {
    sum += term;
    term *= -x * x / ((i + 1) * (i + 2));
  }
  return sum;
}
template <class T, int R>
constexpr SmallRoots<T, R> small_roots() {
  SmallRoots<T, R> roots{};
  for (int k = 0; k < R; ++k) {
    const int signed_k = 2 * k > R ? k - R : k;
    const long double angle = 2 * std::numbers::pi_v<long double> * signed_k / R;
    roots.c[k] = static_cast<T>(series(angle, false));
    roots.s[k] = static_cast<T>(series(angle, true));
  }
  return roots;
}

// Odd lengths: sums and differences of x[j] and x[R - j] first.
template <class T, int R>
struct Butterfly {
  [[gnu::always_inline]] static void run(C<T>* x) {
    static constexpr auto roots = small_roots<T, R>();
    constexpr int h = R / 2;
    C<T> sum[h], difference[h];
    C<T> first = x[0];
#pragma clang loop unroll(full)
    for (int j = 0; j < h; ++j) {
      sum[j] = x[j + 1] + x[R - 1 - j];
      difference[j] = x[j + 1] - x[R - 1 - j];
      first = first + sum[j];
    }
#pragma clang loop unroll(full)
    for (int k = 1; k <= h; ++k) {
      C<T> a = x[0];
      C<T> b = {difference[0].re * roots.s[k], difference[0].im * roots.s[k]};
#pragma clang loop unroll(full)
      for (int j = 1; j <= h; ++j) {
        const V<T> c = all<T>(roots.c[j * k % R]);
        a = {madd(c, sum[j - 1].re, a.re), madd(c, sum[j - 1].im, a.im)};
        if (j == 1) continue;
        const V<T> s = all<T>(roots.s[j * k % R]);
        b = {madd(s, difference[j - 1].re, b.re), madd(s, difference[j - 1].im, b.im)};
      }
      b = minus_i<T>(b);
      x[k] = a + b;
      x[R - k] = a - b;
      // x[k] and x[R - k] are not read again: sum and difference have them.
    }
    x[0] = first;
  }
};

template <class T>
struct Butterfly<T, 2> {
  [[gnu::always_inline]] static void run(C<T>* x) {
    const C<T> a = x[0], b = x[1];
    x[0] = a + b;
    x[1] = a - b;
  }
};

template <class T>
[[gnu::always_inline]] inline void four(C<T>& x0, C<T>& x1, C<T>& x2, C<T>& x3) {
  const C<T> a = x0 + x2, b = x0 - x2, c = x1 + x3, d = minus_i<T>(x1 - x3);
  x0 = a + c;
  x1 = b + d;
  x2 = a - c;
  x3 = b - d;
}
template <class T>
struct Butterfly<T, 4> {
  [[gnu::always_inline]] static void run(C<T>* x) { four<T>(x[0], x[1], x[2], x[3]); }
};

template <class T>
struct Butterfly<T, 8> {
  [[gnu::always_inline]] static void run(C<T>* x) {
    constexpr T half = static_cast<T>(0.70710678118654752440084436210484903928L);
    four<T>(x[0], x[2], x[4], x[6]);
    four<T>(x[1], x[3], x[5], x[7]);
    const C<T> o0 = x[1];
    const C<T> o1 = {(x[3].re + x[3].im) * half, (x[3].im - x[3].re) * half};
    const C<T> o2 = minus_i<T>(x[5]);
    const C<T> o3 = {(x[7].im - x[7].re) * half, (x[7].re + x[7].im) * -half};
    const C<T> e0 = x[0], e1 = x[2], e2 = x[4], e3 = x[6];
    x[0] = e0 + o0;
    x[4] = e0 - o0;
    x[1] = e1 + o1;
    x[5] = e1 - o1;
    x[2] = e2 + o2;
    x[6] = e2 - o2;
    x[3] = e3 + o3;
    x[7] = e3 - o3;
  }
};

// Three of three and three of three.
template <class T>
struct Butterfly<T, 9> {
  [[gnu::always_inline]] static void run(C<T>* x) {
    static constexpr auto roots = small_roots<T, 9>();
    C<T> y[3][3];
#pragma clang loop unroll(full)
    for (int i = 0; i < 3; ++i) {
      C<T> part[3] = {x[i], x[i + 3], x[i + 6]};
      Butterfly<T, 3>::run(part);
      y[0][i] = part[0];
      y[1][i] = i == 0 ? part[1] : times<T>(part[1], roots.c[i], -roots.s[i]);
      y[2][i] = i == 0 ? part[2] : times<T>(part[2], roots.c[2 * i], -roots.s[2 * i]);
    }
#pragma clang loop unroll(full)
    for (int k = 0; k < 3; ++k) {
      Butterfly<T, 3>::run(y[k]);
      x[k] = y[k][0];
      x[k + 3] = y[k][1];
      x[k + 6] = y[k][2];
    }
  }
};
