// From the handles of the driver API to the objects behind them, in the words of its errors.
#pragma once

#include "api/cuda/call.h"
#include "api/cuda_state/array.h"
#include "api/cuda_state/event.h"
#include "api/cuda_state/handles.h"
#include "api/cuda_state/module.h"
#include "api/cuda_state/stream.h"

namespace heddle::cu {

using cuda::Answer;
using cuda::Code;
using cuda::ContextRef;
using cuda::failure;
using cuda::invalid_value;
using cuda::Process;
using cuda::status_of;
using cuda::tell;

using cuda::as_handle;
using cuda::number_of;

// The context that is current, if it still works.
Answer<ContextRef> working_context();
// A context that a program names; NULL is none.
Answer<ContextRef> find_context(CUcontext handle);
Answer<cuda::Device*> find_device(CUdevice device);
Answer<cuda::StreamRef> find_stream(CUstream handle);
Answer<cuda::EventRef> find_event(CUevent handle);
Answer<std::shared_ptr<cuda::Module>> find_module(CUmodule handle);
// A function, or a library's kernel in the context that is current.
Answer<cuda::FunctionRef> find_function(CUfunction handle);
Answer<std::shared_ptr<cuda::Array>> find_array(CUarray handle);
Answer<std::shared_ptr<cuda::Array>> find_mipmapped_array(CUmipmappedArray handle);

// Bytes from one row to the next, of so many rows that together have less than 2^64 bytes.
Answer<uint64_t> pitch_of(uint64_t width, uint64_t height, unsigned int element_bytes);

// Flags beyond those that there are.
inline Status known_flags(unsigned int flags, unsigned int known) {
  if ((flags & ~known) == 0) return Unit{};
  return invalid_value("flags " + std::to_string(flags) + " has bits that mean nothing; known are " +
                       std::to_string(known));
}

}  // namespace heddle::cu
