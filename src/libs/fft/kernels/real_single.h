// One long real line of odd length n = n1 * n2, at half the cost of a complex one: two columns of real
// numbers go as one of complex ones, and of the n1 rows, rows k and n1 - k are conjugates.
#pragma once

// Two real columns as the parts of a complex one, and their spectra from its.
template <class T>
void part_pairs(C<T>* z, C<T>* other, int64_t n) {
  const V<T> half = all<T>(static_cast<T>(0.5));
  other[0] = {z[0].im, V<T>{}};
  z[0].im = V<T>{};
  for (int64_t k = 1; k <= n / 2; ++k) {
    const C<T> a = z[k], b = z[n - k];
    z[k] = {(a.re + b.re) * half, (a.im - b.im) * half};
    other[k] = {(a.im + b.im) * half, (b.re - a.re) * half};
  }
}
// Back. What comes in has real and imaginary parts swapped, and so has what goes out. The imaginary part of a
// first number has no meaning.
template <class T>
void join_pairs(C<T>* x, const C<T>* other, int64_t n) {
  x[0] = {other[0].im, x[0].im};
  for (int64_t k = 1; k <= n / 2; ++k) {
    const C<T> a = x[k], b = other[k];
    x[k] = {a.re + b.im, a.im - b.re};
    x[n - k] = {b.im - a.re, a.im + b.re};
  }
}

template <class T, std::size_t... I>
[[gnu::always_inline]] inline V<T> backwards(V<T> v, std::index_sequence<I...>) {
  return __builtin_shufflevector(v, v, static_cast<int>(sizeof...(I) - 1 - I)...);
}
template <class T>
[[gnu::always_inline]] inline C<T> backwards(C<T> c) {
  return {backwards<T>(c.re, std::make_index_sequence<lanes<T>>()),
          backwards<T>(c.im, std::make_index_sequence<lanes<T>>())};
}

// The rows of one block, as lanes: elements k1 + n1 k2 of the spectrum, of k2 up to n2 / 2, and behind them
// those that are known as conjugates of elements n - k1 - n1 k2. These lie the other way round.
template <class T>
struct HalfRows {
  HalfRows(int64_t n1, int64_t n2, int64_t begin) {
    direct.count = mirrored.count = static_cast<int>(std::min<int64_t>(lanes<T>, n1 / 2 + 1 - begin));
    direct.imaginary = mirrored.imaginary = 1;
    direct.step = 2 * n1;
    mirrored.step = -2 * n1;
    turned = direct.count == lanes<T>;
    for (int l = 0; l < lanes<T>; ++l) {
      const int64_t k1 = begin + (l < direct.count ? l : 0);
      direct.offset[l] = 2 * k1;
      mirrored.offset[turned ? lanes<T> - 1 - l : l] = 2 * (n1 * (n2 / 2) - k1);
    }
  }
  Lines direct, mirrored;
  bool turned = false;  // the lanes of the mirrored elements
};

// A column's elements times the roots of their rows.
template <class T>
void turn(const RealLineJob<T>& job, const C<T>* from, int64_t rows, int64_t block, C<T>* to) {
  const C<T>* lane_roots = reinterpret_cast<const C<T>*>(job.lane_roots);
  const T* block_roots = job.block_roots + block * 2 * rows;
  for (int64_t k = 0; k < rows; ++k) {
    const C<T> root = times<T>(lane_roots[k], block_roots[2 * k], block_roots[2 * k + 1]);
    to[k] = times<T>(from[k], root.re, root.im);
  }
  for (int64_t k = rows; k < rounded<T>(rows); ++k) to[k] = C<T>{};
}

template <class T>
Lines real_columns_of(int64_t begin, int64_t n2) {
  Lines lines;
  lines.count = static_cast<int>(std::clamp<int64_t>(n2 - begin, 0, lanes<T>));
  lines.step = n2;
  for (int l = 0; l < lanes<T>; ++l) lines.offset[l] = begin + (l < lines.count ? l : 0);
  return lines;
}

// Forward, first: a pair of blocks of columns.
template <class T>
void real_step1(const RealLineJob<T>& job, int64_t pair, T* scratch) {
  constexpr int w = lanes<T>;
  const int64_t n1 = job.first->n, n2 = job.second->n, rows = n1 / 2 + 1;
  C<T>* x = reinterpret_cast<C<T>*>(scratch);
  C<T>* y = x + n1;
  const Lines from = real_columns_of<T>(2 * pair * w, n2), other = real_columns_of<T>((2 * pair + 1) * w, n2);
  gather<T>(job.in, from, n1, false, x);
  if (other.count > 0) {
    gather<T>(job.in, other, n1, false, y);
    for (int64_t j = 0; j < n1; ++j) x[j].im = y[j].re;
  }
  C<T>* z = transform<T>(*job.first, x, y, y + n1);
  C<T>* second = z == x ? y : x;
  part_pairs<T>(z, second, n1);
  C<T>* to = reinterpret_cast<C<T>*>(job.between) + 2 * pair * rounded<T>(rows);
  turn<T>(job, z, rows, 2 * pair, to);
  if (other.count > 0) turn<T>(job, second, rows, 2 * pair + 1, to + rounded<T>(rows));
}

// Forward, second: a block of rows.
template <class T>
void real_step2(const RealLineJob<T>& job, int64_t block, T* scratch) {
  const int64_t n1 = job.first->n, n2 = job.second->n, begin = block * lanes<T>;
  C<T>* x = reinterpret_cast<C<T>*>(scratch);
  C<T>* y = x + rounded<T>(n2);
  turned_rows<T>(reinterpret_cast<const C<T>*>(job.between) + begin, n2, rounded<T>(n1 / 2 + 1), x);
  C<T>* z = transform<T>(*job.second, x, y, y + rounded<T>(n2));
  const HalfRows<T> rows(n1, n2, begin);
  scatter<T>(job.out, rows.direct, n2 / 2 + 1, false, z);
  for (int64_t k = n2 / 2 + 1; k < n2; ++k) z[k] = conjugate<T>(rows.turned ? backwards<T>(z[k]) : z[k]);
  scatter<T>(job.out, rows.mirrored, n2 / 2, false, z + n2 / 2 + 1);
}

// Back, first: a block of rows. Parts are swapped from here on.
template <class T>
void real_step1_back(const RealLineJob<T>& job, int64_t block, T* scratch) {
  const int64_t n1 = job.first->n, n2 = job.second->n;
  C<T>* x = reinterpret_cast<C<T>*>(scratch);
  C<T>* y = x + n2;
  const HalfRows<T> rows(n1, n2, block * lanes<T>);
  gather<T>(job.in, rows.direct, n2 / 2 + 1, true, x);
  if (block == 0) x[0].re[0] = 0;  // the imaginary part of the first number has no meaning
  gather<T>(job.in, rows.mirrored, n2 / 2, false, x + n2 / 2 + 1);
  for (int64_t k = n2 / 2 + 1; k < n2; ++k)
    x[k] = swapped<T>(conjugate<T>(rows.turned ? backwards<T>(x[k]) : x[k]));
  turn<T>(job, transform<T>(*job.second, x, y, y + n2), n2, block,
          reinterpret_cast<C<T>*>(job.between) + block * rounded<T>(n2));
}

// Back, second: a pair of blocks of columns.
template <class T>
void real_step2_back(const RealLineJob<T>& job, int64_t pair, T* scratch) {
  constexpr int w = lanes<T>;
  const int64_t n1 = job.first->n, n2 = job.second->n, rows = n1 / 2 + 1, room = rounded<T>(n1);
  C<T>* x = reinterpret_cast<C<T>*>(scratch);
  C<T>* y = x + room;
  const C<T>* between = reinterpret_cast<const C<T>*>(job.between) + 2 * pair * w;
  const Lines to = real_columns_of<T>(2 * pair * w, n2), other = real_columns_of<T>((2 * pair + 1) * w, n2);
  turned_rows<T>(between, rows, rounded<T>(n2), x);
  if (other.count > 0) {
    turned_rows<T>(between + w, rows, rounded<T>(n2), y);
  } else {
    std::fill(y, y + rows, C<T>{});
  }
  join_pairs<T>(x, y, n1);
  const C<T>* z = transform<T>(*job.first, x, y, y + room);
  scatter<T>(job.out, to, n1, true, z);
  if (other.count > 0) scatter<T>(job.out, other, n1, false, z);
}
