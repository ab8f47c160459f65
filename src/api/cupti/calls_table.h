// The functions whose calls programs may ask for, by the numbers of cupti_runtime_cbid.h and
// cupti_driver_cbid.h: generated from the enumerations in spec/cuda/types.
#pragma once

#include <cupti.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

namespace heddle::cupti {

struct NumberedCall {
  const char* name;  // as the API's entry knows it (api/entry/trace.h); nullptr: a number without a function
  const char* told;  // as programs are told it: with the version that brought it
  std::span<const uint8_t> sizes;  // of its parameters; 0 of what is no number and no pointer
};
// By number; 0 is none.
std::span<const NumberedCall> runtime_calls();
std::span<const NumberedCall> driver_calls();
std::span<const NumberedCall> calls_of(CUpti_CallbackDomain domain);

struct CallNumber {
  CUpti_CallbackDomain domain = CUPTI_CB_DOMAIN_INVALID;  // invalid: of neither API
  CUpti_CallbackId id = 0;
};
CallNumber number_of_call(std::string_view name);

template <class T>
constexpr uint8_t bytes_of() {
  return std::is_scalar_v<T> ? sizeof(T) : 0;
}

// More than there are numbers in any domain.
inline constexpr std::size_t most_callback_ids = 1024;

}  // namespace heddle::cupti
