// Element types: as the headers of programs call them, and as C++ computes with them.
#pragma once

#include <cuComplex.h>
#include <cuda_fp16.h>

#include <complex>
#include <type_traits>

namespace heddle::libs {

template <class T>
struct Element {
  using Real = T;
  using Native = T;
};
template <>
struct Element<cuComplex> {
  using Real = float;
  using Native = std::complex<float>;
};
template <>
struct Element<cuDoubleComplex> {
  using Real = double;
  using Native = std::complex<double>;
};

template <class T>
using real_of = typename Element<T>::Real;
// std::complex for CUDA's complex numbers, which have the same layout.
template <class T>
using native_of = typename Element<T>::Native;

template <class T>
inline constexpr bool is_complex = !std::is_same_v<T, real_of<T>>;

template <class T>
native_of<T>* native(T* pointer) {
  return reinterpret_cast<native_of<T>*>(pointer);
}
template <class T>
const native_of<T>* native(const T* pointer) {
  return reinterpret_cast<const native_of<T>*>(pointer);
}

}  // namespace heddle::libs
