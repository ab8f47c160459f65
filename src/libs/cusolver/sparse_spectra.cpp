// Eigenvalues of sparse matrices, least squares, and diagonals without zeros. What an H200 answers:
// tests/hw/h200/libraries/cusolver.md.
#include <algorithm>
#include <limits>

#include "libs/cusolver/functions.gen.h"
#include "libs/cusolver/sparse_factors.h"
#include "libs/cusolver/sparse_handle.h"
#include "libs/cusolver/sparse_least_squares.h"

namespace heddle::cusolver {
namespace {

Pattern checked(cusolverSpHandle_t handle, int m, int n, int nnz, const void* description, const void* values,
                const int* offsets, const int* places) {
  use_sparse(handle);
  const Pattern pattern = pattern_of(m, n, nnz, description, offsets, places);
  if (offsets == nullptr || (nnz > 0 && (places == nullptr || values == nullptr)))
    libs::refuse_null("an array of A");
  return pattern;
}

template <class N>
Real<N> length(const std::vector<N>& x) {
  Real<N> sum = 0;
  for (const N& value : x) sum += std::norm(value);
  return std::sqrt(sum);
}
template <class N>
void normalize(std::vector<N>& x) {
  const Real<N> by = length(x);
  for (N& value : x) value /= by;
}
template <class N>
std::vector<N> product(const Rows<N>& a, const std::vector<N>& x) {
  std::vector<N> y(a.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    for (const auto& [column, value] : a[i]) y[i] += value * x[static_cast<std::size_t>(column)];
  return y;
}

// A - shift, with all of its diagonal.
template <class N>
Rows<N> shifted(Rows<N> a, N shift) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const int own = static_cast<int>(i);
    const auto at = std::ranges::lower_bound(a[i], own, {}, &Entry<N>::column);
    if (at != a[i].end() && at->column == own)
      at->value -= shift;
    else
      a[i].insert(at, {own, -shift});
  }
  return a;
}

// Inverse iteration: mu is Rayleigh's quotient of an x, which ends it when the residual is below the
// tolerance; the next x is (A - mu0)^-1 x. So after `most` steps mu is that of the x before the last.
template <class N>
void nearest_eigenvalue(const Pattern& pattern, const N* values, N mu0, const N* x0, int most,
                        Real<N> tolerance, N* mu, N* x) {
  pattern.check();
  const Rows<N> a = rows_of(pattern, values);
  const auto n = static_cast<std::size_t>(pattern.rows);
  // A shift that is an eigenvalue is moved by a rounding.
  SparseLu<N> factors(shifted(a, mu0));
  if (factors.singular(0) >= 0) {
    constexpr Real<N> rounding = std::numeric_limits<Real<N>>::epsilon();
    factors = SparseLu<N>(shifted(a, mu0 - N(std::max(std::abs(mu0), Real<N>(1)) * rounding)));
  }
  std::vector<N> now(x0, x0 + n);
  normalize(now);
  N quotient(0);
  for (int step = 0; step < most; ++step) {
    std::vector<N> left = product(a, now);
    quotient = N(0);
    for (std::size_t i = 0; i < n; ++i) quotient += conjugated(now[i]) * left[i];
    for (std::size_t i = 0; i < n; ++i) left[i] -= quotient * now[i];
    if (length(left) < tolerance) break;
    factors.solve(now);
    normalize(now);
  }
  *mu = quotient;
  std::ranges::copy(now, x);
}

// All of them, as of a dense matrix.
template <class N>
std::vector<std::complex<Real<N>>> eigenvalues_of(const Rows<N>& a) {
  const int n = static_cast<int>(a.size());
  Matrix<N> dense(nullptr, n, n, n);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (const auto& [column, value] : a[i])
      dense.data()[i + a.size() * static_cast<std::size_t>(column)] = value;
  std::vector<std::complex<Real<N>>> w(a.size());
  std::vector<Real<N>> real(2 * a.size() + 8), imaginary(a.size() + 8);
  int state = 0;
  N answer{}, nothing{};
  const auto solve = [&](N* work, int count) {
    if constexpr (complex_number<N>)
      fortran::geev<N>('N', 'N', n, dense.data(), dense.ld(), w.data(), &nothing, 1, &nothing, 1, work, count,
                       real.data(), &state);
    else
      fortran::geev<N>('N', 'N', n, dense.data(), dense.ld(), real.data(), imaginary.data(), &nothing, 1,
                       &nothing, 1, work, count, &state);
  };
  solve(&answer, -1);
  std::vector<N> work(static_cast<std::size_t>(asked(answer)));
  solve(work.data(), static_cast<int>(work.size()));
  if (state != 0) refuse(Why::internal_error, "the eigenvalues did not converge");
  if constexpr (!complex_number<N>)
    for (std::size_t i = 0; i < w.size(); ++i) w[i] = {real[i], imaginary[i]};
  return w;
}

// Inside, not on the edge.
template <class T, class Corner>
void count_eigenvalues(cusolverSpHandle_t handle, int m, int nnz, const void* description, const T* values,
                       const int* offsets, const int* places, Corner one, Corner other, int* count) {
  const Pattern pattern = checked(handle, m, m, nnz, description, values, offsets, places);
  if (count == nullptr) libs::refuse_null("num_eigs");
  pattern.check();
  *count = 0;
  if (m == 0) return;
  const auto [left, right] = std::minmax(one.x, other.x);
  const auto [bottom, top] = std::minmax(one.y, other.y);
  for (const auto& value : eigenvalues_of(rows_of(pattern, native(values))))
    *count += value.real() > left && value.real() < right && value.imag() > bottom && value.imag() < top;
}

// For each column a row with an entry there, as many as there can be: rows take a free column, or one whose
// row finds another (I. Duff, "On algorithms for obtaining a maximum transversal", 1981).
class Transversal {
 public:
  explicit Transversal(std::vector<std::vector<int>> columns)
      : columns_(std::move(columns)), row_of_(columns_.size(), -1), seen_(columns_.size(), -1) {
    for (std::size_t i = 0; i < columns_.size(); ++i) count_ += place(static_cast<int>(i)) ? 1 : 0;
    std::vector<bool> used(columns_.size());
    for (const int row : row_of_)
      if (row >= 0) used[static_cast<std::size_t>(row)] = true;
    std::size_t next = 0;
    for (int& row : row_of_) {
      if (row >= 0) continue;
      while (used[next]) ++next;
      row = static_cast<int>(next++);
    }
  }
  int count() const { return count_; }
  const std::vector<int>& rows() const { return row_of_; }

 private:
  int& row_of(int column) { return row_of_[static_cast<std::size_t>(column)]; }
  int free_column(int row) {
    for (const int column : columns_[static_cast<std::size_t>(row)])
      if (row_of(column) < 0) return column;
    return -1;
  }
  bool place(int first) {
    struct Step {
      int row;
      std::size_t next;
      int column;  // that it would take
    };
    std::vector<Step> path{{first, 0, -1}};
    while (!path.empty()) {
      const int row = path.back().row;
      if (const int column = free_column(row); column >= 0) {
        path.back().column = column;
        for (const Step& step : path) row_of(step.column) = step.row;
        return true;
      }
      const auto& all = columns_[static_cast<std::size_t>(row)];
      bool deeper = false;
      while (path.back().next < all.size() && !deeper) {
        const int column = all[path.back().next++];
        if (std::exchange(seen_[static_cast<std::size_t>(column)], first) == first) continue;
        path.back().column = column;
        path.push_back({row_of(column), 0, -1});
        deeper = true;
      }
      if (!deeper) path.pop_back();
    }
    return false;
  }
  std::vector<std::vector<int>> columns_;  // of each row
  std::vector<int> row_of_, seen_;
  int count_ = 0;
};

}  // namespace

template <class T>
void sp_csrlsqvqrHost(cusolverSpHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descrA,
                      const T* csrValA, const int* csrRowPtrA, const int* csrColIndA, const T* b,
                      real_of<T> tol, int* rankA, T* x, int* p, real_of<T>* min_norm) {
  const Pattern pattern = checked(handle, m, n, nnz, descrA, csrValA, csrRowPtrA, csrColIndA);
  if (rankA == nullptr || p == nullptr || min_norm == nullptr || b == nullptr || x == nullptr)
    libs::refuse_null("b, x, rankA, p or min_norm");
  require(m >= n, "there are fewer rows than columns");
  require(nnz > 0, "there are no entries");
  pattern.check();
  const auto found = solve_least_squares(rows_of(pattern, native(csrValA)), n, native(b), tol);
  *rankA = found.rank;
  *min_norm = found.norm;
  std::ranges::copy(found.x, native(x));
  std::ranges::copy(found.order, p);
}

template <class T>
void sp_csreigvsiHost(cusolverSpHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA,
                      const T* csrValA, const int* csrRowPtrA, const int* csrColIndA, T mu0, const T* x0,
                      int maxite, real_of<T> tol, T* mu, T* x) {
  const Pattern pattern = checked(handle, m, m, nnz, descrA, csrValA, csrRowPtrA, csrColIndA);
  if (x0 == nullptr || mu == nullptr || x == nullptr) libs::refuse_null("x0, mu or x");
  nearest_eigenvalue(pattern, native(csrValA), *native(&mu0), native(x0), maxite, tol, native(mu), native(x));
}
template <class T>
void sp_csreigvsi(cusolverSpHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA,
                  const T* csrValA, const int* csrRowPtrA, const int* csrColIndA, T mu0, const T* x0,
                  int maxite, real_of<T> eps, T* mu, T* x) {
  use_sparse(handle);
  const Pattern pattern = pattern_of(m, m, nnz, descrA, csrRowPtrA, csrColIndA);
  if (csrRowPtrA == nullptr || csrColIndA == nullptr || x0 == nullptr || mu == nullptr || x == nullptr)
    refuse(Why::internal_error, "an array is NULL");
  libs::Target(use_sparse(handle)->stream).submit_and_wait("csreigvsi", [=](Access& access) {
    access.read(csrRowPtrA, static_cast<uint64_t>(m) + 1);
    access.read(csrColIndA, static_cast<uint64_t>(nnz));
    access.read(csrValA, static_cast<uint64_t>(nnz));
    access.read(x0, static_cast<uint64_t>(m));
    access.write(x, static_cast<uint64_t>(m));
    access.write(mu, 1);
    nearest_eigenvalue(pattern, native(csrValA), *native(&mu0), native(x0), maxite, eps, native(mu),
                       native(x));
  });
}

template <class T>
void sp_csreigsHost(cusolverSpHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA,
                    const T* csrValA, const int* csrRowPtrA, const int* csrColIndA,
                    cuComplex left_bottom_corner, cuComplex right_upper_corner, int* num_eigs) {
  count_eigenvalues(handle, m, nnz, descrA, csrValA, csrRowPtrA, csrColIndA, left_bottom_corner,
                    right_upper_corner, num_eigs);
}
template <class T>
void sp_csreigsHost_d(cusolverSpHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA,
                      const T* csrValA, const int* csrRowPtrA, const int* csrColIndA,
                      cuDoubleComplex left_bottom_corner, cuDoubleComplex right_upper_corner, int* num_eigs) {
  count_eigenvalues(handle, m, nnz, descrA, csrValA, csrRowPtrA, csrColIndA, left_bottom_corner,
                    right_upper_corner, num_eigs);
}

template <class T>
void sp_csrzfdHost(cusolverSpHandle_t handle, int n, int nnz, const cusparseMatDescr_t descrA,
                   const T* csrValA, const int* csrRowPtrA, const int* csrColIndA, int* P, int* numnz) {
  const Pattern pattern = checked(handle, n, n, nnz, descrA, csrValA, csrRowPtrA, csrColIndA);
  if (P == nullptr || numnz == nullptr) libs::refuse_null("P or numnz");
  pattern.check();
  std::vector<std::vector<int>> columns(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i)
    for (int k = pattern.begin(i); k < pattern.end(i); ++k)
      if (native(csrValA)[k] != native_of<T>(0))
        columns[static_cast<std::size_t>(i)].push_back(pattern.column(k));
  const Transversal found(std::move(columns));
  std::ranges::copy(found.rows(), P);
  *numnz = found.count();
}

}  // namespace heddle::cusolver

#include "libs/cusolver/sparse_spectra.gen.h"
