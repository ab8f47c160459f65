// The log of errors.
#include "api/cuda_state/error_log_calls.h"
#include "api/cuda_state/handles.h"
#include "api/cudart/functions.gen.h"

namespace heddle::cudart {

Status cudaLogsRegisterCallback(cudaLogsCallback_t callbackFunc, void* userData,
                                cudaLogsCallbackHandle* callback_out) {
  auto handle = cuda::add_log_listener(callbackFunc, userData);
  if (!handle) return handle.error();
  *callback_out = cuda::as_handle<cudaLogsCallbackHandle>(*handle);
  return Unit{};
}

Status cudaLogsUnregisterCallback(cudaLogsCallbackHandle callback) {
  return cuda::remove_log_listener(cuda::number_of(callback));
}

Status cudaLogsCurrent(cudaLogIterator* iterator_out, unsigned int flags) {
  return cuda::log_position(iterator_out, flags);
}

Status cudaLogsDumpToFile(cudaLogIterator* iterator, const char* pathToFile, unsigned int flags) {
  return cuda::log_to_file(iterator, pathToFile, flags);
}

Status cudaLogsDumpToMemory(cudaLogIterator* iterator, char* buffer, size_t* size, unsigned int flags) {
  return cuda::log_to_memory(iterator, buffer, size, flags);
}

}  // namespace heddle::cudart
