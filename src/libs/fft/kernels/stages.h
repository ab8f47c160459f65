// The stages of a transform over columns.
#pragma once

template <class T, int R>
void stage_of(const Stage<T>& stage, const T* twiddles, const C<T>* x, C<T>* y) {
  const int64_t m = stage.m, s = stage.s;
  for (int64_t p = 0; p < m; ++p) {
    const T* w = twiddles + p * 2 * (R - 1);
    const C<T>* from = x + s * p;
    C<T>* to = y + s * R * p;
    for (int64_t q = 0; q < s; ++q) {
      C<T> a[R];
      for (int j = 0; j < R; ++j) a[j] = from[q + s * m * j];
      Butterfly<T, R>::run(a);
      to[q] = a[0];
      if (p == 0) {
        for (int k = 1; k < R; ++k) to[q + s * k] = a[k];
      } else {
        for (int k = 1; k < R; ++k) to[q + s * k] = times<T>(a[k], w[2 * k - 2], w[2 * k - 1]);
      }
    }
  }
}

// A prime radix without code of its own, as it is defined.
template <class T>
void stage_direct(const Stage<T>& stage, const T* twiddles, const T* roots, const C<T>* x, C<T>* y) {
  const int r = static_cast<int>(stage.radix), h = r / 2;
  const int64_t m = stage.m, s = stage.s;
  C<T> sum[largest_direct_prime / 2], difference[largest_direct_prime / 2];
  for (int64_t p = 0; p < m; ++p) {
    const T* w = twiddles + p * 2 * (r - 1);
    for (int64_t q = 0; q < s; ++q) {
      const C<T>* from = x + q + s * p;
      C<T>* to = y + q + s * r * p;
      C<T> first = from[0];
      for (int j = 0; j < h; ++j) {
        const C<T> a = from[s * m * (j + 1)], b = from[s * m * (r - 1 - j)];
        sum[j] = a + b;
        difference[j] = a - b;
        first = first + sum[j];
      }
      to[0] = first;
      for (int k = 1; k <= h; ++k) {
        C<T> a = from[0], b{};
        for (int j = 1, at = k; j <= h; ++j) {
          const V<T> c = all<T>(roots[2 * at]), i = all<T>(-roots[2 * at + 1]);
          a = {madd(c, sum[j - 1].re, a.re), madd(c, sum[j - 1].im, a.im)};
          b = {madd(i, difference[j - 1].re, b.re), madd(i, difference[j - 1].im, b.im)};
          at += k;
          if (at >= r) at -= r;
        }
        b = minus_i<T>(b);
        to[s * k] = times<T>(a + b, w[2 * k - 2], w[2 * k - 1]);
        to[s * (r - k)] = times<T>(a - b, w[2 * (r - k) - 2], w[2 * (r - k) - 1]);
      }
    }
  }
}

template <class T>
C<T>* transform(const Columns<T>& columns, C<T>* x, C<T>* y, C<T>* work);

template <class T>
void stage_chirp(const Stage<T>& stage, const T* twiddles, const C<T>* x, C<T>* y, C<T>* work) {
  const Chirp<T>& chirp = *stage.chirp;
  const int64_t r = chirp.r, m = stage.m, s = stage.s, n = chirp.by.n;
  C<T>*a = work, *b = work + n;
  for (int64_t p = 0; p < m; ++p) {
    for (int64_t q = 0; q < s; ++q) {
      const C<T>* from = x + q + s * p;
      for (int64_t j = 0; j < r; ++j)
        a[j] = times<T>(from[s * m * j], chirp.chirp[2 * j], chirp.chirp[2 * j + 1]);
      for (int64_t j = r; j < n; ++j) a[j] = C<T>{};
      C<T>* spectrum = transform<T>(chirp.by, a, b, b + n);
      // Swapped: the inverse transform is a forward one of swapped parts.
      for (int64_t k = 0; k < n; ++k) {
        const C<T> v = times<T>(spectrum[k], chirp.spectrum[2 * k], chirp.spectrum[2 * k + 1]);
        spectrum[k] = {v.im, v.re};
      }
      const C<T>* result = transform<T>(chirp.by, spectrum, spectrum == a ? b : a, b + n);
      C<T>* to = y + q + s * r * p;
      const T* w = twiddles + p * 2 * (r - 1);
      for (int64_t k = 0; k < r; ++k) {
        C<T> v = times<T>(C<T>{result[k].im, result[k].re}, chirp.chirp[2 * k], chirp.chirp[2 * k + 1]);
        if (k > 0) v = times<T>(v, w[2 * k - 2], w[2 * k - 1]);
        to[s * k] = v;
      }
    }
  }
}

template <class T>
C<T>* transform(const Columns<T>& columns, C<T>* x, C<T>* y, C<T>* work) {
  for (const Stage<T>& stage : columns.stages) {
    const T* w = columns.twiddles.data() + stage.twiddles;
    if (stage.chirp) {
      stage_chirp<T>(stage, w, x, y, work);
    } else {
      switch (stage.radix) {
        case 2: stage_of<T, 2>(stage, w, x, y); break;
        case 3: stage_of<T, 3>(stage, w, x, y); break;
        case 4: stage_of<T, 4>(stage, w, x, y); break;
        case 5: stage_of<T, 5>(stage, w, x, y); break;
        case 7: stage_of<T, 7>(stage, w, x, y); break;
        case 8: stage_of<T, 8>(stage, w, x, y); break;
        case 9: stage_of<T, 9>(stage, w, x, y); break;
        case 11: stage_of<T, 11>(stage, w, x, y); break;
        case 13: stage_of<T, 13>(stage, w, x, y); break;
        default: stage_direct<T>(stage, w, columns.twiddles.data() + stage.direct, x, y);
      }
    }
    std::swap(x, y);
  }
  return x;
}
