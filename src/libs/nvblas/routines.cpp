// The routines that programs call instead of their BLAS's (NVBLAS, "GPU Accelerated Routines"). What is
// wrong with arguments, the host's BLAS says as always (xerbla).
#include <algorithm>
#include <cctype>
#include <cstdio>

#include "libs/cublas/fortran.h"
#include "libs/cublas/functions.gen.h"
#include "libs/nvblas/functions.gen.h"
#include "libs/nvblas/routing.h"

namespace heddle::nvblas {
namespace {

template <class T>
constexpr char letter_of() {
  if constexpr (std::is_same_v<T, float>) return 's';
  if constexpr (std::is_same_v<T, double>) return 'd';
  if constexpr (std::is_same_v<T, cuComplex>) return 'c';
  return 'z';
}

char upper(const char* letter) {
  return static_cast<char>(std::toupper(static_cast<unsigned char>(*letter)));
}
bool one_of(const char* letter, const char* letters) {
  const char c = upper(letter);
  return c != '\0' && std::string_view(letters).find(c) != std::string_view::npos;
}
bool is(const char* letter, char what) { return upper(letter) == what; }

cublasOperation_t operation(const char* letter) {
  if (is(letter, 'N')) return CUBLAS_OP_N;
  return is(letter, 'T') ? CUBLAS_OP_T : CUBLAS_OP_C;
}
cublasFillMode_t fill(const char* letter) {
  return is(letter, 'L') ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
}
cublasSideMode_t side_mode(const char* letter) {
  return is(letter, 'L') ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
}
cublasDiagType_t diagonal(const char* letter) {
  return is(letter, 'U') ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
}
std::size_t whole(const int* number) { return static_cast<std::size_t>(*number); }

bool sizes(std::initializer_list<int> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](int n) { return n >= 0; });
}
bool leads(int ld, int rows) { return ld >= std::max(1, rows); }
double product(int a, int b) { return static_cast<double>(a) * b; }

// "up=L, ta=N, n=3, k=4", as the log has it.
class Words {
 public:
  Words& add(const char* name, const char* letter) { return put(name, std::string(1, *letter)); }
  Words& add(const char* name, const int* number) { return put(name, std::to_string(*number)); }
  operator const std::string&() const { return text_; }

 private:
  Words& put(const char* name, const std::string& value) {
    if (!text_.empty()) text_ += ", ";
    text_ += std::string(name) + "=" + value;
    return *this;
  }
  std::string text_;
};

// Runs on a device what may run there, or gives it to the host's function.
template <class Body, class... A>
void route(Call& call, bool device, const Words& words, const Body& body, const A&... arguments) {
  if (device && call.run(words, body)) return;
  fortran::call(call.host(words), arguments...);
}

// A is a triangle or symmetric and stands beside B (and C), of m by n.
bool beside_good(const char* side, const char* uplo, const int* m, const int* n, const int* lda,
                 const int* ldb) {
  return one_of(side, "LR") && one_of(uplo, "UL") && sizes({*m, *n}) &&
         leads(*lda, is(side, 'L') ? *m : *n) && leads(*ldb, *m);
}

template <class T>
bool rank_good(bool hermitian, const char* uplo, const char* trans, const int* n, const int* k,
               const int* lda, const int* ldc) {
  const char* const letters = hermitian ? "NC" : libs::is_complex<T> ? "NT" : "NTC";
  return one_of(uplo, "UL") && one_of(trans, letters) && sizes({*n, *k}) &&
         leads(*lda, is(trans, 'N') ? *n : *k) && leads(*ldc, *n);
}

template <class T, Routine routine, class Real>
void rank(const char* uplo, const char* trans, const int* n, const int* k, const Real* alpha, const T* a,
          const int* lda, const Real* beta, T* c, const int* ldc) {
  Call call(routine, letter_of<T>());
  const bool good = rank_good<T>(routine == Routine::herk, uplo, trans, n, k, lda, ldc);
  const auto body = [&](cublasXtHandle_t handle) {
    if constexpr (routine == Routine::herk)
      cublas::xt_herk<T>(handle, fill(uplo), operation(trans), whole(n), whole(k), alpha, a, whole(lda), beta,
                         c, whole(ldc));
    else
      cublas::xt_syrk<T>(handle, fill(uplo), operation(trans), whole(n), whole(k), alpha, a, whole(lda), beta,
                         c, whole(ldc));
  };
  route(call, call.on_device(good, product(*n, *k), {a, c}),
        Words().add("up", uplo).add("ta", trans).add("n", n).add("k", k), body, uplo, trans, n, k, alpha, a,
        lda, beta, c, ldc);
}

template <class T, Routine routine, class Real>
void rank_twice(const char* uplo, const char* trans, const int* n, const int* k, const T* alpha, const T* a,
                const int* lda, const T* b, const int* ldb, const Real* beta, T* c, const int* ldc) {
  Call call(routine, letter_of<T>());
  const bool hermitian = routine == Routine::her2k;
  const bool good = rank_good<T>(hermitian, uplo, trans, n, k, lda, ldc) &&
                    rank_good<T>(hermitian, uplo, trans, n, k, ldb, ldc);
  const auto body = [&](cublasXtHandle_t handle) {
    if constexpr (routine == Routine::her2k)
      cublas::xt_her2k<T>(handle, fill(uplo), operation(trans), whole(n), whole(k), alpha, a, whole(lda), b,
                          whole(ldb), beta, c, whole(ldc));
    else
      cublas::xt_syr2k<T>(handle, fill(uplo), operation(trans), whole(n), whole(k), alpha, a, whole(lda), b,
                          whole(ldb), beta, c, whole(ldc));
  };
  route(call, call.on_device(good, product(*n, *k), {a, b, c}),
        Words().add("up", uplo).add("ta", trans).add("n", n).add("k", k), body, uplo, trans, n, k, alpha, a,
        lda, b, ldb, beta, c, ldc);
}

template <class T, Routine routine>
void triangular(const char* side, const char* uplo, const char* transa, const char* diag, const int* m,
                const int* n, const T* alpha, const T* a, const int* lda, T* b, const int* ldb) {
  Call call(routine, letter_of<T>());
  const bool good = beside_good(side, uplo, m, n, lda, ldb) && one_of(transa, "NTC") && one_of(diag, "UN");
  const auto body = [&](cublasXtHandle_t handle) {
    if constexpr (routine == Routine::trsm)
      cublas::xt_trsm<T>(handle, side_mode(side), fill(uplo), operation(transa), diagonal(diag), whole(m),
                         whole(n), alpha, a, whole(lda), b, whole(ldb));
    else
      cublas::xt_trmm<T>(handle, side_mode(side), fill(uplo), operation(transa), diagonal(diag), whole(m),
                         whole(n), alpha, a, whole(lda), b, whole(ldb), b, whole(ldb));
  };
  route(call, call.on_device(good, product(*m, *n), {a, b}),
        Words().add("si", side).add("up", uplo).add("ta", transa).add("di", diag).add("m", m).add("n", n),
        body, side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb);
}

template <class T, Routine routine>
void symmetric(const char* side, const char* uplo, const int* m, const int* n, const T* alpha, const T* a,
               const int* lda, const T* b, const int* ldb, const T* beta, T* c, const int* ldc) {
  Call call(routine, letter_of<T>());
  const bool good = beside_good(side, uplo, m, n, lda, ldb) && leads(*ldc, *m);
  const auto body = [&](cublasXtHandle_t handle) {
    if constexpr (routine == Routine::hemm)
      cublas::xt_hemm<T>(handle, side_mode(side), fill(uplo), whole(m), whole(n), alpha, a, whole(lda), b,
                         whole(ldb), beta, c, whole(ldc));
    else
      cublas::xt_symm<T>(handle, side_mode(side), fill(uplo), whole(m), whole(n), alpha, a, whole(lda), b,
                         whole(ldb), beta, c, whole(ldc));
  };
  route(call, call.on_device(good, product(*m, *n), {a, b, c}),
        Words().add("si", side).add("up", uplo).add("m", m).add("n", n), body, side, uplo, m, n, alpha, a,
        lda, b, ldb, beta, c, ldc);
}

}  // namespace

template <class T>
void gemm(const char* transa, const char* transb, const int* m, const int* n, const int* k, const T* alpha,
          const T* a, const int* lda, const T* b, const int* ldb, const T* beta, T* c, const int* ldc) {
  Call call(Routine::gemm, letter_of<T>());
  const bool good = one_of(transa, "NTC") && one_of(transb, "NTC") && sizes({*m, *n, *k}) &&
                    leads(*lda, is(transa, 'N') ? *m : *k) && leads(*ldb, is(transb, 'N') ? *k : *n) &&
                    leads(*ldc, *m);
  const double elements = *m == 0 || *n == 0 ? 0 : product(*m, *k) + product(*n, *k);
  const auto body = [&](cublasXtHandle_t handle) {
    cublas::xt_gemm<T>(handle, operation(transa), operation(transb), whole(m), whole(n), whole(k), alpha, a,
                       whole(lda), b, whole(ldb), beta, c, whole(ldc));
  };
  route(call, call.on_device(good, elements, {a, b, c}),
        Words().add("ta", transa).add("tb", transb).add("m", m).add("n", n).add("k", k), body, transa, transb,
        m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

template <class T>
void syrk(const char* uplo, const char* trans, const int* n, const int* k, const T* alpha, const T* a,
          const int* lda, const T* beta, T* c, const int* ldc) {
  rank<T, Routine::syrk>(uplo, trans, n, k, alpha, a, lda, beta, c, ldc);
}
template <class T>
void herk(const char* uplo, const char* trans, const int* n, const int* k, const real_of<T>* alpha,
          const T* a, const int* lda, const real_of<T>* beta, T* c, const int* ldc) {
  rank<T, Routine::herk>(uplo, trans, n, k, alpha, a, lda, beta, c, ldc);
}
template <class T>
void syr2k(const char* uplo, const char* trans, const int* n, const int* k, const T* alpha, const T* a,
           const int* lda, const T* b, const int* ldb, const T* beta, T* c, const int* ldc) {
  rank_twice<T, Routine::syr2k>(uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
template <class T>
void her2k(const char* uplo, const char* trans, const int* n, const int* k, const T* alpha, const T* a,
           const int* lda, const T* b, const int* ldb, const real_of<T>* beta, T* c, const int* ldc) {
  rank_twice<T, Routine::her2k>(uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
template <class T>
void trsm(const char* side, const char* uplo, const char* transa, const char* diag, const int* m,
          const int* n, const T* alpha, const T* a, const int* lda, T* b, const int* ldb) {
  triangular<T, Routine::trsm>(side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb);
}
template <class T>
void trmm(const char* side, const char* uplo, const char* transa, const char* diag, const int* m,
          const int* n, const T* alpha, const T* a, const int* lda, T* b, const int* ldb) {
  triangular<T, Routine::trmm>(side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb);
}
template <class T>
void symm(const char* side, const char* uplo, const int* m, const int* n, const T* alpha, const T* a,
          const int* lda, const T* b, const int* ldb, const T* beta, T* c, const int* ldc) {
  symmetric<T, Routine::symm>(side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc);
}
template <class T>
void hemm(const char* side, const char* uplo, const int* m, const int* n, const T* alpha, const T* a,
          const int* lda, const T* b, const int* ldb, const T* beta, T* c, const int* ldc) {
  symmetric<T, Routine::hemm>(side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc);
}

}  // namespace heddle::nvblas

#include "libs/nvblas/routines.gen.h"
