// Conversions between formats, sorting, counts of elements that are not zero.
#include <cmath>
#include <mutex>

#include "libs/cusparse/functions.gen.h"
#include "libs/cusparse/kept.h"
#include "libs/cusparse/rows.h"

namespace heddle::cusparse {
namespace {

void check_sizes(int m, int n, int nnz) {
  size(m, "m is negative");
  size(n, "n is negative");
  size(nnz, "nnz is negative");
}

}  // namespace

// ---- counts

template <class T>
void nnz(cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n, const cusparseMatDescr_t descrA,
         const T* A, int lda, int* nnzPerRowCol, int* nnzTotalDevHostPtr) {
  using N = native_of<T>;
  const Call call(handle);
  general(descrA);
  size(m, "m is negative");
  size(n, "n is negative");
  require(lda >= std::max(m, 1), "lda is less than m");
  const bool rows = by_rows(dirA);
  call.give("nnz", nnzTotalDevHostPtr, [=](Access& access) {
    const N* const a = access.read(native(A), m, n, lda);
    const int lines = rows ? m : n;
    int* const counts = access.write(nnzPerRowCol, static_cast<uint64_t>(lines));
    std::fill_n(counts, lines, 0);
    int total = 0;
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i)
        if (a[i + int64_t{j} * lda] != N(0)) {
          ++counts[rows ? i : j];
          ++total;
        }
    return total;
  });
}

namespace {

// Elements that are greater than a bound stay.
template <class N>
bool stays(const N& value, const N& bound) {
  return std::abs(value) > std::real(bound);
}

}  // namespace

template <class T>
void nnz_compress(cusparseHandle_t handle, int m, const cusparseMatDescr_t descr, const T* csrSortedValA,
                  const int* csrSortedRowPtrA, int* nnzPerRow, int* nnzC, T tol) {
  using N = native_of<T>;
  const Call call(handle);
  general(descr);
  size(m, "m is negative");
  const N bound = *native(&tol);
  require(std::real(bound) >= 0, "tol is negative");
  const int base = base_of(descr);
  call.give("nnz_compress", nnzC, [=](Access& access) {
    const int64_t count = count_of(access, csrSortedRowPtrA, m, base);
    const int* const offsets = access.read(csrSortedRowPtrA, static_cast<uint64_t>(m) + 1);
    check_offsets(offsets, m, base, count);
    const N* const values = access.read(native(csrSortedValA), static_cast<uint64_t>(count));
    int* const counts = access.write(nnzPerRow, static_cast<uint64_t>(m));
    int total = 0;
    for (int i = 0; i < m; ++i) {
      counts[i] = 0;
      for (int p = offsets[i] - base; p < offsets[i + 1] - base; ++p)
        counts[i] += stays(values[p], bound) ? 1 : 0;
      total += counts[i];
    }
    return total;
  });
}
template <class T>
void csr2csr_compress(cusparseHandle_t handle, int m, int n, const cusparseMatDescr_t descrA,
                      const T* csrSortedValA, const int* csrSortedColIndA, const int* csrSortedRowPtrA,
                      int nnzA, const int* nnzPerRow, T* csrSortedValC, int* csrSortedColIndC,
                      int* csrSortedRowPtrC, T tol) {
  using N = native_of<T>;
  const Call call(handle);
  general(descrA);
  check_sizes(m, n, nnzA);
  const N bound = *native(&tol);
  require(std::real(bound) >= 0, "tol is negative");
  const SparseMatrix from =
      csr_matrix(m, n, nnzA, csrSortedValA, csrSortedRowPtrA, csrSortedColIndA, base_of(descrA));
  call.submit("csr2csr_compress", [=](Access& access) {
    const Compressed<N, int> a(access, from);
    const auto& rows = a.rows();
    const int* const counts = access.read(nnzPerRow, static_cast<uint64_t>(m));
    int* const offsets = access.write(csrSortedRowPtrC, static_cast<uint64_t>(m) + 1);
    offsets[0] = from.base;
    for (int i = 0; i < m; ++i) offsets[i + 1] = offsets[i] + std::max(counts[i], 0);
    const auto count = static_cast<uint64_t>(offsets[m] - from.base);
    int* const places = access.write(csrSortedColIndC, count);
    N* const values = access.write(native(csrSortedValC), count);
    for (int i = 0; i < m; ++i) {
      int64_t next = offsets[i] - from.base;
      for (int64_t p = rows.begin(i); p < rows.end(i); ++p) {
        if (!stays(rows.values[p], bound)) continue;
        if (next >= offsets[i + 1] - from.base)
          refuse(Why::execution_failed, "nnzPerRow counts fewer elements than stay");
        places[next] = rows.places[p];
        values[next++] = rows.values[p];
      }
    }
  });
}

// ---- offsets and indices

void cusparseXcoo2csr(cusparseHandle_t handle, const int* cooRowInd, int nnz, int m, int* csrSortedRowPtr,
                      cusparseIndexBase_t idxBase) {
  const Call call(handle);
  check_sizes(m, 0, nnz);
  const int base = base_of(idxBase);
  call.submit("coo2csr", [=](Access& access) {
    const int* const rows = access.read(cooRowInd, static_cast<uint64_t>(nnz));
    check_places(rows, nnz, base, m);
    int* const offsets = access.write(csrSortedRowPtr, static_cast<uint64_t>(m) + 1);
    std::fill_n(offsets, m + 1, 0);
    for (int p = 0; p < nnz; ++p) ++offsets[rows[p] - base + 1];
    offsets[0] = base;
    for (int i = 0; i < m; ++i) offsets[i + 1] += offsets[i];
  });
}
void cusparseXcsr2coo(cusparseHandle_t handle, const int* csrSortedRowPtr, int nnz, int m, int* cooRowInd,
                      cusparseIndexBase_t idxBase) {
  const Call call(handle);
  check_sizes(m, 0, nnz);
  const int base = base_of(idxBase);
  call.submit("csr2coo", [=](Access& access) {
    const int* const offsets = access.read(csrSortedRowPtr, static_cast<uint64_t>(m) + 1);
    check_offsets(offsets, m, base, nnz);
    int* const rows = access.write(cooRowInd, static_cast<uint64_t>(nnz));
    for (int i = 0; i < m; ++i)
      for (int p = offsets[i] - base; p < offsets[i + 1] - base; ++p) rows[p] = i + base;
  });
}

namespace {

template <class N>
void turn(Access& access, const Csr<char, int>& a, const void* from, void* to, int* offsets, int* places) {
  const int64_t count = a.count();
  const N* const values =
      from == nullptr ? nullptr : access.read(static_cast<const N*>(from), static_cast<uint64_t>(count));
  N* const results =
      to == nullptr ? nullptr : access.write(static_cast<N*>(to), static_cast<uint64_t>(count));
  access.write(offsets, static_cast<uint64_t>(a.columns) + 1);
  access.write(places, static_cast<uint64_t>(count));
  std::vector<int64_t> next(static_cast<std::size_t>(a.columns) + 1);
  for (int64_t p = 0; p < count; ++p) ++next[static_cast<std::size_t>(a.column(p)) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (int64_t j = 0; j <= a.columns; ++j)
    offsets[j] = static_cast<int>(next[static_cast<std::size_t>(j)]) + a.base;
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t p = a.begin(i); p < a.end(i); ++p) {
      const int64_t at = next[static_cast<std::size_t>(a.column(p))]++;
      places[at] = static_cast<int>(i) + a.base;
      if (results != nullptr) results[at] = values[p];
    }
}

void check_turn(int m, int n, int nnz, cudaDataType type, cusparseAction_t action, cusparseIndexBase_t base) {
  check_sizes(m, n, nnz);
  require(bytes_of(type) != 0, "no type of elements");
  require(action == CUSPARSE_ACTION_SYMBOLIC || action == CUSPARSE_ACTION_NUMERIC, "no such action");
  base_of(base);
}

}  // namespace

void cusparseCsr2cscEx2_bufferSize(cusparseHandle_t handle, int m, int n, int nnz, const void*, const int*,
                                   const int*, void*, int*, int*, cudaDataType valType,
                                   cusparseAction_t copyValues, cusparseIndexBase_t idxBase,
                                   cusparseCsr2CscAlg_t, size_t* bufferSize) {
  use(handle);
  check_turn(m, n, nnz, valType, copyValues, idxBase);
  tell_workspace(bufferSize);
}
void cusparseCsr2cscEx2(cusparseHandle_t handle, int m, int n, int nnz, const void* csrVal,
                        const int* csrRowPtr, const int* csrColInd, void* cscVal, int* cscColPtr,
                        int* cscRowInd, cudaDataType valType, cusparseAction_t copyValues,
                        cusparseIndexBase_t idxBase, cusparseCsr2CscAlg_t, void*) {
  const Call call(handle);
  check_turn(m, n, nnz, valType, copyValues, idxBase);
  const int base = base_of(idxBase);
  const bool values = copyValues == CUSPARSE_ACTION_NUMERIC && nnz > 0;
  require(!values || (csrVal != nullptr && cscVal != nullptr), "there are no values to copy");
  call.submit("csr2cscEx2", [=](Access& access) {
    const Pattern a(access, m, n, csrRowPtr, csrColInd, base);
    with_bytes(bytes_of(valType), [&]<class N>() {
      turn<N>(access, a.rows(), values ? csrVal : nullptr, values ? cscVal : nullptr, cscColPtr, cscRowInd);
    });
  });
}

// ---- sorting. A permutation that the program brings is permuted with the elements.

void cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int* p) {
  const Call call(handle);
  size(n, "n is negative");
  call.submit("CreateIdentityPermutation", [=](Access& access) {
    int* const to = access.write(p, static_cast<uint64_t>(n));
    std::iota(to, to + n, 0);
  });
}

namespace {

void permute(int* values, const std::vector<int>& order, int64_t first) {
  std::vector<int> old(values + first, values + first + static_cast<int64_t>(order.size()));
  for (std::size_t i = 0; i < order.size(); ++i)
    values[first + static_cast<int64_t>(i)] = old[static_cast<std::size_t>(order[i])];
}

void sort_coordinates(const void* handle, const char* name, int m, int n, int nnz, int* rows, int* columns,
                      int* p, bool by_row) {
  const Call call(handle);
  check_sizes(m, n, nnz);
  call.submit(name, [=](Access& access) {
    int* const first = access.write(by_row ? rows : columns, static_cast<uint64_t>(nnz));
    int* const second = access.write(by_row ? columns : rows, static_cast<uint64_t>(nnz));
    std::vector<int> order(static_cast<std::size_t>(nnz));
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int a, int b) {
      if (first[a] != first[b]) return first[a] < first[b];
      return second[a] != second[b] ? second[a] < second[b] : a < b;
    });
    permute(first, order, 0);
    permute(second, order, 0);
    if (p != nullptr) permute(access.write(p, static_cast<uint64_t>(nnz)), order, 0);
  });
}

// The order in which a line's places rise.
std::vector<int> order_of(const int* places, int64_t first, int64_t last) {
  std::vector<int> order(static_cast<std::size_t>(last - first));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return places[first + a] != places[first + b] ? places[first + a] < places[first + b] : a < b;
  });
  return order;
}

void sort_lines(const void* handle, const char* name, int lines, int others, int nnz, const void* descriptor,
                const int* offsets, int* places, int* p) {
  const Call call(handle);
  check_sizes(lines, others, nnz);
  general(descriptor);
  const int base = base_of(descriptor);
  call.submit(name, [=](Access& access) {
    if (lines == 0) return;
    const int* const begin = access.read(offsets, static_cast<uint64_t>(lines) + 1);
    check_offsets(begin, lines, base, nnz);
    int* const to = access.write(places, static_cast<uint64_t>(nnz));
    int* const with = p == nullptr ? nullptr : access.write(p, static_cast<uint64_t>(nnz));
    for (int i = 0; i < lines; ++i) {
      const auto order = order_of(to, begin[i] - base, begin[i + 1] - base);
      permute(to, order, begin[i] - base);
      if (with != nullptr) permute(with, order, begin[i] - base);
    }
  });
}

}  // namespace

void cusparseXcoosort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz, const int*, const int*,
                                    size_t* pBufferSizeInBytes) {
  use(handle);
  check_sizes(m, n, nnz);
  tell_workspace(pBufferSizeInBytes);
}
void cusparseXcoosortByRow(cusparseHandle_t handle, int m, int n, int nnz, int* cooRowsA, int* cooColsA,
                           int* P, void*) {
  sort_coordinates(handle, "coosortByRow", m, n, nnz, cooRowsA, cooColsA, P, true);
}
void cusparseXcoosortByColumn(cusparseHandle_t handle, int m, int n, int nnz, int* cooRowsA, int* cooColsA,
                              int* P, void*) {
  sort_coordinates(handle, "coosortByColumn", m, n, nnz, cooRowsA, cooColsA, P, false);
}
void cusparseXcsrsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz, const int*, const int*,
                                    size_t* pBufferSizeInBytes) {
  use(handle);
  check_sizes(m, n, nnz);
  tell_workspace(pBufferSizeInBytes);
}
void cusparseXcsrsort(cusparseHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descrA,
                      const int* csrRowPtrA, int* csrColIndA, int* P, void*) {
  sort_lines(handle, "csrsort", m, n, nnz, descrA, csrRowPtrA, csrColIndA, P);
}
void cusparseXcscsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz, const int*, const int*,
                                    size_t* pBufferSizeInBytes) {
  use(handle);
  check_sizes(m, n, nnz);
  tell_workspace(pBufferSizeInBytes);
}
void cusparseXcscsort(cusparseHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descrA,
                      const int* cscColPtrA, int* cscRowIndA, int* P, void*) {
  sort_lines(handle, "cscsort", n, m, nnz, descrA, cscColPtrA, cscRowIndA, P);
}

// Sorted and, later, as it was; the object keeps the order between.
template <class T>
void csru2csr_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz, T*, const int*, int*,
                            csru2csrInfo_t info, size_t* pBufferSizeInBytes) {
  use(handle);
  check_sizes(m, n, nnz);
  object<Unsorted>(info);
  tell_workspace(pBufferSizeInBytes);
}
template <class T>
void csru2csr(cusparseHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descrA, T* csrVal,
              const int* csrRowPtr, int* csrColInd, csru2csrInfo_t info, void* pBuffer) {
  using N = native_of<T>;
  const Call call(handle);
  check_sizes(m, n, nnz);
  general(descrA);
  if (pBuffer == nullptr) libs::refuse_null("pBuffer");
  const int base = base_of(descrA);
  call.submit("csru2csr", [=, kept = object<Unsorted>(info)](Access& access) {
    auto order = std::make_shared<std::vector<int>>(static_cast<std::size_t>(nnz));
    std::iota(order->begin(), order->end(), 0);
    if (m > 0) {
      const int* const begin = access.read(csrRowPtr, static_cast<uint64_t>(m) + 1);
      check_offsets(begin, m, base, nnz);
      int* const places = access.write(csrColInd, static_cast<uint64_t>(nnz));
      for (int i = 0; i < m; ++i) {
        const auto line = order_of(places, begin[i] - base, begin[i + 1] - base);
        permute(places, line, begin[i] - base);
        permute(order->data(), line, begin[i] - base);
      }
    }
    if (csrVal != nullptr) {
      N* const values = access.write(native(csrVal), static_cast<uint64_t>(nnz));
      const std::vector<N> old(values, values + nnz);
      for (std::size_t p = 0; p < order->size(); ++p) values[p] = old[static_cast<std::size_t>((*order)[p])];
    }
    const std::lock_guard lock(kept->mutex);
    kept->places = std::move(order);
  });
}
template <class T>
void csr2csru(cusparseHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descrA, T* csrVal,
              const int*, int* csrColInd, csru2csrInfo_t info, void*) {
  using N = native_of<T>;
  const Call call(handle);
  check_sizes(m, n, nnz);
  general(descrA);
  call.submit("csr2csru", [=, kept = object<Unsorted>(info)](Access& access) {
    std::shared_ptr<std::vector<int>> order;
    {
      const std::lock_guard lock(kept->mutex);
      order = kept->places;
    }
    if (order->size() != static_cast<std::size_t>(nnz))
      refuse(Why::execution_failed, "the matrix was not sorted with this object");
    int* const places = access.write(csrColInd, static_cast<uint64_t>(nnz));
    const std::vector<int> old(places, places + nnz);
    for (std::size_t p = 0; p < order->size(); ++p) places[(*order)[p]] = old[p];
    if (csrVal == nullptr) return;
    N* const values = access.write(native(csrVal), static_cast<uint64_t>(nnz));
    const std::vector<N> sorted(values, values + nnz);
    for (std::size_t p = 0; p < order->size(); ++p) values[(*order)[p]] = sorted[p];
  });
}

}  // namespace heddle::cusparse

#include "libs/cusparse/conversions.gen.h"
