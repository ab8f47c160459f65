// The log of errors as both APIs show it (CUDA Driver API, "Error Log Management"), whatever their types are
// called.
#pragma once

#include <cstddef>
#include <cstdint>

#include "api/cuda_state/code.h"
#include "api/entry/error_log.h"

namespace heddle::cuda {

Status log_to_file(uint32_t* iterator, const char* path, unsigned flags);
Status log_to_memory(uint32_t* iterator, char* buffer, std::size_t* size, unsigned flags);
Status log_position(uint32_t* iterator, unsigned flags);
Answer<uint64_t> add_log_listener(entry::ErrorLog::Listener listener);  // none is refused
// The program's function, called by its own type.
template <class Level>
Answer<uint64_t> add_log_listener(void (*callback)(void*, Level, char*, std::size_t), void* data) {
  if (callback == nullptr) return add_log_listener(nullptr);
  return add_log_listener([=](int level, char* text, std::size_t length) {
    callback(data, static_cast<Level>(level), text, length);
  });
}
Status remove_log_listener(uint64_t listener);

}  // namespace heddle::cuda
