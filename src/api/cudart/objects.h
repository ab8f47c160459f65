// From what programs hand to the runtime API to the objects behind it.
#pragma once

#include <string>

#include "api/cuda_state/array.h"
#include "api/cuda_state/event.h"
#include "api/cuda_state/handles.h"
#include "api/cuda_state/memory_pool.h"
#include "api/cuda_state/module.h"
#include "api/cuda_state/registry.h"
#include "api/cuda_state/stream.h"
#include "api/cuda_state/work.h"
#include "api/cudart/call.h"

namespace heddle::cudart {

using cuda::Answer;
using cuda::Code;
using cuda::ContextRef;
using cuda::failure;
using cuda::failure_of;
using cuda::invalid_value;
using cuda::Process;
using cuda::runtime_context;
using cuda::status_of;
using cuda::tell;
using runtime::MemoryKind;

using cuda::as_handle;
using cuda::number_of;

// The context that the call works in, made if need be, and not lost to an earlier fault.
inline Answer<ContextRef> working_context() {
  auto context = runtime_context();
  if (!context) return context;
  if (Status state = (*context)->check(); !state) return state.error();
  return context;
}
inline Answer<cuda::Device*> find_device(int device) { return Process::get().device(device); }

inline Answer<cuda::StreamRef> find_stream(cudaStream_t handle) {
  auto context = runtime_context();
  if (!context) return context.error();
  return cuda::find_stream(*context, handle);
}
inline Answer<cuda::EventRef> find_event(cudaEvent_t handle) {
  return cuda::find_event(Process::get(), handle);
}
inline Answer<std::shared_ptr<cuda::Array>> find_array(cudaArray_const_t handle) {
  return cuda::find_array(Process::get(), handle);
}
inline Answer<std::shared_ptr<cuda::Array>> find_mipmapped_array(cudaMipmappedArray_const_t handle) {
  return cuda::find_mipmapped_array(Process::get(), handle);
}

// A kernel by its host function in the current context. Good until the thread asks for another.
Answer<cuda::Function*> find_kernel(const void* function);

inline exec::Dim3 dim(const dim3& d) { return {d.x, d.y, d.z}; }

// Flags beyond those that there are.
inline Status known_flags(unsigned flags, unsigned known) {
  if ((flags & ~known) == 0) return Unit{};
  return invalid_value("flags " + std::to_string(flags) + ", known are " + std::to_string(known));
}

// Formats of texels. Nothing for what is none.
Answer<exec::Texel> texel_of(const cudaChannelFormatDesc& desc);
cudaChannelFormatDesc channel_desc(const exec::Texel& texel);

}  // namespace heddle::cudart
