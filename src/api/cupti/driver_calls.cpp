#include "api/cupti/driver_calls.h"

#include <array>
#include <bit>

#include "api/cuda_state/module.h"
#include "api/cuda_state/process.h"
#include "api/cuda_state/registry.h"
#include "api/cuda_state/thread.h"
#include "api/cupti/calls_table.h"

namespace heddle::cupti {

CUfunction CallPlace::kernel(const void* stub) const {
  const cuda::ContextRef current = cuda::current_context_if_any();
  if (current == nullptr) return nullptr;
  const auto found = cuda::Process::get().registry().function(current, stub);
  return found ? std::bit_cast<CUfunction>((*found)->handle()) : nullptr;
}

DriverCalls driver_calls_under(CUpti_CallbackId runtime, std::span<const std::byte> parameters) {
  static const auto& by_number = *[] {
    auto* made = new std::array<const UnderCall*, most_callback_ids>{};
    for (const UnderCall& one : calls_under()) (*made)[one.runtime] = &one;
    return made;
  }();
  DriverCalls calls;
  const UnderCall* found = by_number[runtime];
  if (found == nullptr) return calls;
  // A listener that came while the call began does not know what it was given.
  if (parameters.empty() && !calls_of(CUPTI_CB_DOMAIN_RUNTIME_API)[runtime].sizes.empty()) return calls;
  CallPlace place;
  if (const cuda::ContextRef current = cuda::current_context_if_any())
    place.context = std::bit_cast<CUcontext>(current->handle());
  found->calls(parameters.data(), place, calls);
  return calls;
}

}  // namespace heddle::cupti
