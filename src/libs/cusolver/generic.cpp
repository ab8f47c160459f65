// The 64-bit interface.
#include "libs/cusolver/generic.h"

#include "libs/cusolver/functions.gen.h"

namespace heddle::cusolver {
using namespace generic;

// ---- Cholesky

void cusolverDnXpotrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasFillMode_t uplo,
                                 int64_t n, cudaDataType dataTypeA, const void*, int64_t lda,
                                 cudaDataType computeType, size_t* workspaceInBytesOnDevice,
                                 size_t* workspaceInBytesOnHost) {
  begin(handle, params);
  letter(uplo), narrow(n, "n is negative"), leading(lda, n, "lda is less than n"),
      same(dataTypeA, computeType);
  tell_room(n, n, workspaceInBytesOnDevice, workspaceInBytesOnHost);
}
void cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasFillMode_t uplo, int64_t n,
                      cudaDataType dataTypeA, void* A, int64_t lda, cudaDataType computeType, void*,
                      size_t workspaceInBytesOnDevice, void*, size_t, int* info) {
  begin(handle, params);
  const Call call(handle);
  const char half = letter(uplo);
  const int order = narrow(n, "n is negative"), ld = leading(lda, n, "lda is less than n");
  same(dataTypeA, computeType), check_room(workspaceInBytesOnDevice, n, n);
  with_type(dataTypeA, [&]<class N>() {
    call.submit("Xpotrf", [=](Access& access) {
      N* const memory = access.write(static_cast<N*>(A), order, order, ld);
      int state = 0;
      if (order > 0) {
        Matrix<N> a(memory, order, order, ld);
        fortran::potrf<N>(half, order, a.data(), a.ld(), &state);
        a.put_back(memory, ld);
      }
      *access.write(info, 1) = state;
    });
  });
}
void cusolverDnXpotrs(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasFillMode_t uplo, int64_t n,
                      int64_t nrhs, cudaDataType dataTypeA, const void* A, int64_t lda,
                      cudaDataType dataTypeB, void* B, int64_t ldb, int* info) {
  begin(handle, params);
  const Call call(handle);
  const char half = letter(uplo);
  const int order = narrow(n, "n is negative"), sides = narrow(nrhs, "nrhs is negative"),
            ld = leading(lda, n, "lda is less than n"), ld_b = leading(ldb, n, "ldb is less than n");
  same(dataTypeA, dataTypeB);
  with_type(dataTypeA, [&]<class N>() {
    call.submit("Xpotrs", [=](Access& access) {
      const N* const factor = access.read(static_cast<const N*>(A), order, order, ld);
      N* const memory = access.write(static_cast<N*>(B), order, sides, ld_b);
      int state = 0;
      if (order > 0 && sides > 0) {
        Matrix<N> a(factor, order, order, ld), b(memory, order, sides, ld_b);
        fortran::potrs<N>(half, order, sides, a.data(), a.ld(), b.data(), b.ld(), &state);
        b.put_back(memory, ld_b);
      }
      *access.write(info, 1) = state;
    });
  });
}

// ---- QR

void cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
                                 cudaDataType dataTypeA, const void*, int64_t lda, cudaDataType dataTypeTau,
                                 const void*, cudaDataType computeType, size_t* workspaceInBytesOnDevice,
                                 size_t* workspaceInBytesOnHost) {
  begin(handle, params);
  narrow(m, "m is negative"), narrow(n, "n is negative"), leading(lda, m, "lda is less than m");
  same(dataTypeA, computeType), same(dataTypeA, dataTypeTau);
  tell_room(m, n, workspaceInBytesOnDevice, workspaceInBytesOnHost);
}
void cusolverDnXgeqrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
                      cudaDataType dataTypeA, void* A, int64_t lda, cudaDataType dataTypeTau, void* tau,
                      cudaDataType computeType, void*, size_t workspaceInBytesOnDevice, void*, size_t,
                      int* info) {
  begin(handle, params);
  const Call call(handle);
  const int rows = narrow(m, "m is negative"), columns = narrow(n, "n is negative"),
            ld = leading(lda, m, "lda is less than m");
  same(dataTypeA, computeType), same(dataTypeA, dataTypeTau), check_room(workspaceInBytesOnDevice, m, n);
  with_type(dataTypeA, [&]<class N>() {
    call.submit("Xgeqrf", [=](Access& access) {
      N* const memory = access.write(static_cast<N*>(A), rows, columns, ld);
      const int least = std::min(rows, columns);
      N* const to = access.write(static_cast<N*>(tau), static_cast<uint64_t>(least));
      int state = 0;
      if (least > 0) {
        Matrix<N> a(memory, rows, columns, ld);
        std::vector<N> factors(static_cast<std::size_t>(least));
        N answer{};
        fortran::geqrf<N>(rows, columns, a.data(), a.ld(), factors.data(), &answer, -1, &state);
        std::vector<N> work(static_cast<std::size_t>(asked(answer)));
        fortran::geqrf<N>(rows, columns, a.data(), a.ld(), factors.data(), work.data(),
                          static_cast<int>(work.size()), &state);
        a.put_back(memory, ld);
        std::copy(factors.begin(), factors.end(), to);
      }
      *access.write(info, 1) = state;
    });
  });
}

// ---- LU

void cusolverDnXgetrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
                                 cudaDataType dataTypeA, const void*, int64_t lda, cudaDataType computeType,
                                 size_t* workspaceInBytesOnDevice, size_t* workspaceInBytesOnHost) {
  begin(handle, params);
  narrow(m, "m is negative"), narrow(n, "n is negative"), leading(lda, m, "lda is less than m");
  same(dataTypeA, computeType);
  tell_room(m, n, workspaceInBytesOnDevice, workspaceInBytesOnHost);
}
void cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
                      cudaDataType dataTypeA, void* A, int64_t lda, int64_t* ipiv, cudaDataType computeType,
                      void*, size_t workspaceInBytesOnDevice, void*, size_t, int* info) {
  begin(handle, params);
  const Call call(handle);
  const int rows = narrow(m, "m is negative"), columns = narrow(n, "n is negative"),
            ld = leading(lda, m, "lda is less than m");
  same(dataTypeA, computeType), check_room(workspaceInBytesOnDevice, m, n);
  with_type(dataTypeA, [&]<class N>() {
    call.submit("Xgetrf", [=](Access& access) {
      N* const memory = access.write(static_cast<N*>(A), rows, columns, ld);
      const int least = std::min(rows, columns);
      if (ipiv != nullptr) access.write(ipiv, static_cast<uint64_t>(least));
      int state = 0;
      if (least > 0) {
        Matrix<N> a(memory, rows, columns, ld);
        std::vector<int> pivots(static_cast<std::size_t>(least));
        if (ipiv == nullptr)
          state = lu_without_pivots(rows, columns, a.data(), a.ld());
        else
          fortran::getrf<N>(rows, columns, a.data(), a.ld(), pivots.data(), &state);
        a.put_back(memory, ld);
        if (ipiv != nullptr) std::copy(pivots.begin(), pivots.end(), ipiv);
      }
      *access.write(info, 1) = state;
    });
  });
}
void cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasOperation_t trans,
                      int64_t n, int64_t nrhs, cudaDataType dataTypeA, const void* A, int64_t lda,
                      const int64_t* ipiv, cudaDataType dataTypeB, void* B, int64_t ldb, int* info) {
  begin(handle, params);
  const Call call(handle);
  const char op = letter(trans);
  const int order = narrow(n, "n is negative"), sides = narrow(nrhs, "nrhs is negative"),
            ld = leading(lda, n, "lda is less than n"), ld_b = leading(ldb, n, "ldb is less than n");
  same(dataTypeA, dataTypeB);
  with_type(dataTypeA, [&]<class N>() {
    call.submit("Xgetrs", [=](Access& access) {
      const N* const factors = access.read(static_cast<const N*>(A), order, order, ld);
      N* const memory = access.write(static_cast<N*>(B), order, sides, ld_b);
      std::vector<int> pivots(static_cast<std::size_t>(order));
      if (ipiv != nullptr) access.read(ipiv, static_cast<uint64_t>(order));
      for (int i = 0; i < order; ++i) {
        const int64_t pivot = ipiv == nullptr ? i + 1 : ipiv[i];
        if (pivot < 1 || pivot > order) refuse(Why::execution_failed, "a pivot is none of 1 to n");
        pivots[static_cast<std::size_t>(i)] = static_cast<int>(pivot);
      }
      int state = 0;
      if (order > 0 && sides > 0) {
        Matrix<N> a(factors, order, order, ld), b(memory, order, sides, ld_b);
        const char real_op = !complex_number<N> && op == 'C' ? 'T' : op;
        fortran::getrs<N>(real_op, order, sides, a.data(), a.ld(), pivots.data(), b.data(), b.ld(), &state);
        b.put_back(memory, ld_b);
      }
      *access.write(info, 1) = state;
    });
  });
}

// ---- eigenvalues

namespace {

void check_eigen(cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n, cudaDataType a, int64_t lda,
                 cudaDataType w, cudaDataType compute) {
  job_of(jobz), letter(uplo), narrow(n, "n is negative"), leading(lda, n, "lda is less than n");
  same(a, compute), same(w, real_type(a));
}
void eigen(const void* handle, const char* name, cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n,
           cudaDataType type, void* A, int64_t lda, void* W, int* info, int64_t batches) {
  const Call call(handle);
  const char job = job_of(jobz), half = letter(uplo);
  const int order = static_cast<int>(n), ld = static_cast<int>(lda);
  with_type(type, [&]<class N>() {
    call.submit(name, [=](Access& access) {
      N* const memory = access.write(static_cast<N*>(A), order, n * batches, ld);
      Real<N>* const values = access.write(static_cast<Real<N>*>(W), static_cast<uint64_t>(n * batches));
      access.write(info, static_cast<uint64_t>(batches));
      for (int64_t b = 0; b < batches; ++b) {
        info[b] = 0;
        if (order == 0) continue;
        N* const one = memory + b * n * lda;
        Matrix<N> a(one, order, order, ld);
        std::vector<Real<N>> w(static_cast<std::size_t>(order));
        info[b] = eigenvalues<N>(job, half, order, a.data(), a.ld(), w.data());
        if (job == 'V') a.put_back(one, ld);
        std::copy(w.begin(), w.end(), values + b * n);
      }
    });
  });
}

}  // namespace

void cusolverDnXsyevd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz,
                                 cublasFillMode_t uplo, int64_t n, cudaDataType dataTypeA, const void*,
                                 int64_t lda, cudaDataType dataTypeW, const void*, cudaDataType computeType,
                                 size_t* workspaceInBytesOnDevice, size_t* workspaceInBytesOnHost) {
  begin(handle, params);
  check_eigen(jobz, uplo, n, dataTypeA, lda, dataTypeW, computeType);
  tell_room(n, n, workspaceInBytesOnDevice, workspaceInBytesOnHost);
}
void cusolverDnXsyevd(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz,
                      cublasFillMode_t uplo, int64_t n, cudaDataType dataTypeA, void* A, int64_t lda,
                      cudaDataType dataTypeW, void* W, cudaDataType computeType, void*,
                      size_t workspaceInBytesOnDevice, void*, size_t, int* info) {
  begin(handle, params);
  check_eigen(jobz, uplo, n, dataTypeA, lda, dataTypeW, computeType);
  check_room(workspaceInBytesOnDevice, n, n);
  eigen(handle, "Xsyevd", jobz, uplo, n, dataTypeA, A, lda, W, info, 1);
}
void cusolverDnXsyevBatched_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                       cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n,
                                       cudaDataType dataTypeA, const void*, int64_t lda,
                                       cudaDataType dataTypeW, const void*, cudaDataType computeType,
                                       size_t* workspaceInBytesOnDevice, size_t* workspaceInBytesOnHost,
                                       int64_t batchSize) {
  begin(handle, params);
  check_eigen(jobz, uplo, n, dataTypeA, lda, dataTypeW, computeType);
  narrow(batchSize, "batchSize is negative");
  tell_room(n, n, workspaceInBytesOnDevice, workspaceInBytesOnHost);
}
void cusolverDnXsyevBatched(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz,
                            cublasFillMode_t uplo, int64_t n, cudaDataType dataTypeA, void* A, int64_t lda,
                            cudaDataType dataTypeW, void* W, cudaDataType computeType, void*,
                            size_t workspaceInBytesOnDevice, void*, size_t, int* info, int64_t batchSize) {
  begin(handle, params);
  check_eigen(jobz, uplo, n, dataTypeA, lda, dataTypeW, computeType);
  narrow(batchSize, "batchSize is negative");
  check_room(workspaceInBytesOnDevice, n, n);
  eigen(handle, "XsyevBatched", jobz, uplo, n, dataTypeA, A, lda, W, info, batchSize);
}

namespace {

// Of a real matrix the eigenvalues may be complex ones, or their real parts and behind those the imaginary
// ones.
void check_geev(cusolverEigMode_t left, cusolverEigMode_t right, int64_t n, cudaDataType a, int64_t lda,
                cudaDataType w, cudaDataType vr, int64_t ldvr, cudaDataType compute) {
  if (job_of(left) != 'N') refuse(Why::not_supported, "left eigenvectors");
  narrow(n, "n is negative"), leading(lda, n, "lda is less than n");
  same(a, compute);
  const bool complex_values = (a == CUDA_R_32F && w == CUDA_C_32F) || (a == CUDA_R_64F && w == CUDA_C_64F);
  if (!complex_values) same(a, w);
  if (job_of(right) == 'V') same(a, vr), leading(ldvr, n, "ldvr is less than n");
}

template <class N>
int general(char job, int n, N* a, int lda, std::complex<Real<N>>* w, N* v, int ldv) {
  using R = Real<N>;
  int state = 0;
  N answer{}, nothing{};
  std::vector<R> real(static_cast<std::size_t>(2 * n + 8)), other(static_cast<std::size_t>(n));
  const auto solve = [&](N* work, int count) {
    if constexpr (complex_number<N>)
      fortran::geev<N>('N', job, n, a, lda, w, &nothing, 1, v, ldv, work, count, real.data(), &state);
    else
      fortran::geev<N>('N', job, n, a, lda, real.data(), other.data(), &nothing, 1, v, ldv, work, count,
                       &state);
  };
  solve(&answer, -1);
  std::vector<N> work(static_cast<std::size_t>(asked(answer)));
  solve(work.data(), static_cast<int>(work.size()));
  if constexpr (!complex_number<N>)
    for (int i = 0; i < n; ++i)
      w[i] = {real[static_cast<std::size_t>(i)], other[static_cast<std::size_t>(i)]};
  return state;
}

}  // namespace

void cusolverDnXgeev_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobvl,
                                cusolverEigMode_t jobvr, int64_t n, cudaDataType dataTypeA, const void*,
                                int64_t lda, cudaDataType dataTypeW, const void*, cudaDataType, const void*,
                                int64_t, cudaDataType dataTypeVR, const void*, int64_t ldvr,
                                cudaDataType computeType, size_t* workspaceInBytesOnDevice,
                                size_t* workspaceInBytesOnHost) {
  begin(handle, params);
  check_geev(jobvl, jobvr, n, dataTypeA, lda, dataTypeW, dataTypeVR, ldvr, computeType);
  tell_room(n, n, workspaceInBytesOnDevice, workspaceInBytesOnHost);
}
void cusolverDnXgeev(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobvl,
                     cusolverEigMode_t jobvr, int64_t n, cudaDataType dataTypeA, void* A, int64_t lda,
                     cudaDataType dataTypeW, void* W, cudaDataType, void*, int64_t, cudaDataType dataTypeVR,
                     void* VR, int64_t ldvr, cudaDataType computeType, void*, size_t workspaceInBytesOnDevice,
                     void*, size_t, int* info) {
  begin(handle, params);
  const Call call(handle);
  check_geev(jobvl, jobvr, n, dataTypeA, lda, dataTypeW, dataTypeVR, ldvr, computeType);
  check_room(workspaceInBytesOnDevice, n, n);
  const char job = job_of(jobvr);
  const int order = static_cast<int>(n), ld = static_cast<int>(lda),
            ld_v = static_cast<int>(std::max<int64_t>(ldvr, 1));
  const bool apart = dataTypeW == CUDA_R_32F || dataTypeW == CUDA_R_64F;
  with_type(dataTypeA, [&]<class N>() {
    call.submit("Xgeev", [=](Access& access) {
      using R = Real<N>;
      N* const memory = access.write(static_cast<N*>(A), order, order, ld);
      R* const values = access.write(static_cast<R*>(W), static_cast<uint64_t>(2 * n));
      N* const vectors = job == 'V' ? access.write(static_cast<N*>(VR), order, order, ld_v) : nullptr;
      int state = 0;
      if (order > 0) {
        Matrix<N> a(memory, order, order, ld), v(nullptr, order, order, order);
        std::vector<std::complex<R>> w(static_cast<std::size_t>(order));
        state = general<N>(job, order, a.data(), a.ld(), w.data(), v.data(), v.ld());
        a.put_back(memory, ld);
        if (job == 'V') v.put_back(vectors, ld_v);
        for (int i = 0; i < order; ++i) {
          const auto& value = w[static_cast<std::size_t>(i)];
          values[apart ? i : 2 * i] = value.real();
          values[apart ? order + i : 2 * i + 1] = value.imag();
        }
      }
      *access.write(info, 1) = state;
    });
  });
}

// ---- singular values

namespace {

void check_svd(signed char job_u, signed char job_v, int64_t m, int64_t n, cudaDataType a, int64_t lda,
               cudaDataType s, cudaDataType u, int64_t ldu, cudaDataType v, int64_t ldvt,
               cudaDataType compute) {
  const auto known = [](signed char job) { return job == 'A' || job == 'S' || job == 'O' || job == 'N'; };
  require(known(job_u) && known(job_v), "jobu or jobvt is none of A, S, O, N");
  require(job_u != 'O' || job_v != 'O', "jobu and jobvt are both O");
  narrow(m, "m is negative"), narrow(n, "n is negative"), leading(lda, m, "lda is less than m");
  require(m >= n, "m is less than n");
  same(a, compute), same(s, real_type(a));
  if (job_u == 'A' || job_u == 'S') same(a, u), leading(ldu, m, "ldu is less than m");
  if (job_v == 'A' || job_v == 'S') same(a, v), leading(ldvt, n, "ldvt is less than n");
}

}  // namespace

void cusolverDnXgesvd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu,
                                 signed char jobvt, int64_t m, int64_t n, cudaDataType dataTypeA, const void*,
                                 int64_t lda, cudaDataType dataTypeS, const void*, cudaDataType dataTypeU,
                                 const void*, int64_t ldu, cudaDataType dataTypeVT, const void*, int64_t ldvt,
                                 cudaDataType computeType, size_t* workspaceInBytesOnDevice,
                                 size_t* workspaceInBytesOnHost) {
  begin(handle, params);
  check_svd(jobu, jobvt, m, n, dataTypeA, lda, dataTypeS, dataTypeU, ldu, dataTypeVT, ldvt, computeType);
  tell_room(m, n, workspaceInBytesOnDevice, workspaceInBytesOnHost);
}
void cusolverDnXgesvd(cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu,
                      signed char jobvt, int64_t m, int64_t n, cudaDataType dataTypeA, void* A, int64_t lda,
                      cudaDataType dataTypeS, void* S, cudaDataType dataTypeU, void* U, int64_t ldu,
                      cudaDataType dataTypeVT, void* VT, int64_t ldvt, cudaDataType computeType, void*,
                      size_t workspaceInBytesOnDevice, void*, size_t, int* info) {
  begin(handle, params);
  const Call call(handle);
  check_svd(jobu, jobvt, m, n, dataTypeA, lda, dataTypeS, dataTypeU, ldu, dataTypeVT, ldvt, computeType);
  check_room(workspaceInBytesOnDevice, m, n);
  const int rows = static_cast<int>(m), columns = static_cast<int>(n), ld = static_cast<int>(lda);
  const int u_columns = jobu == 'A' ? rows : jobu == 'S' ? columns : 0;
  const bool with_v = jobvt == 'A' || jobvt == 'S';
  with_type(dataTypeA, [&]<class N>() {
    call.submit("Xgesvd", [=](Access& access) {
      using R = Real<N>;
      N* const memory = access.write(static_cast<N*>(A), rows, columns, ld);
      R* const values = access.write(static_cast<R*>(S), static_cast<uint64_t>(columns));
      N* const to_u = u_columns > 0 ? access.write(static_cast<N*>(U), rows, u_columns, ldu) : nullptr;
      N* const to_v = with_v ? access.write(static_cast<N*>(VT), columns, columns, ldvt) : nullptr;
      int state = 0;
      if (columns > 0) {
        Matrix<N> a(memory, rows, columns, ld), u(nullptr, rows, u_columns, rows),
            v(nullptr, with_v ? columns : 1, with_v ? columns : 0, columns);
        std::vector<R> s(static_cast<std::size_t>(columns));
        state = singular_values<N>(static_cast<char>(jobu), static_cast<char>(jobvt), rows, columns, a.data(),
                                   a.ld(), s.data(), u.data(), u.ld(), v.data(), v.ld());
        a.put_back(memory, ld);
        if (to_u != nullptr) u.put_back(to_u, ldu);
        if (to_v != nullptr) v.put_back(to_v, ldvt);
        std::copy(s.begin(), s.end(), values);
      }
      *access.write(info, 1) = state;
    });
  });
}

namespace {

void check_polar(cusolverEigMode_t jobz, int64_t m, int64_t n, cudaDataType a, int64_t lda, cudaDataType s,
                 cudaDataType u, int64_t ldu, cudaDataType v, int64_t ldv, cudaDataType compute) {
  narrow(m, "m is negative"), narrow(n, "n is negative"), leading(lda, m, "lda is less than m");
  same(a, compute), same(s, real_type(a));
  if (job_of(jobz) == 'N') return;
  same(a, u), same(a, v);
  leading(ldu, m, "ldu is less than m"), leading(ldv, n, "ldv is less than n");
}

}  // namespace

// By the polar decomposition on a device; V is given by columns, and nothing is perturbed here.
void cusolverDnXgesvdp_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cusolverEigMode_t jobz, int, int64_t m, int64_t n, cudaDataType dataTypeA,
                                  const void*, int64_t lda, cudaDataType dataTypeS, const void*,
                                  cudaDataType dataTypeU, const void*, int64_t ldu, cudaDataType dataTypeV,
                                  const void*, int64_t ldv, cudaDataType computeType,
                                  size_t* workspaceInBytesOnDevice, size_t* workspaceInBytesOnHost) {
  begin(handle, params);
  check_polar(jobz, m, n, dataTypeA, lda, dataTypeS, dataTypeU, ldu, dataTypeV, ldv, computeType);
  tell_room(m, n, workspaceInBytesOnDevice, workspaceInBytesOnHost);
}
void cusolverDnXgesvdp(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz, int econ,
                       int64_t m, int64_t n, cudaDataType dataTypeA, void* A, int64_t lda,
                       cudaDataType dataTypeS, void* S, cudaDataType dataTypeU, void* U, int64_t ldu,
                       cudaDataType dataTypeV, void* V, int64_t ldv, cudaDataType computeType, void*,
                       size_t workspaceInBytesOnDevice, void*, size_t, int* d_info, double* h_err_sigma) {
  begin(handle, params);
  check_polar(jobz, m, n, dataTypeA, lda, dataTypeS, dataTypeU, ldu, dataTypeV, ldv, computeType);
  check_room(workspaceInBytesOnDevice, m, n);
  const Call call(handle);
  const int rows = static_cast<int>(m), columns = static_cast<int>(n), ld = static_cast<int>(lda),
            least = std::min(rows, columns);
  const bool with_vectors = job_of(jobz) == 'V';
  const int u_columns = !with_vectors ? 0
                        : econ != 0   ? least
                                      : rows,
            v_columns = !with_vectors ? 0
                        : econ != 0   ? least
                                      : columns;
  with_type(dataTypeA, [&]<class N>() {
    call.submit("Xgesvdp", [=](Access& access) {
      using R = Real<N>;
      N* const memory = access.write(static_cast<N*>(A), rows, columns, ld);
      R* const values = access.write(static_cast<R*>(S), static_cast<uint64_t>(least));
      if (with_vectors)
        access.write(static_cast<N*>(U), rows, u_columns, ldu),
            access.write(static_cast<N*>(V), columns, v_columns, ldv);
      int state = 0;
      if (least > 0) {
        Matrix<N> a(memory, rows, columns, ld), u(nullptr, rows, u_columns, rows),
            vt(nullptr, with_vectors ? v_columns : 1, with_vectors ? columns : 0, columns);
        std::vector<R> s(static_cast<std::size_t>(least));
        const char job = !with_vectors ? 'N' : econ != 0 ? 'S' : 'A';
        state = singular_values<N>(job, job, rows, columns, a.data(), a.ld(), s.data(), u.data(), u.ld(),
                                   vt.data(), vt.ld());
        a.put_back(memory, ld);
        std::copy(s.begin(), s.end(), values);
        if (with_vectors) {
          u.put_back(static_cast<N*>(U), ldu);
          for (int j = 0; j < v_columns; ++j)
            for (int i = 0; i < columns; ++i) {
              N value = vt.data()[j + int64_t{i} * vt.ld()];
              if constexpr (complex_number<N>) value = std::conj(value);
              static_cast<N*>(V)[i + j * ldv] = value;
            }
        }
      }
      *access.write(d_info, 1) = state;
    });
  });
  if (h_err_sigma != nullptr) *h_err_sigma = 0;
}

}  // namespace heddle::cusolver
