// Lines of memory into lanes and back.
#pragma once

template <class T>
[[gnu::always_inline]] inline C<T> part(C<T> c, bool swap) {
  return swap ? C<T>{c.im, c.re} : c;
}

inline bool side_by_side(const Lines& lines, int64_t apart, int width) {
  for (int l = 1; l < width; ++l) {
    if (lines.offset[l] != lines.offset[0] + l * apart) return false;
  }
  return lines.count == width;
}

// swap: real and imaginary parts change places.
template <class T>
void gather(const T* base, const Lines& lines, int64_t n, bool swap, C<T>* x) {
  constexpr int w = lanes<T>, h = w / 2;
  int64_t j = 0;
  if (lines.imaginary == 1 && side_by_side(lines, 2, w)) {
    const T* p = base + lines.offset[0];
    for (; j < n; ++j, p += lines.step) x[j] = part<T>(split<T>(load(p), load(p + w)), swap);
  } else if (lines.imaginary == 1 && lines.step == 2) {
    for (; j + h <= n; j += h) {
      V<T> a[h], b[h];
      for (int i = 0; i < h; ++i) {
        a[i] = load(base + lines.offset[i] + 2 * j);
        b[i] = load(base + lines.offset[i + h] + 2 * j);
      }
      transpose<T, 2>(a);
      transpose<T, 2>(b);
      for (int i = 0; i < h; ++i) x[j + i] = part<T>(split<T>(a[i], b[i]), swap);
    }
  } else if (side_by_side(lines, 1, w)) {
    const T* p = base + lines.offset[0];
    for (; j < n; ++j, p += lines.step) {
      x[j] = part<T>({load(p), lines.imaginary ? load(p + lines.imaginary) : V<T>{}}, swap);
    }
  } else if (lines.imaginary == 0 && lines.step == 1) {
    for (; j + w <= n; j += w) {
      V<T> a[w];
      for (int i = 0; i < w; ++i) a[i] = load(base + lines.offset[i] + j);
      transpose<T, 1>(a);
      for (int i = 0; i < w; ++i) x[j + i] = part<T>({a[i], V<T>{}}, swap);
    }
  }
  for (; j < n; ++j) {
    C<T> c{};
    for (int l = 0; l < w; ++l) {
      const T* p = base + lines.offset[l] + j * lines.step;
      c.re[l] = p[0];
      if (lines.imaginary) c.im[l] = p[lines.imaginary];
    }
    x[j] = part<T>(c, swap);
  }
}

template <class T>
void scatter(T* base, const Lines& lines, int64_t n, bool swap, const C<T>* x) {
  constexpr int w = lanes<T>, h = w / 2;
  int64_t j = 0;
  if (lines.imaginary == 1 && side_by_side(lines, 2, w)) {
    T* p = base + lines.offset[0];
    for (; j < n; ++j, p += lines.step) {
      const C<T> c = part<T>(x[j], swap);
      store<T>(p, low<T, 1>(c.re, c.im));
      store<T>(p + w, high<T, 1>(c.re, c.im));
    }
  } else if (lines.imaginary == 1 && lines.step == 2) {
    for (; j + h <= n; j += h) {
      V<T> a[h], b[h];
      for (int i = 0; i < h; ++i) {
        const C<T> c = part<T>(x[j + i], swap);
        a[i] = low<T, 1>(c.re, c.im);
        b[i] = high<T, 1>(c.re, c.im);
      }
      transpose<T, 2>(a);
      transpose<T, 2>(b);
      for (int i = 0; i < h && i < lines.count; ++i) store<T>(base + lines.offset[i] + 2 * j, a[i]);
      for (int i = 0; i < h && i + h < lines.count; ++i) store<T>(base + lines.offset[i + h] + 2 * j, b[i]);
    }
  } else if (side_by_side(lines, 1, w)) {
    T* p = base + lines.offset[0];
    for (; j < n; ++j, p += lines.step) {
      const C<T> c = part<T>(x[j], swap);
      store<T>(p, c.re);
      if (lines.imaginary) store<T>(p + lines.imaginary, c.im);
    }
  } else if (lines.imaginary == 0 && lines.step == 1) {
    for (; j + w <= n; j += w) {
      V<T> a[w];
      for (int i = 0; i < w; ++i) a[i] = part<T>(x[j + i], swap).re;
      transpose<T, 1>(a);
      for (int i = 0; i < lines.count; ++i) store<T>(base + lines.offset[i] + j, a[i]);
    }
  }
  for (; j < n; ++j) {
    const C<T> c = part<T>(x[j], swap);
    for (int l = 0; l < lines.count; ++l) {
      T* p = base + lines.offset[l] + j * lines.step;
      p[0] = c.re[l];
      if (lines.imaginary) p[lines.imaginary] = c.im[l];
    }
  }
}

// The transform of 2n real numbers from that of n complex ones, of which the even ones were the real parts:
// X[k] = (Z[k] + Z*[n-k]) / 2 - i w^k (Z[k] - Z*[n-k]) / 2. One number more than there was room for.
template <class T>
void unpack_real(C<T>* z, const T* roots, int64_t n) {
  const V<T> half = all<T>(static_cast<T>(0.5));
  const C<T> first = z[0];
  z[0] = {first.re + first.im, V<T>{}};
  z[n] = {first.re - first.im, V<T>{}};
  for (int64_t k = 1; 2 * k <= n; ++k) {
    const C<T> a = z[k], b = z[n - k];
    const C<T> even = {(a.re + b.re) * half, (a.im - b.im) * half};
    const C<T> odd =
        times<T>(C<T>{(a.im + b.im) * half, (b.re - a.re) * half}, roots[2 * k], roots[2 * k + 1]);
    z[k] = even + odd;
    z[n - k] = {even.re - odd.re, odd.im - even.im};
  }
}

// Back, times 2, with real and imaginary parts swapped as the inverse wants them.
template <class T>
void pack_real(C<T>* x, const T* roots, int64_t n) {
  // The imaginary parts of the first and the last number have no meaning and are not looked at.
  const V<T> first = x[0].re, last = x[n].re;
  x[0] = {first - last, first + last};
  for (int64_t k = 1; 2 * k <= n; ++k) {
    const C<T> a = x[k], b = x[n - k];
    const C<T> even = {a.re + b.re, a.im - b.im};
    // i w^-k (a - b*)
    const C<T> turned = times<T>(C<T>{a.re - b.re, a.im + b.im}, roots[2 * k], -roots[2 * k + 1]);
    const C<T> odd = {-turned.im, turned.re};
    const C<T> z = even + odd;
    x[k] = {z.im, z.re};
    x[n - k] = {odd.im - even.im, even.re - odd.re};
  }
}

template <class T>
void group(const GroupJob<T>& job) {
  const int64_t n = job.real_columns ? job.real_columns->n : job.columns->n;
  C<T>* x = reinterpret_cast<C<T>*>(job.scratch);
  C<T>*y = x + n + 1, *work = y + n + 1;
  const auto* columns = job.columns;
  switch (job.shape) {
    case Shape::complex:
      gather<T>(job.in, job.from, n, job.inverse, x);
      scatter<T>(job.out, job.to, n, job.inverse, transform<T>(*columns, x, y, work));
      break;
    case Shape::real_to_complex_even: {
      gather<T>(job.in, job.from, n, false, x);
      C<T>* z = transform<T>(*columns, x, y, work);
      unpack_real<T>(z, job.half_roots, n);
      scatter<T>(job.out, job.to, n + 1, false, z);
      break;
    }
    case Shape::complex_to_real_even:
      gather<T>(job.in, job.from, n + 1, false, x);
      pack_real<T>(x, job.half_roots, n);
      scatter<T>(job.out, job.to, n, true, transform<T>(*columns, x, y, work));
      break;
    case Shape::real_to_complex_odd:
      gather<T>(job.in, job.from, n, false, x);
      scatter<T>(job.out, job.to, n / 2 + 1, false,
                 job.real_columns ? real_transform<T>(*job.real_columns, false, x, y)
                                  : transform<T>(*columns, x, y, work));
      break;
    case Shape::complex_to_real_odd:
      if (job.real_columns) {
        gather<T>(job.in, job.from, n / 2 + 1, false, x);
        scatter<T>(job.out, job.to, n, false, real_transform<T>(*job.real_columns, true, x, y));
        break;
      }
      gather<T>(job.in, job.from, n / 2 + 1, true, x);
      x[0].re = V<T>{};  // swapped: the imaginary part of the first number has no meaning
      for (int64_t k = 1; k <= n / 2; ++k) x[n - k] = {-x[k].re, x[k].im};
      scatter<T>(job.out, job.to, n, true, transform<T>(*columns, x, y, work));
      break;
  }
}
