// The log of errors.
#include "api/cuda/functions.gen.h"
#include "api/cuda_state/error_log_calls.h"
#include "api/cuda_state/handles.h"

namespace heddle::cu {

Status cuLogsRegisterCallback(CUlogsCallback callbackFunc, void* userData,
                              CUlogsCallbackHandle* callback_out) {
  auto handle = cuda::add_log_listener(callbackFunc, userData);
  if (!handle) return handle.error();
  *callback_out = cuda::as_handle<CUlogsCallbackHandle>(*handle);
  return Unit{};
}

Status cuLogsUnregisterCallback(CUlogsCallbackHandle callback) {
  return cuda::remove_log_listener(cuda::number_of(callback));
}

Status cuLogsCurrent(CUlogIterator* iterator_out, unsigned int flags) {
  return cuda::log_position(iterator_out, flags);
}

Status cuLogsDumpToFile(CUlogIterator* iterator, const char* pathToFile, unsigned int flags) {
  return cuda::log_to_file(iterator, pathToFile, flags);
}

Status cuLogsDumpToMemory(CUlogIterator* iterator, char* buffer, size_t* size, unsigned int flags) {
  return cuda::log_to_memory(iterator, buffer, size, flags);
}

}  // namespace heddle::cu
