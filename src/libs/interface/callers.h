// Kernels that a library brings to call functions of the program, or of a program that is handed over
// (cuFFT's callbacks).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "libs/interface/services.h"

namespace heddle::libs {

struct Blocks {
  uint32_t count = 1, threads = 1, shared_bytes = 0;
};

// A kernel that calls one function of the program.
class Caller {
 public:
  virtual ~Caller() = default;
  // In the order of a stream (a cudaStream_t) of the kernel's context, or into the graph that it is captured
  // to. `parameters`: as the kernel's text lays them out.
  virtual Failure launch(void* stream_handle, Blocks blocks, const void* parameters, uint64_t bytes) = 0;
};

class Callers {
 public:
  virtual ~Callers() = default;
  // The kernel `name` of a text of PTX, in the context that is current; it calls the function of this
  // pointer. nullptr: `failure` says why.
  virtual std::shared_ptr<Caller> find(uint64_t function_pointer, const char* name, const std::string& text,
                                       Failure& failure) = 0;
  // The kernel `name` of a text of PTX, linked to a program (PTX or a fat binary) of which it calls functions
  // by name. Loaded to the context that is current.
  virtual std::shared_ptr<Caller> link(const void* program, uint64_t bytes, const char* name,
                                       const std::string& text, Failure& failure) = 0;
};

// heddle_find("libheddle", "callers") has the process's.

}  // namespace heddle::libs
