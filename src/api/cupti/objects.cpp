#include "api/cupti/objects.h"

#include "api/cuda_state/process.h"
#include "api/cuda_state/thread.h"

namespace heddle::cupti {

Answer<cuda::ContextRef> find_context(CUcontext handle) {
  if (handle == nullptr) {
    cuda::ContextRef current = cuda::current_context_if_any();
    if (current == nullptr) return failure(CUPTI_ERROR_INVALID_CONTEXT, "no context is current");
    return current;
  }
  if (!cuda::Process::started()) return failure(CUPTI_ERROR_INVALID_CONTEXT, "there are no contexts yet");
  cuda::ContextRef found = cuda::Process::get().handles().contexts.find(reinterpret_cast<uint64_t>(handle));
  if (found == nullptr) return failure(CUPTI_ERROR_INVALID_CONTEXT, "'context' is none");
  return found;
}

Answer<cuda::StreamRef> find_stream(const cuda::ContextRef& context, CUstream handle, bool own) {
  const auto find = [&] { return cuda::find_stream(context, handle); };
  const auto stream = own ? [&] {
    const cuda::PerThreadStream per_thread;
    return find();
  }()
                          : find();
  if (!stream) return failure(CUPTI_ERROR_INVALID_STREAM, stream.error().message);
  return *stream;
}

}  // namespace heddle::cupti
