// Functions of the CUDA runtime API, as a program would call them; found by name, because modules link
// nothing of the runtime.
#pragma once

#include <cuda_runtime_api.h>

#include "libs/interface/services.h"

namespace heddle::libs {

template <class Function>
Function* runtime_function(const char* name) {
  return reinterpret_cast<Function*>(heddle_find("libcudart.so.12", name));
}
// HEDDLE_RUNTIME(cudaMalloc)(&pointer, bytes)
#define HEDDLE_RUNTIME(function)                                                                  \
  ([] {                                                                                           \
    static auto* const found = ::heddle::libs::runtime_function<decltype(::function)>(#function); \
    return found;                                                                                 \
  }())

}  // namespace heddle::libs
