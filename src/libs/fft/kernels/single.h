// One long line: as a matrix of n1 rows and n2 columns, transformed by columns, turned by the roots of n,
// transformed by rows. What is contiguous in memory are the lanes of both.
#pragma once

template <class T>
int64_t rounded(int64_t n) {
  return (n + lanes<T> - 1) / lanes<T> * lanes<T>;
}

template <class T>
void step1(const LineJob<T>& job, int64_t block, T* scratch) {
  constexpr int w = lanes<T>;
  const int64_t n1 = job.first->n, n2 = job.second->n, begin = block * w;
  C<T>* x = reinterpret_cast<C<T>*>(scratch);
  Lines from;
  from.count = static_cast<int>(std::min<int64_t>(w, n2 - begin));
  for (int l = 0; l < w; ++l) from.offset[l] = 2 * (begin + (l < from.count ? l : 0));
  from.step = 2 * n2;
  from.imaginary = 1;
  gather<T>(job.in, from, n1, job.inverse, x);
  const C<T>* result = transform<T>(*job.first, x, x + n1, x + 2 * n1);
  C<T>* to = reinterpret_cast<C<T>*>(job.between) + block * rounded<T>(n1);
  const C<T>* lane_roots = reinterpret_cast<const C<T>*>(job.lane_roots);
  const T* block_roots = job.block_roots + block * 2 * n1;
  if (block == 0) {
    for (int64_t k = 0; k < n1; ++k) to[k] = times<T>(result[k], lane_roots[k].re, lane_roots[k].im);
  } else {
    for (int64_t k = 0; k < n1; ++k) {
      const C<T> root = times<T>(lane_roots[k], block_roots[2 * k], block_roots[2 * k + 1]);
      to[k] = times<T>(result[k], root.re, root.im);
    }
  }
  for (int64_t k = n1; k < rounded<T>(n1); ++k) to[k] = C<T>{};
}

// Rows of what lies between both steps, one a lane; they are `apart` vectors from block to block.
template <class T>
void turned_rows(const C<T>* between, int64_t rows, int64_t apart, C<T>* x) {
  constexpr int w = lanes<T>;
  for (int64_t j = 0; j < rows; j += w, between += apart) {
    V<T> re[w], im[w];
    for (int i = 0; i < w; ++i) {
      re[i] = between[i].re;
      im[i] = between[i].im;
    }
    transpose<T, 1>(re);
    transpose<T, 1>(im);
    for (int i = 0; i < w; ++i) x[j + i] = {re[i], im[i]};
  }
}

template <class T>
void step2(const LineJob<T>& job, int64_t block, T* scratch) {
  constexpr int w = lanes<T>;
  const int64_t n1 = job.first->n, n2 = job.second->n, begin = block * w, apart = rounded<T>(n1);
  C<T>* x = reinterpret_cast<C<T>*>(scratch);
  C<T>* y = x + rounded<T>(n2);
  const C<T>* between = reinterpret_cast<const C<T>*>(job.between) + begin;
  turned_rows<T>(between, n2, apart, x);
  const C<T>* result = transform<T>(*job.second, x, y, y + rounded<T>(n2));
  Lines to;
  to.count = static_cast<int>(std::min<int64_t>(w, n1 - begin));
  for (int l = 0; l < w; ++l) to.offset[l] = 2 * (begin + l);
  to.step = 2 * n1;
  to.imaginary = 1;
  scatter<T>(job.out, to, n2, job.inverse, result);
}
