// Streams and their capture.
#include "api/cuda_state/capture.h"
#include "api/cuda_state/graph_calls.h"
#include "api/cudart/functions.gen.h"
#include "api/cudart/objects.h"

namespace heddle::cudart {

Status cudaStreamCreateWithPriority(cudaStream_t* pStream, unsigned int flags, int priority) {
  if (Status good = known_flags(flags, cudaStreamNonBlocking); !good) return good;
  auto context = working_context();
  if (!context) return context.error();
  auto made = cuda::Stream::create(*context, (flags & cudaStreamNonBlocking) == 0, priority);
  if (!made) return made.error();
  *pStream = as_handle<cudaStream_t>((*made)->handle());
  return Unit{};
}

Status cudaStreamDestroy(cudaStream_t stream) {
  auto found = find_stream(stream);
  return found ? (*found)->destroy() : Status(found.error());
}
Status cudaStreamSynchronize(cudaStream_t stream) {
  auto found = find_stream(stream);
  return found ? (*found)->synchronize() : Status(found.error());
}
Status cudaStreamQuery(cudaStream_t stream) {
  auto found = find_stream(stream);
  return found ? (*found)->query() : Status(found.error());
}

Status cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  if (Status good = known_flags(flags, cudaEventWaitExternal); !good) return good;
  auto on = find_stream(stream);
  if (!on) return on.error();
  auto found = find_event(event);
  if (!found) return found.error();
  if ((flags & cudaEventWaitExternal) != 0 && (*on)->capturing())
    return cuda::submit(**on, cuda::WaitWork{*found});
  return cuda::wait_for(**on, **found);
}

Status cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* userData,
                             unsigned int flags) {
  if (callback == nullptr) return invalid_value("the callback is NULL");
  if (flags != 0) return invalid_value("flags " + std::to_string(flags) + ", must be 0");
  auto on = find_stream(stream);
  if (!on) return on.error();
  if ((*on)->capturing()) return cuda::refuse_while_capturing(**on);
  // It is called with the stream as the program named it, and in any case.
  return status_of((*on)->runtime().host_callback([=](const runtime::Done& state) {
    callback(stream, static_cast<cudaError_t>(cuda::code_of(status_of(state))), userData);
  }));
}

Status cudaStreamGetPriority(cudaStream_t hStream, int* priority) {
  auto found = find_stream(hStream);
  if (!found) return found.error();
  *priority = (*found)->priority();
  return Unit{};
}
Status cudaStreamGetFlags(cudaStream_t hStream, unsigned int* flags) {
  auto found = find_stream(hStream);
  if (!found) return found.error();
  *flags = (*found)->blocking() ? cudaStreamDefault : cudaStreamNonBlocking;
  return Unit{};
}
Status cudaStreamGetId(cudaStream_t hStream, unsigned long long* streamId) {
  auto found = find_stream(hStream);
  if (!found) return found.error();
  *streamId = (*found)->id();
  return Unit{};
}
Status cudaStreamGetDevice(cudaStream_t hStream, int* device) {
  auto found = find_stream(hStream);
  if (!found) return found.error();
  *device = (*found)->context().device().ordinal();
  return Unit{};
}

Status cudaStreamAttachMemAsync(cudaStream_t stream, void* devPtr, size_t, unsigned int flags) {
  if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost && flags != cudaMemAttachSingle)
    return invalid_value("flags " + std::to_string(flags));
  auto found = find_stream(stream);
  if (!found) return found.error();
  const auto memory = Process::get().system().memory().find(number_of(devPtr));
  if (memory == nullptr || memory->kind != MemoryKind::managed)
    return invalid_value("no managed memory: " +
                         Process::get().system().memory().describe(number_of(devPtr)));
  return Unit{};  // managed memory is everybody's at any time
}

}  // namespace heddle::cudart
