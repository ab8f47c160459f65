// What functions of the 64-bit interface have in common: types at run time, all of a call's types one; what
// LAPACK counts in int is refused beyond 31 bits.
#pragma once

#include <climits>

#include "libs/cusolver/dense.h"

namespace heddle::cusolver::generic {

using cublas::letter;

template <class Body>
void with_type(cudaDataType type, const Body& body) {
  switch (type) {
    case CUDA_R_32F: return body.template operator()<float>();
    case CUDA_R_64F: return body.template operator()<double>();
    case CUDA_C_32F: return body.template operator()<std::complex<float>>();
    case CUDA_C_64F: return body.template operator()<std::complex<double>>();
    default: refuse(Why::not_supported, "no type of this function");
  }
}
inline cudaDataType real_type(cudaDataType type) {
  return type == CUDA_C_32F ? CUDA_R_32F : type == CUDA_C_64F ? CUDA_R_64F : type;
}
inline void same(cudaDataType one, cudaDataType other) {
  if (one != other) refuse(Why::not_supported, "types that differ");
}
inline int narrow(int64_t size, const char* words) {
  require(size >= 0, words);
  if (size > INT_MAX) refuse(Why::not_supported, "a size of more than 31 bits");
  return static_cast<int>(size);
}
inline int leading(int64_t ld, int64_t rows, const char* words) {
  require(ld >= std::max<int64_t>(rows, 1), words);
  return narrow(ld, words);
}
inline std::size_t room(int64_t m, int64_t n) {
  return static_cast<std::size_t>(std::max<int64_t>(64 * (m + n) * 16, 16));
}
inline void tell_room(int64_t m, int64_t n, std::size_t* device, std::size_t* host) {
  *device = room(m, n);
  *host = 0;
}
inline void check_room(std::size_t given, int64_t m, int64_t n) {
  require(given >= room(m, n), "the workspace is less than bufferSize says");
}
// The algorithms that parameters may choose all mean the same.
inline void begin(const void* handle, const void* parameters) {
  use(handle);
  if (parameters != nullptr) object<Parameters>(parameters);
}

}  // namespace heddle::cusolver::generic
