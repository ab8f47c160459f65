// Who watches the machine of a process: profiler, checker, tracer. A watcher is told of launches, copies,
// fills, memory, modules and streams, and may give each launch an observer (observe/observer.h), which the
// executor tells what the kernel does. Several can be on at once (watchers.h); nobody watching costs one look
// at a flag. docs/reference/observer.md.
//
// Calls come from any thread, several at a time. They may not submit work, nor wait for any.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "exec/launch.h"
#include "observe/observer.h"
#include "runtime/allocation.h"
#include "runtime/error.h"

namespace heddle::runtime {

class Context;
class Kernel;
class Module;
class Stream;

// How a task came to be: kept with it from its submission on.
struct Submission {
  uint64_t number = 0;                  // counts the tasks of the process from 1
  uint64_t stream = 0;                  // Stream::id
  uint64_t call = 0;                    // the API call (support/host_call.h); 0: none
  const char* function = nullptr;       // of that call
  bool works = true;                    // false: a mark, such as an event's record
  int32_t thread = 0;                   // the system's number of the one that submitted it
  std::vector<const void*> stack = {};  // host_stack(), for who wants_host_stacks()
  std::vector<uint64_t> after = {};     // numbers of what it waits for: streams, events, graphs, wait lists
};

struct LaunchFacts {
  uint64_t grid_id = 0;                    // counts the grids of the process from 1
  uint64_t parent = 0;                     // the grid whose kernel launched it; 0: the host
  uint64_t asked = 0;                      // the launch in device code (family_watcher.h); 0: the host's
  const Submission* submission = nullptr;  // of the host's launch that it comes of; may be nullptr
  Context& context;
  const Kernel& kernel;
  const exec::Launch& launch;  // image, shape, parameters, device
};

// Nanoseconds of the system's clock (Scheduler::now).
struct Span {
  int64_t began = 0, ended = 0;
};

struct LaunchEnd {
  Span time;
  const exec::LaunchReport* report = nullptr;  // nullptr when it failed
  const Error* failure = nullptr;
};

// One watcher's part in one launch.
class LaunchWatch {
 public:
  virtual ~LaunchWatch() = default;
  // What it wants to be told while the kernel runs; nullptr: nothing. Asked once.
  virtual observe::Observer* observer() { return nullptr; }
  virtual void ended(const LaunchEnd&) {}
};

// One side of a copy.
struct TouchedPlace {
  uint64_t address = 0;
  uint64_t row_pitch = 0, slice_pitch = 0;
  AllocationRef memory;  // nullptr: the host's own
};

// A copy that has been done, or a fill (without `from`). `extent` is what was moved: rows may have been
// joined.
struct CopyFacts {
  // nullptr: by no command of the host. It stored there itself, or a kernel asked for it.
  const Submission* submission = nullptr;
  Context& context;
  TouchedPlace to;
  const TouchedPlace* from = nullptr;
  uint64_t row_bytes = 0, rows = 1, slices = 1;
  Span time;
  uint64_t bytes() const { return row_bytes * rows * slices; }
};

class Watcher {
 public:
  virtual ~Watcher() = default;
  // Before a kernel begins; nullptr: this launch does not interest.
  virtual std::unique_ptr<LaunchWatch> launch(const LaunchFacts&) { return nullptr; }
  virtual void copied(const CopyFacts&) {}  // before anything that stands behind it begins
  // Of every kind; variables of modules and the heap of kernels are such, too. Told before anybody can use
  // it, and before anybody else can have the addresses.
  virtual void allocated(const Allocation&) {}
  virtual void released(const Allocation&) {}
  virtual void loaded(const Module&) {}  // its variables have places and contents
  virtual void stream_made(const Stream&) {}
  virtual void stream_ended(const Stream&) {}
  virtual void submitted(const Submission&, const Context&) {}
  virtual bool wants_host_stacks() const { return false; }
};

}  // namespace heddle::runtime
