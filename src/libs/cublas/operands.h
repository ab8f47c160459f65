// What the levels ask of scalars and operations.
#pragma once

#include "libs/cublas/blas.h"
#include "libs/cublas/handle.h"

namespace heddle::cublas {

template <class T>
libs::native_of<T> number(const T& value) {
  return *libs::native(&value);
}
template <class T>
bool is_zero(const T& value) {
  return number(value) == libs::native_of<T>(0);
}
// Of real matrices, the conjugate transpose is the transpose.
template <class T>
char op_of(cublasOperation_t op) {
  const char found = letter(op);
  return !libs::is_complex<T> && found == 'C' ? 'T' : found;
}

}  // namespace heddle::cublas
