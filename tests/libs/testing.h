// For tests of the libraries as programs use them: device arrays, random numbers, matrices and their
// arithmetic in the plainest way.
#pragma once

#include <cuComplex.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <random>
#include <vector>

namespace heddle::libs_test {

template <class T>
struct Kind {  // T as C++ computes with it, and more precisely
  using Number = T;
  using Real = T;
  using Exact = double;
  static constexpr bool complex = false;
};
template <>
struct Kind<cuComplex> {
  using Number = std::complex<float>;
  using Real = float;
  using Exact = std::complex<double>;
  static constexpr bool complex = true;
};
template <>
struct Kind<cuDoubleComplex> {
  using Number = std::complex<double>;
  using Real = double;
  using Exact = std::complex<double>;
  static constexpr bool complex = true;
};
template <class T>
using Exact = typename Kind<T>::Exact;
template <class T>
using Real = typename Kind<T>::Real;

template <class T>
Exact<T> exact(const T& value) {
  return Exact<T>(*reinterpret_cast<const typename Kind<T>::Number*>(&value));
}
template <class T>
T made(double real, double imaginary = 0) {
  if constexpr (Kind<T>::complex)
    return {static_cast<Real<T>>(real), static_cast<Real<T>>(imaginary)};
  else
    return static_cast<T>(real);
}
inline double conj_of(double x) { return x; }
inline std::complex<double> conj_of(const std::complex<double>& x) { return std::conj(x); }

// How far apart results may be whose terms have sizes of about 1 and number `terms`.
template <class T>
double tolerance(double terms) {
  return 8 * (terms + 4) * std::numeric_limits<Real<T>>::epsilon();
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  int in(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }
  double number() { return std::uniform_real_distribution<double>(-1, 1)(engine_); }
  template <class T>
  T value() {
    const double real = number();
    return made<T>(real, number());
  }
  template <class T>
  std::vector<T> values(std::size_t count) {
    std::vector<T> all(count);
    for (T& one : all) one = value<T>();
    return all;
  }
  template <class Choice>
  Choice of(std::initializer_list<Choice> choices) {
    return *(choices.begin() + in(0, static_cast<int>(choices.size()) - 1));
  }

 private:
  std::mt19937 engine_;
};

// Memory of the device, from and to vectors. It ends where the allocation ends, so that who reads behind it
// faults.
template <class T>
class Device {
 public:
  explicit Device(std::size_t count) : count_(count) {
    const std::size_t bytes = std::max<std::size_t>(count, 1) * sizeof(T),
                      whole = (bytes + 4095) / 4096 * 4096;
    EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&base_), whole), cudaSuccess);
    data_ = reinterpret_cast<T*>(base_ + (whole - bytes));
  }
  explicit Device(const std::vector<T>& from) : Device(from.size()) { set(from); }
  ~Device() { cudaFree(base_); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  operator T*() const { return data_; }
  T* get() const { return data_; }
  void set(const std::vector<T>& from) {
    cudaMemcpy(data_, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
  }
  std::vector<T> read() const {
    std::vector<T> to(count_);
    EXPECT_EQ(cudaMemcpy(to.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost), cudaSuccess);
    return to;
  }

 private:
  char* base_ = nullptr;
  T* data_ = nullptr;
  std::size_t count_;
};

// A matrix by columns, in exact numbers.
template <class T>
struct Dense {
  int rows, columns;
  std::vector<Exact<T>> values;
  Dense(int m, int n) : rows(m), columns(n), values(static_cast<std::size_t>(m) * n) {}
  Dense(const std::vector<T>& from, int m, int n, int ld) : Dense(m, n) {
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) (*this)(i, j) = exact(from[i + static_cast<std::size_t>(j) * ld]);
  }
  Exact<T>& operator()(int i, int j) { return values[i + static_cast<std::size_t>(j) * rows]; }
  const Exact<T>& operator()(int i, int j) const { return values[i + static_cast<std::size_t>(j) * rows]; }
};
template <class T>
Dense<T> transposed(const Dense<T>& a, char op) {
  if (op == 'N') return a;
  Dense<T> b(a.columns, a.rows);
  for (int j = 0; j < a.columns; ++j)
    for (int i = 0; i < a.rows; ++i) b(j, i) = op == 'C' ? conj_of(a(i, j)) : a(i, j);
  return b;
}
template <class T>
Dense<T> operator*(const Dense<T>& a, const Dense<T>& b) {
  Dense<T> c(a.rows, b.columns);
  for (int j = 0; j < b.columns; ++j)
    for (int p = 0; p < a.columns; ++p)
      for (int i = 0; i < a.rows; ++i) c(i, j) += a(i, p) * b(p, j);
  return c;
}
template <class T>
Dense<T> sum(Exact<T> alpha, const Dense<T>& a, Exact<T> beta, const Dense<T>& b) {
  Dense<T> c(a.rows, a.columns);
  for (std::size_t i = 0; i < c.values.size(); ++i) c.values[i] = alpha * a.values[i] + beta * b.values[i];
  return c;
}
// The whole matrix of which one triangle is stored.
template <class T>
Dense<T> mirrored(const Dense<T>& a, bool lower, bool hermitian) {
  Dense<T> b(a.rows, a.rows);
  for (int j = 0; j < a.rows; ++j)
    for (int i = 0; i < a.rows; ++i) {
      const bool stored = lower ? i >= j : i <= j;
      b(i, j) = stored ? a(i, j) : hermitian ? conj_of(a(j, i)) : a(j, i);
      if (hermitian && i == j) b(i, j) = std::real(b(i, j));
    }
  return b;
}
template <class T>
Dense<T> triangle(const Dense<T>& a, bool lower, bool unit) {
  Dense<T> b(a.rows, a.rows);
  for (int j = 0; j < a.rows; ++j)
    for (int i = 0; i < a.rows; ++i)
      b(i, j) = i == j && unit ? Exact<T>(1) : (lower ? i >= j : i <= j) ? a(i, j) : Exact<T>(0);
  return b;
}
// The greatest difference, of a triangle alone or of all ('A').
template <class T>
double difference(const Dense<T>& a, const Dense<T>& b, char part = 'A') {
  double most = 0;
  for (int j = 0; j < a.columns; ++j)
    for (int i = 0; i < a.rows; ++i)
      if (part == 'A' || (part == 'L' ? i >= j : i <= j)) {
        const double d = std::abs(a(i, j) - b(i, j));
        if (!(d <= most)) most = std::isnan(d) ? INFINITY : d;
      }
  return most;
}

}  // namespace heddle::libs_test
