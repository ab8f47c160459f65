// The calls of the driver API that a call of the runtime API makes on a device: told to who asks for the
// driver's calls (spec/cupti/driver_calls.toml). Here the runtime calls no driver; what is told is the same.
#pragma once

#define __CUDA_API_VERSION_INTERNAL
#define CUDA_ENABLE_DEPRECATED
#include <cuda.h>
#include <cudaProfiler.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <cupti.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace heddle::cupti {

struct DriverCall {
  CUpti_CallbackId id = 0;
  std::vector<std::byte> parameters = {};  // as its structure has them; empty: not told
  uint64_t data = 0;                       // the subscriber's own, from one callback of the call to the next
};

class DriverCalls {
 public:
  void add(CUpti_CallbackId id) { all_.push_back({.id = id}); }
  template <class Parameters>
  void add(CUpti_CallbackId id, const Parameters& parameters) {
    add(id);
    all_.back().parameters.resize(sizeof parameters);
    std::memcpy(all_.back().parameters.data(), &parameters, sizeof parameters);
  }
  std::vector<DriverCall>& all() { return all_; }

 private:
  std::vector<DriverCall> all_;
};

// Where the call is made.
struct CallPlace {
  CUcontext context = nullptr;
  CUfunction kernel(const void* stub) const;  // nullptr: there is none
};

struct UnderCall {
  CUpti_CallbackId runtime;
  void (*calls)(const void* parameters, const CallPlace& place, DriverCalls& calls);
};
std::span<const UnderCall> calls_under();  // generated

// `parameters`: the runtime call's.
DriverCalls driver_calls_under(CUpti_CallbackId runtime, std::span<const std::byte> parameters);

}  // namespace heddle::cupti
