// No exception leaves an API's function: memory of the host may run out anywhere.
#pragma once

#include <exception>
#include <new>
#include <type_traits>

#include "api/cuda_state/code.h"

namespace heddle::cuda {

// What the body returns; a Status or a code says what it threw instead, other types are empty then.
template <class Value, class Body>
Value guarded(const Body& body) noexcept {
  const auto answer = [](Code code, const char* message) -> Value {
    if constexpr (std::is_same_v<Value, Status>)
      return failure(code, message);
    else if constexpr (std::is_same_v<Value, Code>)
      return code;
    else if constexpr (!std::is_void_v<Value>)
      return Value();
  };
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return answer(Code::out_of_memory, "out of memory");  // short: needs no memory itself
  } catch (const std::exception& thrown) {
    return answer(Code::unknown, thrown.what());
  } catch (...) {
    return answer(Code::unknown, "an exception of another kind");
  }
}

}  // namespace heddle::cuda
