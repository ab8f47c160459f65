// What a cusolverDnHandle_t stands for, one call of it, and matrices as LAPACK gets them.
#pragma once

#include <cusolverDn.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "libs/common/element.h"
#include "libs/common/handles.h"
#include "libs/common/stream.h"
#include "libs/cublas/handle.h"
#include "libs/cublas/matrix.h"

namespace heddle::cusolver {

using libs::Access;
using libs::native;
using libs::native_of;
using libs::refuse;
using libs::require;
using libs::Why;

struct Handle {
  std::atomic<void*> stream{nullptr};
  std::atomic<cusolverDeterministicMode_t> deterministic{CUSOLVER_DETERMINISTIC_RESULTS};
  std::atomic<cusolverMathMode_t> math{CUSOLVER_DEFAULT_MATH};
  std::atomic<cudaEmulationStrategy_t> emulation{CUDA_EMULATION_STRATEGY_DEFAULT};
};
std::shared_ptr<Handle> use(const void* handle);

// What a program asks of Jacobi's methods, and what it may ask about the last one.
struct Jacobi {
  std::atomic<double> tolerance{0}, residual{0};
  std::atomic<int> most_sweeps{100}, sweeps{0};
  std::atomic<bool> sorted{true};
};
struct JacobiEigen : Jacobi {};
struct JacobiSingular : Jacobi {};
// Of the 64-bit interface: which algorithm each function takes. There is one.
struct Parameters {};

template <class Object>
std::shared_ptr<Object> object(const void* pointer) {
  auto found = libs::Handles<Object>::all().find(pointer);
  if (found == nullptr) refuse(Why::invalid_value, "no such object");
  return found;
}

class Call {
 public:
  explicit Call(const void* handle) : handle_(use(handle)) {}
  template <class Body>
  void submit(const char* name, Body body) const {
    libs::Target(handle_->stream).submit(name, std::move(body));
  }
  template <class Body>
  void submit_and_wait(const char* name, Body body) const {
    libs::Target(handle_->stream).submit_and_wait(name, std::move(body));
  }

 private:
  const std::shared_ptr<Handle> handle_;
};

using cublas::Matrix;

inline void size(int n, const char* words) { require(n >= 0, words); }

}  // namespace heddle::cusolver
