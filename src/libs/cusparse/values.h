// Elements and indices of types that are known at run time only, as the arithmetic has them: those of its own
// type stay where they are, others become a copy.
#pragma once

#include <library_types.h>

#include <complex>
#include <cstdint>
#include <vector>

#include "libs/cusparse/descriptors.h"
#include "libs/cusparse/handle.h"

namespace heddle::cusparse {

std::size_t bytes_of(cudaDataType type);  // 0: no type of elements here
bool is_complex(cudaDataType type);
std::size_t bytes_of(cusparseIndexType_t type);

// `body.template operator()<N>()` for what a type is summed in: halves in float.
template <class Body>
decltype(auto) with_sums(cudaDataType type, const Body& body) {
  switch (type) {
    case CUDA_R_32I: return body.template operator()<int32_t>();
    case CUDA_R_64F: return body.template operator()<double>();
    case CUDA_C_32F:
    case CUDA_C_16F:
    case CUDA_C_16BF: return body.template operator()<std::complex<float>>();
    case CUDA_C_64F: return body.template operator()<std::complex<double>>();
    case CUDA_R_32F:
    case CUDA_R_16F:
    case CUDA_R_16BF: return body.template operator()<float>();
    default: refuse(Why::not_supported, "no type that can be computed in");
  }
}
// Where nothing is summed (copies, conversions): by size alone.
template <class Body>
decltype(auto) with_bytes(std::size_t bytes, const Body& body) {
  switch (bytes) {
    case 1: return body.template operator()<uint8_t>();
    case 2: return body.template operator()<uint16_t>();
    case 4: return body.template operator()<uint32_t>();
    case 8: return body.template operator()<uint64_t>();
    default: return body.template operator()<std::complex<double>>();
  }
}
template <class Body>
decltype(auto) with_index(cusparseIndexType_t type, const Body& body) {
  return type == CUSPARSE_INDEX_64I ? body.template operator()<int64_t>()
                                    : body.template operator()<int32_t>();
}

template <class N>
constexpr cudaDataType type_of();
template <>
constexpr cudaDataType type_of<int32_t>() {
  return CUDA_R_32I;
}
template <>
constexpr cudaDataType type_of<float>() {
  return CUDA_R_32F;
}
template <>
constexpr cudaDataType type_of<double>() {
  return CUDA_R_64F;
}
template <>
constexpr cudaDataType type_of<std::complex<float>>() {
  return CUDA_C_32F;
}
template <>
constexpr cudaDataType type_of<std::complex<double>>() {
  return CUDA_C_64F;
}

template <class N>
void widen(cudaDataType type, const void* from, N* to, int64_t count);
template <class N>
void narrow(cudaDataType type, const N* from, void* to, int64_t count);

inline const void* moved(const void* pointer, int64_t elements, std::size_t bytes) {
  return static_cast<const char*>(pointer) + elements * static_cast<int64_t>(bytes);
}
inline void* moved(void* pointer, int64_t elements, std::size_t bytes) {
  return static_cast<char*>(pointer) + elements * static_cast<int64_t>(bytes);
}

// Elements that are read.
template <class N>
class Values {
 public:
  Values(Access& access, const void* from, int64_t count, cudaDataType type) {
    access.read_bytes(from, static_cast<uint64_t>(count), bytes_of(type));
    if (type == type_of<N>()) {
      data_ = static_cast<const N*>(from);
      return;
    }
    copy_.resize(static_cast<std::size_t>(count));
    widen(type, from, copy_.data(), count);
    data_ = copy_.data();
  }
  const N* data() const { return data_; }

 private:
  std::vector<N> copy_;
  const N* data_ = nullptr;
};

// Elements that are changed: as they were, and after `store` as they are.
template <class N>
class Results {
 public:
  Results(Access& access, void* to, int64_t count, cudaDataType type) : to_(to), count_(count), type_(type) {
    access.write_bytes(to, static_cast<uint64_t>(count), bytes_of(type));
    if (type == type_of<N>()) {
      data_ = static_cast<N*>(to);
      return;
    }
    copy_.resize(static_cast<std::size_t>(count));
    widen(type, to, copy_.data(), count);
    data_ = copy_.data();
  }
  N* data() { return data_; }
  void store() {
    if (data_ != to_) narrow(type_, data_, to_, count_);
  }

 private:
  std::vector<N> copy_;
  N* data_ = nullptr;
  void* const to_;
  const int64_t count_;
  const cudaDataType type_;
};

template <class I>
class Indices {
 public:
  Indices(Access& access, const void* from, int64_t count, cusparseIndexType_t type) {
    access.read_bytes(from, static_cast<uint64_t>(count), bytes_of(type));
    if (bytes_of(type) == sizeof(I)) {
      data_ = static_cast<const I*>(from);
      return;
    }
    copy_.resize(static_cast<std::size_t>(count));
    for (int64_t i = 0; i < count; ++i)
      copy_[static_cast<std::size_t>(i)] =
          type == CUSPARSE_INDEX_16U   ? static_cast<I>(static_cast<const uint16_t*>(from)[i])
          : type == CUSPARSE_INDEX_32I ? static_cast<I>(static_cast<const int32_t*>(from)[i])
                                       : static_cast<I>(static_cast<const int64_t*>(from)[i]);
    data_ = copy_.data();
  }
  const I* data() const { return data_; }

 private:
  std::vector<I> copy_;
  const I* data_ = nullptr;
};
// One index of any type, to memory.
void store_index(void* to, int64_t place, cusparseIndexType_t type, int64_t value);

// ---- numbers
template <class N>
N conjugate(const N& value) {
  if constexpr (requires { value.imag(); })
    return std::conj(value);
  else
    return value;
}
// A product without the care for infinities that std::complex takes.
template <class N>
N times(const N& a, const N& b) {
  if constexpr (requires { a.imag(); })
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  else
    return a * b;
}

}  // namespace heddle::cusparse
