// Some of the eigenvalues or singular values: all are found, and those that were asked for are given.
#include <algorithm>

#include "libs/cusolver/functions.gen.h"
#include "libs/cusolver/generic.h"
#include "libs/cusolver/spectral.h"

namespace heddle::cusolver {
namespace {

using cublas::letter;
using spectral::kind_of;

// All; those in (low, high]; those from place `first` to `last`, counted from 1.
template <class R>
struct Range {
  cusolverEigRange_t kind;
  R low, high;
  int64_t first, last;

  void check(int64_t n) const {
    require(kind == CUSOLVER_EIG_RANGE_ALL || kind == CUSOLVER_EIG_RANGE_I || kind == CUSOLVER_EIG_RANGE_V,
            "no such range");
    require(kind != CUSOLVER_EIG_RANGE_V || low < high, "vl is not less than vu");
    require(kind != CUSOLVER_EIG_RANGE_I || n == 0 || (first >= 1 && first <= last && last <= n),
            "il and iu are not 1 <= il <= iu <= n");
  }
  // Of rising values: where the chosen ones begin and end.
  std::pair<int64_t, int64_t> of(const std::vector<R>& w) const {
    const auto count = static_cast<int64_t>(w.size());
    if (kind == CUSOLVER_EIG_RANGE_I && count > 0) return {first - 1, last};
    if (kind != CUSOLVER_EIG_RANGE_V) return {0, count};
    return {std::ranges::upper_bound(w, low) - w.begin(), std::ranges::upper_bound(w, high) - w.begin()};
  }
};

// What is asked, without types of the interface: kind 0 is A x = w x, else a general problem with B.
template <class N>
struct Problem {
  int kind;
  char job, half;
  int n;
  N* a;
  int64_t lda;
  N* b;
  int64_t ldb;
  Real<N>* w;
  int* info;
};
// How many there are.
template <class N>
int64_t solve(Access& access, const Problem<N>& of, const Range<Real<N>>& range) {
  using R = Real<N>;
  access.write(of.a, of.n, of.n, of.lda);
  if (of.kind != 0) access.write(of.b, of.n, of.n, of.ldb);
  access.write(of.w, static_cast<uint64_t>(of.n));
  int state = 0;
  int64_t count = 0;
  if (of.n > 0) {
    Matrix<N> a(of.a, of.n, of.n, of.lda),
        b(of.kind != 0 ? of.b : nullptr, of.n, of.kind != 0 ? of.n : 0, of.ldb);
    std::vector<R> w(static_cast<std::size_t>(of.n));
    state = of.kind == 0 ? eigenvalues<N>(of.job, of.half, of.n, a.data(), a.ld(), w.data())
                         : general_eigenvalues<N>(of.kind, of.job, of.half, of.n, a.data(), a.ld(), b.data(),
                                                  b.ld(), w.data());
    if (of.kind != 0) b.put_back(of.b, of.ldb);
    if (state == 0) {
      const auto [from, to] = range.of(w);
      count = to - from;
      std::copy(w.begin() + from, w.begin() + to, of.w);
      if (of.job == 'V')
        for (int64_t j = 0; j < count; ++j)
          std::copy_n(a.data() + (from + j) * a.ld(), of.n, of.a + j * of.lda);
    }
  }
  *access.write(of.info, 1) = state;
  return count;
}

// ---- the typed interface

template <class T>
void check(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, int lda,
           const Range<real_of<T>>& range) {
  use(handle);
  job_of(jobz);
  letter(uplo);
  size(n, "n is negative");
  cublas::leading(lda, n, "lda is less than n");
  range.check(n);
}
template <class T>
void some(cusolverDnHandle_t handle, const char* name, int kind, cusolverEigMode_t jobz,
          cublasFillMode_t uplo, int n, T* A, int lda, T* B, int ldb, const Range<real_of<T>>& range,
          int* meig, real_of<T>* W, int lwork, int* info) {
  const Call call(handle);
  check<T>(handle, jobz, uplo, n, lda, range);
  if (kind != 0) cublas::leading(ldb, n, "ldb is less than n");
  require(lwork >= spectral::room(n, n), "the workspace is less than bufferSize says");
  if (meig == nullptr) libs::refuse_null("meig");
  const Problem<native_of<T>> problem{kind, job_of(jobz), letter(uplo), n, native(A),
                                      lda,  native(B),    ldb,          W, info};
  int64_t count = 0;  // the host's: the call waits
  call.submit_and_wait(name, [=, &count](Access& access) { count = solve(access, problem, range); });
  *meig = static_cast<int>(count);
}

}  // namespace

// Of real matrices syevdx and sygvdx, of complex ones heevdx and hegvdx.
#define HEDDLE_SOME(evdx, gvdx)                                                                             \
  template <class T>                                                                                        \
  void evdx##_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cusolverEigRange_t range,       \
                         cublasFillMode_t uplo, int n, const T*, int lda, real_of<T> vl, real_of<T> vu,     \
                         int il, int iu, int*, const real_of<T>*, int* lwork) {                             \
    check<T>(handle, jobz, uplo, n, lda, {range, vl, vu, il, iu});                                          \
    *lwork = spectral::room(n, n);                                                                          \
  }                                                                                                         \
  template <class T>                                                                                        \
  void evdx(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cusolverEigRange_t range,                    \
            cublasFillMode_t uplo, int n, T* A, int lda, real_of<T> vl, real_of<T> vu, int il, int iu,      \
            int* meig, real_of<T>* W, T*, int lwork, int* info) {                                           \
    some<T>(handle, #evdx, 0, jobz, uplo, n, A, lda, nullptr, 0, {range, vl, vu, il, iu}, meig, W, lwork,   \
            info);                                                                                          \
  }                                                                                                         \
  template <class T>                                                                                        \
  void gvdx##_bufferSize(cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz,        \
                         cusolverEigRange_t range, cublasFillMode_t uplo, int n, const T*, int lda,         \
                         const T*, int ldb, real_of<T> vl, real_of<T> vu, int il, int iu, int*,             \
                         const real_of<T>*, int* lwork) {                                                   \
    check<T>(handle, jobz, uplo, n, lda, {range, vl, vu, il, iu});                                          \
    kind_of(itype);                                                                                         \
    cublas::leading(ldb, n, "ldb is less than n");                                                          \
    *lwork = spectral::room(n, n);                                                                          \
  }                                                                                                         \
  template <class T>                                                                                        \
  void gvdx(cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz,                     \
            cusolverEigRange_t range, cublasFillMode_t uplo, int n, T* A, int lda, T* B, int ldb,           \
            real_of<T> vl, real_of<T> vu, int il, int iu, int* meig, real_of<T>* W, T*, int lwork,          \
            int* info) {                                                                                    \
    use(handle);                                                                                            \
    some<T>(handle, #gvdx, kind_of(itype), jobz, uplo, n, A, lda, B, ldb, {range, vl, vu, il, iu}, meig, W, \
            lwork, info);                                                                                   \
  }
HEDDLE_SOME(syevdx, sygvdx)
HEDDLE_SOME(heevdx, hegvdx)

// ---- the 64-bit interface

namespace {

// vl and vu are the host's, of the values' type.
template <class R>
Range<R> range_of(cusolverEigRange_t kind, const void* vl, const void* vu, int64_t il, int64_t iu) {
  if (kind == CUSOLVER_EIG_RANGE_V && (vl == nullptr || vu == nullptr)) libs::refuse_null("vl or vu");
  const bool values = kind == CUSOLVER_EIG_RANGE_V;
  return {kind, values ? *static_cast<const R*>(vl) : R(0), values ? *static_cast<const R*>(vu) : R(0), il,
          iu};
}
void check_some(cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n, cudaDataType a, int64_t lda,
                cudaDataType w, cudaDataType compute) {
  using namespace generic;
  job_of(jobz), letter(uplo), narrow(n, "n is negative");
  generic::leading(lda, n, "lda is less than n");
  same(a, compute), same(w, real_type(a));
}

}  // namespace

void cusolverDnXsyevdx_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cusolverEigMode_t jobz, cusolverEigRange_t range, cublasFillMode_t uplo,
                                  int64_t n, cudaDataType dataTypeA, const void*, int64_t lda, void* vl,
                                  void* vu, int64_t il, int64_t iu, int64_t*, cudaDataType dataTypeW,
                                  const void*, cudaDataType computeType, size_t* workspaceInBytesOnDevice,
                                  size_t* workspaceInBytesOnHost) {
  generic::begin(handle, params);
  check_some(jobz, uplo, n, dataTypeA, lda, dataTypeW, computeType);
  generic::with_type(dataTypeA, [&]<class N>() { range_of<Real<N>>(range, vl, vu, il, iu).check(n); });
  generic::tell_room(n, n, workspaceInBytesOnDevice, workspaceInBytesOnHost);
}
void cusolverDnXsyevdx(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz,
                       cusolverEigRange_t range, cublasFillMode_t uplo, int64_t n, cudaDataType dataTypeA,
                       void* A, int64_t lda, void* vl, void* vu, int64_t il, int64_t iu, int64_t* meig64,
                       cudaDataType dataTypeW, void* W, cudaDataType computeType, void*,
                       size_t workspaceInBytesOnDevice, void*, size_t, int* info) {
  generic::begin(handle, params);
  const Call call(handle);
  check_some(jobz, uplo, n, dataTypeA, lda, dataTypeW, computeType);
  generic::check_room(workspaceInBytesOnDevice, n, n);
  if (meig64 == nullptr) libs::refuse_null("meig64");
  generic::with_type(dataTypeA, [&]<class N>() {
    const Range<Real<N>> chosen = range_of<Real<N>>(range, vl, vu, il, iu);
    chosen.check(n);
    const Problem<N> problem{0,
                             job_of(jobz),
                             letter(uplo),
                             static_cast<int>(n),
                             static_cast<N*>(A),
                             lda,
                             nullptr,
                             0,
                             static_cast<Real<N>*>(W),
                             info};
    int64_t count = 0;
    call.submit_and_wait("Xsyevdx", [=, &count](Access& access) { count = solve(access, problem, chosen); });
    *meig64 = count;
  });
}

// The k largest singular values, by random projections on a device; here they are exact, and p and niters
// change nothing.
namespace {

void check_largest(signed char jobu, signed char jobv, int64_t m, int64_t n, int64_t k, int64_t p,
                   int64_t niters, cudaDataType a, int64_t lda, cudaDataType s, cudaDataType u, int64_t ldu,
                   cudaDataType v, int64_t ldv, cudaDataType compute) {
  using namespace generic;
  require((jobu == 'S' || jobu == 'N') && (jobv == 'S' || jobv == 'N'), "jobu or jobv is none of S, N");
  narrow(m, "m is negative"), narrow(n, "n is negative");
  generic::leading(lda, m, "lda is less than m");
  require(k >= 0 && p >= 0 && k <= std::min(m, n) && p <= std::min(m, n) - k,
          "k + p is not within 0 and the lesser of m and n");
  require(niters >= 0, "niters is negative");
  same(a, compute), same(s, real_type(a));
  if (jobu == 'S') same(a, u), generic::leading(ldu, m, "ldUrand is less than m");
  if (jobv == 'S') same(a, v), generic::leading(ldv, n, "ldVrand is less than n");
}

}  // namespace

void cusolverDnXgesvdr_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu,
                                  signed char jobv, int64_t m, int64_t n, int64_t k, int64_t p,
                                  int64_t niters, cudaDataType dataTypeA, const void*, int64_t lda,
                                  cudaDataType dataTypeSrand, const void*, cudaDataType dataTypeUrand,
                                  const void*, int64_t ldUrand, cudaDataType dataTypeVrand, const void*,
                                  int64_t ldVrand, cudaDataType computeType, size_t* workspaceInBytesOnDevice,
                                  size_t* workspaceInBytesOnHost) {
  generic::begin(handle, params);
  check_largest(jobu, jobv, m, n, k, p, niters, dataTypeA, lda, dataTypeSrand, dataTypeUrand, ldUrand,
                dataTypeVrand, ldVrand, computeType);
  generic::tell_room(m, n, workspaceInBytesOnDevice, workspaceInBytesOnHost);
}
void cusolverDnXgesvdr(cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu,
                       signed char jobv, int64_t m, int64_t n, int64_t k, int64_t p, int64_t niters,
                       cudaDataType dataTypeA, void* A, int64_t lda, cudaDataType dataTypeSrand, void* Srand,
                       cudaDataType dataTypeUrand, void* Urand, int64_t ldUrand, cudaDataType dataTypeVrand,
                       void* Vrand, int64_t ldVrand, cudaDataType computeType, void*,
                       size_t workspaceInBytesOnDevice, void*, size_t, int* d_info) {
  generic::begin(handle, params);
  const Call call(handle);
  check_largest(jobu, jobv, m, n, k, p, niters, dataTypeA, lda, dataTypeSrand, dataTypeUrand, ldUrand,
                dataTypeVrand, ldVrand, computeType);
  generic::check_room(workspaceInBytesOnDevice, m, n);
  const int rows = static_cast<int>(m), columns = static_cast<int>(n), least = std::min(rows, columns);
  const bool with_u = jobu == 'S', with_v = jobv == 'S';
  generic::with_type(dataTypeA, [&]<class N>() {
    call.submit("Xgesvdr", [=](Access& access) {
      using R = Real<N>;
      N* const memory = access.write(static_cast<N*>(A), rows, columns, lda);
      R* const values = access.write(static_cast<R*>(Srand), static_cast<uint64_t>(k));
      N* const to_u = with_u ? access.write(static_cast<N*>(Urand), rows, k, ldUrand) : nullptr;
      N* const to_v = with_v ? access.write(static_cast<N*>(Vrand), columns, k, ldVrand) : nullptr;
      int state = 0;
      if (k > 0) {
        Matrix<N> a(memory, rows, columns, lda), u(nullptr, rows, with_u ? least : 0, rows),
            vt(nullptr, with_v ? least : 1, with_v ? columns : 0, columns);
        std::vector<R> s(static_cast<std::size_t>(least));
        state = singular_values<N>(with_u ? 'S' : 'N', with_v ? 'S' : 'N', rows, columns, a.data(), a.ld(),
                                   s.data(), u.data(), u.ld(), vt.data(), vt.ld());
        a.put_back(memory, lda);
        std::copy_n(s.begin(), k, values);
        for (int64_t j = 0; j < k; ++j) {
          if (with_u) std::copy_n(u.data() + j * u.ld(), rows, to_u + j * ldUrand);
          for (int64_t i = 0; with_v && i < columns; ++i) {
            N value = vt.data()[j + i * vt.ld()];
            if constexpr (complex_number<N>) value = std::conj(value);
            to_v[i + j * ldVrand] = value;
          }
        }
      }
      *access.write(d_info, 1) = state;
    });
  });
}

}  // namespace heddle::cusolver

#include "libs/cusolver/spectral_ranges.gen.h"
