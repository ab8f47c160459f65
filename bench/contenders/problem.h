// A row of the benchmark as data: arrays, the launches to do, how to tell whether the answer is right. The
// contenders that launch kernels need nothing else; plain C++ has a function a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace heddle::bench {

enum class Size : uint8_t { small, full };

// Zeroed pages of its own, without huge pages unless the system gives them to everybody.
class Array {
 public:
  explicit Array(std::size_t bytes);
  ~Array();
  Array(Array&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Array& operator=(Array&&) = delete;

  std::size_t bytes() const { return bytes_; }
  std::byte* data() { return data_; }
  template <class T>
  T* as() {
    return reinterpret_cast<T*>(data_);
  }
  void clear();

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

struct Argument {
  enum class Kind : uint8_t { array, u32, f32 } kind = Kind::u32;
  uint32_t bits = 0;  // an array's index, or the value's bits
};
Argument array(uint32_t index);
Argument value(uint32_t number);
Argument value(float number);

struct Dimensions {
  uint32_t x = 1, y = 1, z = 1;
};
struct Launch {
  const char* kernel = "";
  Dimensions blocks, threads;
  std::vector<Argument> arguments;
  uint32_t shared_bytes = 0;  // dynamic ones; OpenCL gets them as the last argument
};
struct Copy {
  uint32_t to = 0, from = 0;  // arrays of the same size
};
struct Clear {
  uint32_t array = 0;
};
using Step = std::variant<Launch, Copy, Clear>;

// What no machine can do without: bytes that must come from and go to memory, and operations on a 32-bit lane
// (a fused multiply-add is one). 0: nothing worth a limit is known.
struct Least {
  double read = 0, written = 0, operations = 0;
};

struct Problem {
  std::vector<Array> arrays;
  std::vector<Step> steps;             // one run
  std::vector<uint32_t> results;       // arrays that runs write and check() reads
  std::function<std::string()> check;  // what is wrong; empty: nothing
  Least least;
};

std::span<const std::string_view> row_names();
Problem make_problem(std::string_view row, Size size);

// The same numbers in every process.
class Random {
 public:
  uint32_t bits();
  float fraction() { return static_cast<float>(bits() >> 8) * 0x1p-24f; }  // [0, 1)

 private:
  uint64_t state_ = 88172645463325252;
};

}  // namespace heddle::bench
