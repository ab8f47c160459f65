// The API call that a thread is in, for those who watch: what it submits, allocates or does wrong is told
// with it. Set by the APIs' entries while somebody watches (api/entry/listen.h), read by the runtime.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace heddle {

struct HostCall {
  uint64_t number = 0;             // counts the calls of the process from 1; 0: no call
  const char* function = nullptr;  // cudaLaunchKernel, ...
};

// The outermost call: an API's function that calls another one is told alone.
inline thread_local HostCall host_call;

// Return addresses of the calling thread, innermost first, without those in this library: the first is the
// place in the program that called the API.
std::vector<const void*> host_stack();

}  // namespace heddle
