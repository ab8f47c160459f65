// What the examples share: calls that fail end the program, device arrays free themselves, results are held
// to the host's.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                        \
  do {                                                                                     \
    const cudaError_t status = (call);                                                     \
    if (status != cudaSuccess) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
      std::exit(1);                                                                        \
    }                                                                                      \
  } while (0)

// Memory of the current device.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) : count_(count) { CHECK(cudaMalloc(&data_, count * sizeof(T))); }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    CHECK(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }

  operator T*() const { return data_; }
  std::size_t bytes() const { return count_ * sizeof(T); }
  // No result by accident: what a kernel leaves out stays a value that no example expects.
  void spoil() const { CHECK(cudaMemset(data_, 0xff, bytes())); }
  std::vector<T> values() const {
    std::vector<T> copy(count_);
    CHECK(cudaMemcpy(copy.data(), data_, bytes(), cudaMemcpyDeviceToHost));
    return copy;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

// Ends the program at the first value that differs by more than `tolerance`; the default is none at all.
template <class T, class U>
void expect(const char* what, const std::vector<T>& found, const std::vector<U>& expected,
            double tolerance = 0) {
  if (found.size() != expected.size()) {
    std::printf("%s is wrong: %zu values, not %zu\n", what, found.size(), expected.size());
    std::exit(1);
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double value = static_cast<double>(found[i]), right = static_cast<double>(expected[i]);
    if (std::fabs(value - right) <= tolerance) continue;  // false for NaN
    std::printf("%s is wrong: value %zu is %g, not %g\n", what, i, value, right);
    std::exit(1);
  }
  std::printf("%s is right\n", what);
}
