// Streams, callbacks and captures.
#include "api/cuda/functions.gen.h"
#include "api/cuda/objects.h"
#include "api/cuda_state/capture.h"

namespace heddle::cu {

Status cuStreamCreateWithPriority(CUstream* phStream, unsigned int flags, int priority) {
  if (Status known = known_flags(flags, CU_STREAM_NON_BLOCKING); !known) return known;
  auto context = working_context();
  if (!context) return context.error();
  auto stream = cuda::Stream::create(*context, (flags & CU_STREAM_NON_BLOCKING) == 0, priority);
  if (!stream) return stream.error();
  *phStream = as_handle<CUstream>((*stream)->handle());
  return Unit{};
}

Status cuStreamDestroy_v2(CUstream hStream) {
  auto stream = find_stream(hStream);
  if (!stream) return stream.error();
  return (*stream)->destroy();
}

Status cuStreamSynchronize(CUstream hStream) {
  auto stream = find_stream(hStream);
  if (!stream) return stream.error();
  return (*stream)->synchronize();
}
Status cuStreamQuery(CUstream hStream) {
  auto stream = find_stream(hStream);
  if (!stream) return stream.error();
  return (*stream)->query();
}

Status cuStreamGetPriority(CUstream hStream, int* priority) {
  auto stream = find_stream(hStream);
  if (!stream) return stream.error();
  *priority = (*stream)->priority();
  return Unit{};
}
Status cuStreamGetFlags(CUstream hStream, unsigned int* flags) {
  auto stream = find_stream(hStream);
  if (!stream) return stream.error();
  *flags = (*stream)->legacy() || (*stream)->blocking() ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING;
  return Unit{};
}
Status cuStreamGetId(CUstream hStream, unsigned long long* streamId) {
  auto stream = find_stream(hStream);
  if (!stream) return stream.error();
  *streamId = (*stream)->id();
  return Unit{};
}
Status cuStreamGetCtx(CUstream hStream, CUcontext* pctx) {
  auto stream = find_stream(hStream);
  if (!stream) return stream.error();
  *pctx = as_handle<CUcontext>((*stream)->context().handle());
  return Unit{};
}
Status cuStreamGetDevice(CUstream hStream, CUdevice* device) {
  auto stream = find_stream(hStream);
  if (!stream) return stream.error();
  *device = (*stream)->context().device().ordinal();
  return Unit{};
}

Status cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags) {
  if (Status known = known_flags(Flags, CU_EVENT_WAIT_EXTERNAL); !known) return known;
  auto stream = find_stream(hStream);
  if (!stream) return stream.error();
  auto event = find_event(hEvent);
  if (!event) return event.error();
  if (Flags == CU_EVENT_WAIT_EXTERNAL) return cuda::submit(**stream, cuda::WaitWork{*event});
  return cuda::wait_for(**stream, **event);
}

Status cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void* userData, unsigned int flags) {
  if (callback == nullptr) return invalid_value("callback is NULL");
  if (flags != 0)
    return invalid_value("the flags of cuStreamAddCallback must be 0, are " + std::to_string(flags));
  auto stream = find_stream(hStream);
  if (!stream) return stream.error();
  if ((*stream)->capturing()) return cuda::refuse_while_capturing(**stream);
  return status_of((*stream)->runtime().host_callback(
      [=](const runtime::Done& state) { callback(hStream, result_of(cuda::status_of(state)), userData); }));
}

Status cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void* userData) {
  if (fn == nullptr) return invalid_value("fn is NULL");
  auto stream = find_stream(hStream);
  if (!stream) return stream.error();
  return cuda::submit(**stream, cuda::HostWork{fn, userData});
}

Status cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr, size_t length, unsigned int flags) {
  auto stream = find_stream(hStream);
  if (!stream) return stream.error();
  if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST && flags != CU_MEM_ATTACH_SINGLE)
    return invalid_value("flags must be one of CU_MEM_ATTACH_*, are " + std::to_string(flags));
  const auto memory = Process::get().system().memory().find_at(dptr);
  if (memory == nullptr || memory->kind != runtime::MemoryKind::managed)
    return invalid_value("no managed allocation begins at the address");
  if (length != 0 && length != memory->bytes)
    return invalid_value("the length must be 0 or that of the allocation, " + std::to_string(memory->bytes));
  return Unit{};  // host and device reach managed memory at any time
}

}  // namespace heddle::cu
