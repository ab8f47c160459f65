// A program's device function that a transform's elements go through.
#pragma once

#define HEDDLE_LIBRARY_SOURCE
#include <cufftXt.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "libs/fft/fft.h"
#include "libs/interface/callers.h"

namespace heddle::cufft {

// What the function does on its side of a transform.
struct CallbackType {
  bool load = true, complex = true;
  fft::Number number = fft::Number::f32;
};
CallbackType meaning(cufftXtCallbackType type);  // refuses what is none

// The elements of one side: how many there are in each dimension, and where they lie.
struct Elements {
  std::vector<int64_t> lengths;
  int64_t batch = 1;
  fft::Layout layout;
};

// A function that is not in the program, but in one that is handed over: PTX, or a fat binary of it.
struct CallbackProgram {
  std::string symbol;  // the function's
  std::string bytes;
};

// Elements stand between the program's array and the transform in memory of this: the transform is the
// host's, and calls no device function itself.
class Callback {
 public:
  // `bytes`: of the elements, with what lies between them. In the context that is current.
  Callback(CallbackType type, void* routine, void* info, uint64_t bytes);
  Callback(CallbackType type, const CallbackProgram& program, void* info, uint64_t bytes);
  ~Callback();
  Callback(const Callback&) = delete;
  Callback& operator=(const Callback&) = delete;
  void* memory() const { return memory_; }
  // Calls the function for each element, in the stream's order: between the program's array and memory().
  void run(cudaStream_t stream, const Elements& elements, void* array, uint32_t shared_bytes) const;

 private:
  Callback(void* info, uint64_t bytes);
  uint64_t routine_ = 0;
  const uint64_t info_;
  std::shared_ptr<libs::Caller> kernel_;
  void* memory_ = nullptr;
};

}  // namespace heddle::cufft
