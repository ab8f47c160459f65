// Sparse matrices of what is greater than a threshold, given as a number or as the share that goes.
#include <cmath>

#include "libs/cublas/gemm.h"
#include "libs/cusparse/functions.gen.h"
#include "libs/cusparse/kept.h"
#include "libs/cusparse/rows.h"

namespace heddle::cusparse {
namespace {

double magnitude(float value) { return std::abs(static_cast<double>(value)); }
double magnitude(double value) { return std::abs(value); }
double magnitude(const __half& value) {
  float number = 0;
  cublas::to_float(CUDA_R_16F, &value, &number, 1);
  return magnitude(number);
}

// Elements of a matrix, row by row: over(access, visit(row, column, value)).
template <class T>
struct DenseSource {
  int m, n;
  const T* a;
  int64_t ld;
  int64_t count(Access&) const { return int64_t{m} * n; }
  template <class Visit>
  void over(Access& access, const Visit& visit) const {
    access.read(a, m, n, ld);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) visit(i, j, a[i + j * ld]);
  }
};
template <class T>
struct SparseSource {
  int m, n, nnz;
  const T* values;
  const int* offsets;
  const int* places;
  int base;
  int64_t count(Access&) const { return nnz; }
  template <class Visit>
  void over(Access& access, const Visit& visit) const {
    const Pattern pattern(access, m, n, offsets, places, base);
    const auto& rows = pattern.rows();
    access.read(values, static_cast<uint64_t>(rows.count()));
    for (int i = 0; i < m; ++i)
      for (int64_t p = rows.begin(i); p < rows.end(i); ++p)
        visit(i, static_cast<int>(rows.column(p)), values[p]);
  }
};

template <class Source>
int count(Access& access, const Source& from, double threshold, int* offsets, int base) {
  access.write(offsets, static_cast<uint64_t>(from.m) + 1);
  std::fill_n(offsets, from.m + 1, 0);
  from.over(access, [&](int i, int, const auto& value) {
    if (magnitude(value) > threshold) ++offsets[i + 1];
  });
  for (int i = 0; i < from.m; ++i) offsets[i + 1] += offsets[i];
  const int total = offsets[from.m];
  for (int i = 0; i <= from.m; ++i) offsets[i] += base;
  return total;
}
template <class T, class Source>
void fill(Access& access, const Source& from, double threshold, T* values, const int* offsets, int* places,
          int base) {
  const int64_t total = count_of(access, offsets, from.m, base);
  access.write(values, static_cast<uint64_t>(total));
  access.write(places, static_cast<uint64_t>(total));
  int64_t next = 0;
  from.over(access, [&](int, int j, const T& value) {
    if (!(magnitude(value) > threshold)) return;
    if (next >= total) refuse(Why::execution_failed, "the matrix has more elements than were counted");
    places[next] = j + base;
    values[next++] = value;
  });
}
// The magnitude at the place of all in order up to which the share reaches, as the guide has it.
template <class Source>
double threshold_of(Access& access, const Source& from, float percentage) {
  std::vector<double> all;
  from.over(access, [&](int, int, const auto& value) { all.push_back(magnitude(value)); });
  if (all.empty()) return 0;
  const auto last = static_cast<int64_t>(all.size()) - 1;
  const auto place =
      std::clamp<int64_t>(static_cast<int64_t>(std::ceil(static_cast<double>(all.size()) *
                                                         (static_cast<double>(percentage) / 100))) -
                              1,
                          0, last);
  std::nth_element(all.begin(), all.begin() + place, all.end());
  return all[static_cast<std::size_t>(place)];
}

template <class T>
DenseSource<T> dense_source(int m, int n, const T* a, int lda, const void* descr_c) {
  size(m, "m is negative");
  size(n, "n is negative");
  require(lda >= std::max(m, 1), "lda is less than m");
  general(descr_c);
  return {m, n, a, lda};
}
template <class T>
SparseSource<T> sparse_source(int m, int n, int nnz, const void* descr_a, const T* values, const int* offsets,
                              const int* places, const void* descr_c) {
  size(m, "m is negative");
  size(n, "n is negative");
  size(nnz, "nnzA is negative");
  general(descr_a), general(descr_c);
  return {m, n, nnz, values, offsets, places, base_of(descr_a)};
}

template <class Source, class T>
void count_by(const Call& call, const Source& from, const T* threshold, const void* descr_c, int* offsets,
              int* total) {
  if (threshold == nullptr) libs::refuse_null("threshold");
  const libs::Scalar<T> bound(threshold, call.device_scalars());
  const int base = base_of(descr_c);
  call.give("pruneNnz", total,
            [=](Access& access) { return count(access, from, magnitude(bound.get(access)), offsets, base); });
}
template <class Source, class T>
void fill_by(const Call& call, const Source& from, const T* threshold, const void* descr_c, T* values,
             const int* offsets, int* places) {
  if (threshold == nullptr) libs::refuse_null("threshold");
  const libs::Scalar<T> bound(threshold, call.device_scalars());
  const int base = base_of(descr_c);
  call.submit("prune", [=](Access& access) {
    fill(access, from, magnitude(bound.get(access)), values, offsets, places, base);
  });
}
void check_share(float percentage) {
  require(percentage >= 0 && percentage <= 100, "percentage is not between 0 and 100");
}
template <class Source>
void count_share(const Call& call, const Source& from, float percentage, const void* descr_c, int* offsets,
                 int* total, const void* info) {
  check_share(percentage);
  const int base = base_of(descr_c);
  call.give("pruneNnzByPercentage", total, [=, kept = object<Threshold>(info)->value](Access& access) {
    *kept = threshold_of(access, from, percentage);
    return count(access, from, *kept, offsets, base);
  });
}
template <class Source, class T>
void fill_share(const Call& call, const Source& from, float percentage, const void* descr_c, T* values,
                const int* offsets, int* places, const void* info) {
  check_share(percentage);
  const int base = base_of(descr_c);
  call.submit("pruneByPercentage", [=, kept = object<Threshold>(info)->value](Access& access) {
    fill(access, from, *kept, values, offsets, places, base);
  });
}

}  // namespace

template <class T>
void pruneDense2csr_bufferSizeExt(cusparseHandle_t handle, int m, int n, const T* A, int lda, const T*,
                                  const cusparseMatDescr_t descrC, const T*, const int*, const int*,
                                  size_t* pBufferSizeInBytes) {
  use(handle);
  dense_source(m, n, A, lda, descrC);
  tell_workspace(pBufferSizeInBytes);
}
template <class T>
void pruneDense2csrNnz(cusparseHandle_t handle, int m, int n, const T* A, int lda, const T* threshold,
                       const cusparseMatDescr_t descrC, int* csrRowPtrC, int* nnzTotalDevHostPtr, void*) {
  const Call call(handle);
  count_by(call, dense_source(m, n, A, lda, descrC), threshold, descrC, csrRowPtrC, nnzTotalDevHostPtr);
}
template <class T>
void pruneDense2csr(cusparseHandle_t handle, int m, int n, const T* A, int lda, const T* threshold,
                    const cusparseMatDescr_t descrC, T* csrSortedValC, const int* csrSortedRowPtrC,
                    int* csrSortedColIndC, void*) {
  const Call call(handle);
  fill_by(call, dense_source(m, n, A, lda, descrC), threshold, descrC, csrSortedValC, csrSortedRowPtrC,
          csrSortedColIndC);
}
template <class T>
void pruneCsr2csr_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnzA,
                                const cusparseMatDescr_t descrA, const T* csrSortedValA,
                                const int* csrSortedRowPtrA, const int* csrSortedColIndA, const T*,
                                const cusparseMatDescr_t descrC, const T*, const int*, const int*,
                                size_t* pBufferSizeInBytes) {
  use(handle);
  sparse_source(m, n, nnzA, descrA, csrSortedValA, csrSortedRowPtrA, csrSortedColIndA, descrC);
  tell_workspace(pBufferSizeInBytes);
}
template <class T>
void pruneCsr2csrNnz(cusparseHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA,
                     const T* csrSortedValA, const int* csrSortedRowPtrA, const int* csrSortedColIndA,
                     const T* threshold, const cusparseMatDescr_t descrC, int* csrSortedRowPtrC,
                     int* nnzTotalDevHostPtr, void*) {
  const Call call(handle);
  count_by(call, sparse_source(m, n, nnzA, descrA, csrSortedValA, csrSortedRowPtrA, csrSortedColIndA, descrC),
           threshold, descrC, csrSortedRowPtrC, nnzTotalDevHostPtr);
}
template <class T>
void pruneCsr2csr(cusparseHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA,
                  const T* csrSortedValA, const int* csrSortedRowPtrA, const int* csrSortedColIndA,
                  const T* threshold, const cusparseMatDescr_t descrC, T* csrSortedValC,
                  const int* csrSortedRowPtrC, int* csrSortedColIndC, void*) {
  const Call call(handle);
  fill_by(call, sparse_source(m, n, nnzA, descrA, csrSortedValA, csrSortedRowPtrA, csrSortedColIndA, descrC),
          threshold, descrC, csrSortedValC, csrSortedRowPtrC, csrSortedColIndC);
}
template <class T>
void pruneDense2csrByPercentage_bufferSizeExt(cusparseHandle_t handle, int m, int n, const T* A, int lda,
                                              float percentage, const cusparseMatDescr_t descrC, const T*,
                                              const int*, const int*, pruneInfo_t info,
                                              size_t* pBufferSizeInBytes) {
  use(handle);
  dense_source(m, n, A, lda, descrC), check_share(percentage), object<Threshold>(info);
  tell_workspace(pBufferSizeInBytes);
}
template <class T>
void pruneDense2csrNnzByPercentage(cusparseHandle_t handle, int m, int n, const T* A, int lda,
                                   float percentage, const cusparseMatDescr_t descrC, int* csrRowPtrC,
                                   int* nnzTotalDevHostPtr, pruneInfo_t info, void*) {
  const Call call(handle);
  count_share(call, dense_source(m, n, A, lda, descrC), percentage, descrC, csrRowPtrC, nnzTotalDevHostPtr,
              info);
}
template <class T>
void pruneDense2csrByPercentage(cusparseHandle_t handle, int m, int n, const T* A, int lda, float percentage,
                                const cusparseMatDescr_t descrC, T* csrSortedValC,
                                const int* csrSortedRowPtrC, int* csrSortedColIndC, pruneInfo_t info, void*) {
  const Call call(handle);
  fill_share(call, dense_source(m, n, A, lda, descrC), percentage, descrC, csrSortedValC, csrSortedRowPtrC,
             csrSortedColIndC, info);
}
template <class T>
void pruneCsr2csrByPercentage_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnzA,
                                            const cusparseMatDescr_t descrA, const T* csrSortedValA,
                                            const int* csrSortedRowPtrA, const int* csrSortedColIndA,
                                            float percentage, const cusparseMatDescr_t descrC, const T*,
                                            const int*, const int*, pruneInfo_t info,
                                            size_t* pBufferSizeInBytes) {
  use(handle);
  sparse_source(m, n, nnzA, descrA, csrSortedValA, csrSortedRowPtrA, csrSortedColIndA, descrC);
  check_share(percentage), object<Threshold>(info);
  tell_workspace(pBufferSizeInBytes);
}
template <class T>
void pruneCsr2csrNnzByPercentage(cusparseHandle_t handle, int m, int n, int nnzA,
                                 const cusparseMatDescr_t descrA, const T* csrSortedValA,
                                 const int* csrSortedRowPtrA, const int* csrSortedColIndA, float percentage,
                                 const cusparseMatDescr_t descrC, int* csrSortedRowPtrC,
                                 int* nnzTotalDevHostPtr, pruneInfo_t info, void*) {
  const Call call(handle);
  count_share(call,
              sparse_source(m, n, nnzA, descrA, csrSortedValA, csrSortedRowPtrA, csrSortedColIndA, descrC),
              percentage, descrC, csrSortedRowPtrC, nnzTotalDevHostPtr, info);
}
template <class T>
void pruneCsr2csrByPercentage(cusparseHandle_t handle, int m, int n, int nnzA,
                              const cusparseMatDescr_t descrA, const T* csrSortedValA,
                              const int* csrSortedRowPtrA, const int* csrSortedColIndA, float percentage,
                              const cusparseMatDescr_t descrC, T* csrSortedValC, const int* csrSortedRowPtrC,
                              int* csrSortedColIndC, pruneInfo_t info, void*) {
  const Call call(handle);
  fill_share(call,
             sparse_source(m, n, nnzA, descrA, csrSortedValA, csrSortedRowPtrA, csrSortedColIndA, descrC),
             percentage, descrC, csrSortedValC, csrSortedRowPtrC, csrSortedColIndC, info);
}

}  // namespace heddle::cusparse

#include "libs/cusparse/pruning.gen.h"
