// Between libheddle.so.0 and the modules that have the libraries of CUDA programs behind them
// (libheddle-blas.so.0, ...): what a library asks of streams and memory. Both sides are of one build.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace heddle::libs {

// Why something cannot be done.
struct Failure {
  int code = 0;  // of the CUDA runtime API; 0: nothing is wrong
  std::string message;
};

// Pieces of as many bytes each: where `each` says, or one `step` behind the other.
struct Pieces {
  const uint64_t* each = nullptr;
  uint64_t first = 0;
  int64_t step = 0;
  uint64_t count = 0, bytes = 0;
  uint64_t at(uint64_t i) const {
    return each != nullptr ? each[i] : first + i * static_cast<uint64_t>(step);
  }
};

// What a piece of work may touch, while it runs.
class Memory {
 public:
  virtual ~Memory() = default;
  // Whether a kernel could read (or write) all of it, in the context that the work runs in. From then until
  // the work's end it stays there.
  virtual bool hold(uint64_t address, uint64_t bytes, bool write) = 0;
  // The same of each piece; returns the first that could not be, or their count.
  virtual uint64_t hold_all(const Pieces& pieces, bool write) = 0;
};

// An access that a kernel could not have made.
struct BadAccess {
  uint64_t address = 0, bytes = 0;
  bool write = false;
  std::string words;  // instead of those, if there are any
};

// What a call of a library puts into a stream: host code on device memory. Immutable, because a captured one
// runs with every launch of its graph.
class Work {
 public:
  virtual ~Work() = default;
  virtual const char* name() const = 0;  // the function's, as a kernel's name
  // False: `bad` says why it could not be done, which ends the context like a kernel's fault.
  virtual bool run(Memory& memory, BadAccess& bad) const noexcept = 0;
};
using WorkRef = std::shared_ptr<const Work>;

// A stream of the context that was current when it was asked for.
class Stream {
 public:
  virtual ~Stream() = default;
  // Now, in the stream's order, or into the graph that the stream is captured to.
  virtual Failure submit(WorkRef work) = 0;
  virtual Failure synchronize() = 0;
  virtual bool capturing() const = 0;
  virtual int device() const = 0;
};

class Services {
 public:
  virtual ~Services() = default;
  // `handle` is a cudaStream_t. nullptr: `failure` says why.
  virtual std::shared_ptr<Stream> stream(void* handle, Failure& failure) = 0;
};

}  // namespace heddle::libs

// In libheddle.so.0 (src/api/shared): the address of a function of a CUDA API by the library that a program
// would link, and ("libheddle", "services") for the process's Services.
extern "C" void* heddle_find(const char* library, const char* name);
