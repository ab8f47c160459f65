// The functions whose calls programs may ask for, by the numbers of cupti_runtime_cbid.h and
// cupti_driver_cbid.h: generated from the enumerations in spec/cuda/types.
#pragma once

#include <cupti.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace heddle::cupti {

struct ParameterSize {
  uint8_t bytes, alignment;
};

struct NumberedCall {
  // As the API's entry knows it (api/entry/trace.h); nullptr: of no function, or of an older or newer
  // signature of one.
  const char* name;
  const char* told;                      // as programs are told it: with the version that brought it
  std::span<const ParameterSize> sizes;  // of its parameters
};
// By number; 0 is none.
std::span<const NumberedCall> runtime_calls();
std::span<const NumberedCall> driver_calls();
std::span<const NumberedCall> calls_of(CUpti_CallbackDomain domain);

// Those of NVTX (cupti_nvtx_cbid.h), by number.
std::span<const char* const> nvtx_functions();

struct CallNumber {
  CUpti_CallbackDomain domain = CUPTI_CB_DOMAIN_INVALID;  // invalid: of neither API
  CUpti_CallbackId id = 0;
};
CallNumber number_of_call(std::string_view name);

template <class T>
constexpr ParameterSize size_of() {
  static_assert(sizeof(T) < 256);
  return {sizeof(T), alignof(T)};
}

// More than there are numbers in any domain.
inline constexpr std::size_t most_callback_ids = 1024;

}  // namespace heddle::cupti
