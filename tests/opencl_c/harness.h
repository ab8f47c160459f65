// Kernels in OpenCL C, compiled and run on both executors: what tests of built-in functions share.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "frontend/opencl.h"
#include "runtime/testing.h"

namespace heddle::opencl_c {

using Bytes = std::vector<std::byte>;

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
template <class T>
std::vector<T> values_of(const Bytes& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

struct Range {
  std::array<uint32_t, 3> global{1, 1, 1}, local{1, 1, 1};
  std::array<uint64_t, 3> offset{};
  uint32_t dimensions = 1;
  uint32_t local_bytes = 0;  // of an argument in local memory, which follows the buffers
};

frontend::OpenClTarget target(const std::string& capability = "90");

// A program on one executor.
class Program {
 public:
  Program(const std::string& source, const std::string& options, bool reference,
          const std::string& device = "h200", const std::string& capability = "90");
  // Buffers are arguments 0, 1, ... and come back as the kernel left them. Failures are the test's.
  bool run(const std::string& kernel, std::vector<Bytes>& buffers, const Range& range);
  // Arguments behind the buffers, as 64-bit values.
  std::vector<uint64_t> handles;
  runtime::TestSystem& system() { return *system_; }
  const std::string& ptx() const { return ptx_; }
  bool ok() const { return module_ != nullptr; }

 private:
  std::unique_ptr<runtime::TestSystem> system_;
  std::shared_ptr<runtime::Module> module_;
  std::string ptx_;
};

// f(program, name of the executor) for both.
template <class F>
void on_both(const std::string& source, const std::string& options, F&& f) {
  for (const bool reference : {true, false}) {
    SCOPED_TRACE(reference ? "the reference executor" : "the fast executor");
    Program program(source, options, reference);
    if (program.ok()) f(program);
  }
}

// The first lines of a source: extensions that the tests use.
inline const std::string prelude =
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";

}  // namespace heddle::opencl_c
