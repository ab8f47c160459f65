// Sums of sparse matrices, and colourings of their rows.
#include "libs/cusparse/functions.gen.h"
#include "libs/cusparse/kept.h"
#include "libs/cusparse/rows.h"

namespace heddle::cusparse {
namespace {

// Columns of a row of either matrix, in order: visit(column, p or -1, q or -1).
template <class Left, class Right, class Visit>
void merge(const Left& a, const Right& b, int64_t row, const Visit& visit) {
  int64_t p = a.begin(row), q = b.begin(row);
  while (p < a.end(row) || q < b.end(row)) {
    const int64_t i = p < a.end(row) ? a.column(p) : INT64_MAX, j = q < b.end(row) ? b.column(q) : INT64_MAX;
    visit(std::min(i, j), i <= j ? p : -1, j <= i ? q : -1);
    p += i <= j ? 1 : 0;
    q += j <= i ? 1 : 0;
  }
}

void check_sum(int m, int n, int nnz_a, int nnz_b, const void* a, const void* b, const void* c) {
  size(m, "m is negative");
  size(n, "n is negative");
  size(nnz_a, "nnzA is negative");
  size(nnz_b, "nnzB is negative");
  general(a), general(b), general(c);
}

}  // namespace

template <class T>
void csrgeam2_bufferSizeExt(cusparseHandle_t handle, int m, int n, const T*, const cusparseMatDescr_t descrA,
                            int nnzA, const T*, const int*, const int*, const T*,
                            const cusparseMatDescr_t descrB, int nnzB, const T*, const int*, const int*,
                            const cusparseMatDescr_t descrC, const T*, const int*, const int*,
                            size_t* pBufferSizeInBytes) {
  use(handle);
  check_sum(m, n, nnzA, nnzB, descrA, descrB, descrC);
  tell_workspace(pBufferSizeInBytes);
}
void cusparseXcsrgeam2Nnz(cusparseHandle_t handle, int m, int n, const cusparseMatDescr_t descrA, int nnzA,
                          const int* csrSortedRowPtrA, const int* csrSortedColIndA,
                          const cusparseMatDescr_t descrB, int nnzB, const int* csrSortedRowPtrB,
                          const int* csrSortedColIndB, const cusparseMatDescr_t descrC, int* csrSortedRowPtrC,
                          int* nnzTotalDevHostPtr, void*) {
  const Call call(handle);
  check_sum(m, n, nnzA, nnzB, descrA, descrB, descrC);
  const int base_a = base_of(descrA), base_b = base_of(descrB), base_c = base_of(descrC);
  call.give("csrgeam2Nnz", nnzTotalDevHostPtr, [=](Access& access) {
    const Pattern a(access, m, n, csrSortedRowPtrA, csrSortedColIndA, base_a),
        b(access, m, n, csrSortedRowPtrB, csrSortedColIndB, base_b);
    int* const to = access.write(csrSortedRowPtrC, static_cast<uint64_t>(m) + 1);
    int count = 0;
    to[0] = base_c;
    for (int i = 0; i < m; ++i) {
      merge(a.rows(), b.rows(), i, [&](int64_t, int64_t, int64_t) { ++count; });
      to[i + 1] = count + base_c;
    }
    return count;
  });
}
template <class T>
void csrgeam2(cusparseHandle_t handle, int m, int n, const T* alpha, const cusparseMatDescr_t descrA,
              int nnzA, const T* csrSortedValA, const int* csrSortedRowPtrA, const int* csrSortedColIndA,
              const T* beta, const cusparseMatDescr_t descrB, int nnzB, const T* csrSortedValB,
              const int* csrSortedRowPtrB, const int* csrSortedColIndB, const cusparseMatDescr_t descrC,
              T* csrSortedValC, int* csrSortedRowPtrC, int* csrSortedColIndC, void*) {
  using N = native_of<T>;
  const Call call(handle);
  check_sum(m, n, nnzA, nnzB, descrA, descrB, descrC);
  const auto first = call.scalar(alpha, "alpha"), second = call.scalar(beta, "beta");
  const int base = base_of(descrC);
  const SparseMatrix left = csr_matrix(m, n, nnzA, csrSortedValA, csrSortedRowPtrA, csrSortedColIndA,
                                       base_of(descrA)),
                     right = csr_matrix(m, n, nnzB, csrSortedValB, csrSortedRowPtrB, csrSortedColIndB,
                                        base_of(descrB));
  call.submit("csrgeam2", [=](Access& access) {
    const N s = first.get(access), t = second.get(access);
    Compressed<N, int> a(access, left), b(access, right);
    a.sort(), b.sort();
    const int64_t count = count_of(access, csrSortedRowPtrC, m, base);
    int* const offsets = access.write(csrSortedRowPtrC, static_cast<uint64_t>(m) + 1);
    int* const places = access.write(csrSortedColIndC, static_cast<uint64_t>(count));
    N* const values = access.write(native(csrSortedValC), static_cast<uint64_t>(count));
    int64_t next = 0;
    offsets[0] = base;
    for (int i = 0; i < m; ++i) {
      merge(a.rows(), b.rows(), i, [&](int64_t column, int64_t p, int64_t q) {
        if (next >= count) refuse(Why::execution_failed, "C has fewer elements than the sum");
        N sum{};
        if (p >= 0) sum += times(s, a.rows().values[p]);
        if (q >= 0) sum += times(t, b.rows().values[q]);
        places[next] = static_cast<int>(column) + base;
        values[next++] = sum;
      });
      offsets[i + 1] = static_cast<int>(next) + base;
    }
  });
}

// Rows that an element joins get different colours; each takes the first that none of its neighbours has.
// Colours are given until the share that was asked for is coloured; the rest get one each.
template <class T>
void csrcolor(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, const T*,
              const int* csrSortedRowPtrA, const int* csrSortedColIndA, const real_of<T>* fractionToColor,
              int* ncolors, int* coloring, int* reordering, const cusparseColorInfo_t info) {
  const Call call(handle);
  general(descrA);
  size(m, "m is negative");
  size(nnz, "nnz is negative");
  object<Colors>(info);
  const auto fraction = call.scalar(fractionToColor, "fractionToColor");
  if (ncolors == nullptr) libs::refuse_null("ncolors");
  const int base = base_of(descrA);
  call.give("csrcolor", ncolors, [=](Access& access) {
    const Pattern pattern(access, m, m, csrSortedRowPtrA, csrSortedColIndA, base);
    const auto& rows = pattern.rows();
    int* const colors = access.write(coloring, static_cast<uint64_t>(m));
    const double share = std::clamp(static_cast<double>(fraction.get(access)), 0.0, 1.0);
    // Neighbours in either direction: the pattern need not be symmetric.
    std::vector<std::vector<int>> neighbours(static_cast<std::size_t>(m));
    for (int i = 0; i < m; ++i)
      for (int64_t p = rows.begin(i); p < rows.end(i); ++p) {
        neighbours[static_cast<std::size_t>(i)].push_back(static_cast<int>(rows.column(p)));
        neighbours[static_cast<std::size_t>(rows.column(p))].push_back(i);
      }
    std::fill_n(colors, m, -1);
    std::vector<int> seen(static_cast<std::size_t>(m) + 1, -1);
    int count = 0;
    for (int i = 0; i < m; ++i) {
      if (static_cast<double>(i) >= share * m) {
        colors[i] = count++;
        continue;
      }
      for (const int j : neighbours[static_cast<std::size_t>(i)])
        if (colors[j] >= 0) seen[static_cast<std::size_t>(colors[j])] = i;
      int color = 0;
      while (seen[static_cast<std::size_t>(color)] == i) ++color;
      colors[i] = color;
      count = std::max(count, color + 1);
    }
    if (reordering != nullptr) {  // rows of one colour together
      int* const order = access.write(reordering, static_cast<uint64_t>(m));
      std::vector<int> next(static_cast<std::size_t>(count) + 1);
      for (int i = 0; i < m; ++i) ++next[static_cast<std::size_t>(colors[i]) + 1];
      std::partial_sum(next.begin(), next.end(), next.begin());
      for (int i = 0; i < m; ++i) order[i] = next[static_cast<std::size_t>(colors[i])]++;
    }
    return count;
  });
}

}  // namespace heddle::cusparse

#include "libs/cusparse/extras.gen.h"
