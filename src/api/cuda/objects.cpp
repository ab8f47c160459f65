#include "api/cuda/objects.h"

#include "api/cuda_state/device.h"

namespace heddle::cu {

Answer<ContextRef> working_context() {
  auto context = cuda::current_context();
  if (!context) return context;
  if (Status state = (*context)->check(); !state) return state.error();
  return context;
}

Answer<ContextRef> find_context(CUcontext handle) {
  ContextRef context = Process::get().handles().contexts.find(handle);
  if (context == nullptr) return failure(Code::invalid_context, "no such context");
  return context;
}

Answer<cuda::Device*> find_device(CUdevice device) { return Process::get().device(device); }

Answer<cuda::StreamRef> find_stream(CUstream handle) {
  // A stream that a program made knows its context; the others are the current context's.
  if (number_of(handle) > cuda::thread_stream_handle) {
    cuda::StreamRef stream = Process::get().handles().streams.find(handle);
    if (stream == nullptr) return failure(Code::invalid_handle, "no such stream");
    if (stream->context().destroyed())
      return failure(Code::context_is_destroyed, "the context of the stream was destroyed");
    return stream;
  }
  auto context = working_context();
  if (!context) return context.error();
  return cuda::find_stream(*context, handle);
}

Answer<cuda::EventRef> find_event(CUevent handle) { return cuda::find_event(Process::get(), handle); }

Answer<std::shared_ptr<cuda::Module>> find_module(CUmodule handle) {
  auto module = Process::get().handles().modules.find(handle);
  if (module == nullptr || !module->usable()) return failure(Code::invalid_handle, "no such module");
  return module;
}

Answer<cuda::FunctionRef> find_function(CUfunction handle) {
  if (auto function = Process::get().handles().functions.find(handle)) {
    if (!function->module().usable()) return failure(Code::invalid_handle, "the function's module is gone");
    return function;
  }
  auto context = working_context();
  if (!context) return context.error();
  return cuda::find_function(*context, handle);
}

Answer<std::shared_ptr<cuda::Array>> find_array(CUarray handle) {
  return cuda::find_array(Process::get(), handle);
}

Answer<std::shared_ptr<cuda::Array>> find_mipmapped_array(CUmipmappedArray handle) {
  return cuda::find_mipmapped_array(Process::get(), handle);
}

}  // namespace heddle::cu
