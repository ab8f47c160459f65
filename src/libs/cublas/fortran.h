// BLAS and LAPACK of OpenBLAS, by their Fortran names: everything goes by address, characters have a hidden
// length behind the arguments. gemm<T>('N', 'T', m, n, k, alpha, a, lda, ...) calls sgemm_, dgemm_, cgemm_ or
// zgemm_; numbers are passed by address here, pointers as they are.
#pragma once

#include <climits>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "libs/common/call.h"

namespace heddle::fortran {

using Function = void (*)();

// OpenBLAS's own function, whoever else has one of that name: a program may be linked with another BLAS, or
// have one before it (NVBLAS), and the loader would give us that. Null where OpenBLAS is part of the module.
Function of_openblas(const char* name);
Function bound(const char* name, Function linked);

// OpenBLAS's LAPACK calls its BLAS by the names that programs may have, too. Is this thread in a call of it?
bool inside();
struct Inside {
  Inside();
  ~Inside();
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

template <class T, class What>
constexpr What choose(What s, What d, What c, What z) {
  if constexpr (std::is_same_v<T, float>)
    return s;
  else if constexpr (std::is_same_v<T, double>)
    return d;
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    return c;
  else
    return z;
}

template <class A>
struct Passed {
  using Type = const A*;
  static const A* of(const A& value) { return &value; }
};
template <class A>
struct Passed<A*> {
  using Type = A*;
  static A* of(A* value) { return value; }
};

// More lengths than there are characters do no harm: the caller takes them from the stack again.
template <class... A>
void call(Function function, const A&... arguments) {
  using Typed = void (*)(typename Passed<A>::Type..., std::size_t, std::size_t, std::size_t, std::size_t);
  const Inside now;
  reinterpret_cast<Typed>(function)(Passed<A>::of(arguments)..., 1, 1, 1, 1);
}

#define HEDDLE_FORTRAN_NAMES(name, s, d, c, z) \
  extern "C" void s();                         \
  extern "C" void d();                         \
  extern "C" void c();                         \
  extern "C" void z();                         \
  HEDDLE_FORTRAN_BOUND(name, (choose<T, const char*>(#s, #d, #c, #z)), (choose<T, Function>(&s, &d, &c, &z)))
#define HEDDLE_FORTRAN_BOUND(name, text, linked)          \
  template <class T, class... A>                          \
  void name(const A&... arguments) {                      \
    static const Function function = bound(text, linked); \
    call(function, arguments...);                         \
  }
#define HEDDLE_FORTRAN(name) HEDDLE_FORTRAN_NAMES(name, s##name##_, d##name##_, c##name##_, z##name##_)
// Of real matrices one name, of complex ones another: symmetric and hermitian, orthogonal and unitary.
#define HEDDLE_FORTRAN_PAIR(name, real, complex) \
  HEDDLE_FORTRAN_NAMES(name, s##real##_, d##real##_, c##complex##_, z##complex##_)
#define HEDDLE_FORTRAN_COMPLEX(name)                                                         \
  extern "C" void c##name##_();                                                              \
  extern "C" void z##name##_();                                                              \
  HEDDLE_FORTRAN_BOUND(name, (choose<T, const char*>("", "", "c" #name "_", "z" #name "_")), \
                       (choose<T, Function>(nullptr, nullptr, &c##name##_, &z##name##_)))
#define HEDDLE_FORTRAN_REAL(name)                                                            \
  extern "C" void s##name##_();                                                              \
  extern "C" void d##name##_();                                                              \
  HEDDLE_FORTRAN_BOUND(name, (choose<T, const char*>("s" #name "_", "d" #name "_", "", "")), \
                       (choose<T, Function>(&s##name##_, &d##name##_, nullptr, nullptr)))

// OpenBLAS of Debian counts in int; what has more is refused before it gets here.
inline int size(int64_t value) {
  if (value > INT_MAX || value < INT_MIN)
    libs::refuse(libs::Why::not_supported, "a size of more than 31 bits for one matrix");
  return static_cast<int>(value);
}

}  // namespace heddle::fortran
