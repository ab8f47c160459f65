// Systems with three and five diagonals, by elimination with exchanges of rows. The functions without
// pivoting are no less exact with it.
#include <array>
#include <cmath>

#include "libs/common/parallel.h"
#include "libs/cusparse/functions.gen.h"
#include "libs/cusparse/rows.h"

namespace heddle::cusparse {
namespace {

// A band of `side` diagonals on each side of the main one. Row i keeps columns i - side to i + 2 side,
// because exchanges fill in so many above.
template <class N, int side>
class Band {
 public:
  explicit Band(int64_t rows) : rows_(rows), values_(static_cast<std::size_t>(rows) * width) {}
  N& at(int64_t row, int64_t column) {
    return values_[static_cast<std::size_t>(row * width + column - row + side)];
  }
  // Right sides are eliminated with the band: x(row, k) of `sides`.
  template <class Right>
  void solve(int64_t sides, const Right& x) {
    for (int64_t k = 0; k < rows_; ++k) {
      const int64_t last = std::min(rows_ - 1, k + side), end = std::min(rows_ - 1, k + 2 * side);
      int64_t best = k;
      for (int64_t i = k + 1; i <= last; ++i)
        if (std::abs(at(i, k)) > std::abs(at(best, k))) best = i;
      if (best != k) {
        for (int64_t j = k; j <= end; ++j) std::swap(at(k, j), at(best, j));
        for (int64_t s = 0; s < sides; ++s) std::swap(x(k, s), x(best, s));
      }
      for (int64_t i = k + 1; i <= last; ++i) {
        if (at(i, k) == N(0)) continue;
        const N factor = at(i, k) / at(k, k);
        for (int64_t j = k + 1; j <= end; ++j) at(i, j) -= times(factor, at(k, j));
        at(i, k) = N(0);
        for (int64_t s = 0; s < sides; ++s) x(i, s) -= times(factor, x(k, s));
      }
    }
    for (int64_t s = 0; s < sides; ++s)
      for (int64_t i = rows_ - 1; i >= 0; --i) {
        N sum = x(i, s);
        for (int64_t j = i + 1; j <= std::min(rows_ - 1, i + 2 * side); ++j) sum -= times(at(i, j), x(j, s));
        x(i, s) = sum / at(i, i);
      }
  }

 private:
  static constexpr int64_t width = 3 * side + 1;
  const int64_t rows_;
  std::vector<N> values_;
};

// Element i of system b at i * step + b * next.
struct Layout {
  int64_t rows, systems, step, next;
  int64_t extent() const {
    return rows == 0 || systems == 0 ? 0 : (rows - 1) * step + (systems - 1) * next + 1;
  }
};

// diagonals[side + k] is the k-th above the main one; its elements lie beside the row that they belong to.
template <class N, int side>
void solve_all(Access& access, const Layout& l, const std::array<const N*, 2 * side + 1>& diagonals, N* x,
               int64_t sides, int64_t ld) {
  const auto count = static_cast<uint64_t>(l.extent());
  for (const N* const one : diagonals) access.read(one, count);
  if (sides == 1)
    access.write(x, count);
  else
    access.write(x, l.rows, sides, ld);
  std::atomic<bool> good{true};
  libs::parallel(l.systems, [&](int64_t b) {
    try {
      Band<N, side> band(l.rows);
      for (int64_t i = 0; i < l.rows; ++i)
        for (int k = -side; k <= side; ++k)
          if (i + k >= 0 && i + k < l.rows)
            band.at(i, i + k) = diagonals[static_cast<std::size_t>(side + k)][i * l.step + b * l.next];
      band.solve(sides, [&](int64_t row, int64_t s) -> N& { return x[row * l.step + b * l.next + s * ld]; });
    } catch (...) {
      good = false;
    }
  });
  if (!good) throw std::bad_alloc();
}

template <class T>
void three(const void* handle, const char* name, const Layout& l, const T* dl, const T* d, const T* du, T* x,
           int64_t sides, int64_t ld) {
  using N = native_of<T>;
  const Call call(handle);
  given("a diagonal or the right side is NULL", dl, d, du, x);
  call.submit(name, [=](Access& access) {
    solve_all<N, 1>(access, l, {native(dl), native(d), native(du)}, native(x), sides, ld);
  });
}

void check_dense(int m, int n, int ldb) {
  require(m >= 3, "m is less than 3");
  size(n, "n is negative");
  require(ldb >= std::max(m, 1), "ldb is less than m");
}
void check_batch(int m, int batches) {
  require(m >= 3, "m is less than 3");
  size(batches, "batchCount is negative");
}
void check_strided(int m, int batches, int stride) {
  check_batch(m, batches);
  require(stride >= m, "batchStride is less than m");
}
void check_algorithm(int algo, int most) { require(algo >= 0 && algo <= most, "no such algorithm"); }

}  // namespace

template <class T>
void gtsv2_bufferSizeExt(cusparseHandle_t handle, int m, int n, const T*, const T*, const T*, const T*,
                         int ldb, size_t* bufferSizeInBytes) {
  use(handle);
  check_dense(m, n, ldb);
  tell_workspace(bufferSizeInBytes);
}
template <class T>
void gtsv2(cusparseHandle_t handle, int m, int n, const T* dl, const T* d, const T* du, T* B, int ldb,
           void*) {
  check_dense(m, n, ldb);
  three(handle, "gtsv2", {m, 1, 1, 0}, dl, d, du, B, n, ldb);
}
template <class T>
void gtsv2_nopivot_bufferSizeExt(cusparseHandle_t handle, int m, int n, const T*, const T*, const T*,
                                 const T*, int ldb, size_t* bufferSizeInBytes) {
  use(handle);
  check_dense(m, n, ldb);
  tell_workspace(bufferSizeInBytes);
}
template <class T>
void gtsv2_nopivot(cusparseHandle_t handle, int m, int n, const T* dl, const T* d, const T* du, T* B, int ldb,
                   void*) {
  check_dense(m, n, ldb);
  three(handle, "gtsv2_nopivot", {m, 1, 1, 0}, dl, d, du, B, n, ldb);
}
template <class T>
void gtsv2StridedBatch_bufferSizeExt(cusparseHandle_t handle, int m, const T*, const T*, const T*, const T*,
                                     int batchCount, int batchStride, size_t* bufferSizeInBytes) {
  use(handle);
  check_strided(m, batchCount, batchStride);
  tell_workspace(bufferSizeInBytes);
}
template <class T>
void gtsv2StridedBatch(cusparseHandle_t handle, int m, const T* dl, const T* d, const T* du, T* x,
                       int batchCount, int batchStride, void*) {
  check_strided(m, batchCount, batchStride);
  three(handle, "gtsv2StridedBatch", {m, batchCount, 1, batchStride}, dl, d, du, x, 1, 0);
}
template <class T>
void gtsvInterleavedBatch_bufferSizeExt(cusparseHandle_t handle, int algo, int m, const T*, const T*,
                                        const T*, const T*, int batchCount, size_t* pBufferSizeInBytes) {
  use(handle);
  check_algorithm(algo, 2);
  check_batch(m, batchCount);
  tell_workspace(pBufferSizeInBytes);
}
template <class T>
void gtsvInterleavedBatch(cusparseHandle_t handle, int algo, int m, T* dl, T* d, T* du, T* x, int batchCount,
                          void*) {
  check_algorithm(algo, 2);
  check_batch(m, batchCount);
  three<T>(handle, "gtsvInterleavedBatch", {m, batchCount, batchCount, 1}, dl, d, du, x, 1, 0);
}
template <class T>
void gpsvInterleavedBatch_bufferSizeExt(cusparseHandle_t handle, int algo, int m, const T*, const T*,
                                        const T*, const T*, const T*, const T*, int batchCount,
                                        size_t* pBufferSizeInBytes) {
  use(handle);
  check_algorithm(algo, 0);
  check_batch(m, batchCount);
  tell_workspace(pBufferSizeInBytes);
}
template <class T>
void gpsvInterleavedBatch(cusparseHandle_t handle, int algo, int m, T* ds, T* dl, T* d, T* du, T* dw, T* x,
                          int batchCount, void*) {
  using N = native_of<T>;
  const Call call(handle);
  check_algorithm(algo, 0);
  check_batch(m, batchCount);
  given("a diagonal or the right side is NULL", ds, dl, d, du, dw, x);
  call.submit("gpsvInterleavedBatch", [=](Access& access) {
    solve_all<N, 2>(access, {m, batchCount, batchCount, 1},
                    {native(ds), native(dl), native(d), native(du), native(dw)}, native(x), 1, 0);
  });
}

}  // namespace heddle::cusparse

#include "libs/cusparse/banded.gen.h"
