// Callbacks (cuFFT Library, "cuFFT Callback Routines"): device functions that each element goes through on
// its way into a transform, or out of it.
#include <algorithm>
#include <string>

#include "libs/cufft/callback.h"
#include "libs/cufft/functions.gen.h"
#include "libs/cufft/plan.h"

namespace heddle::cufft {
namespace {

constexpr size_t most_shared_bytes = size_t{16} << 10;  // "Parameters for all of the Callback Routines"

Plan::Side& side_of(Plan& plan, CallbackType type) { return type.load ? plan.input : plan.output; }

// As PTX spells functions.
bool is_name(const std::string& text) {
  const auto follows = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
  };
  return !text.empty() && std::ranges::all_of(text, follows) && !(text[0] >= '0' && text[0] <= '9') &&
         text != "_";
}

void check_fits(const Plan& plan, CallbackType type) {
  if (!plan.made) libs::refuse_code(CUFFT_INVALID_PLAN, "the plan has not been made");
  const Description& wanted = plan.description;
  if (type.number != wanted.number || type.complex != wanted.is_complex(type.load))
    libs::refuse_code(CUFFT_INVALID_TYPE, "the plan's elements on this side are of another type");
}

}  // namespace

void cufftXtSetCallback(cufftHandle handle, void** callback_routine, cufftXtCallbackType cbType,
                        void** caller_info) {
  const auto plan = find_plan(handle);
  const CallbackType type = meaning(cbType);
  if (callback_routine == nullptr) libs::refuse_null("callback_routine");
  if (*callback_routine == nullptr) libs::refuse_null("callback_routine[0]");
  uint64_t bytes = 0;
  {
    const std::lock_guard lock(plan->mutex);
    check_fits(*plan, type);
    if (plan->devices.size() > 1)
      libs::refuse(libs::Why::not_supported, "a callback of a plan of several devices");
    bytes = plan->bytes(type.load);
  }
  auto callback = std::make_shared<const Callback>(type, *callback_routine,
                                                   caller_info == nullptr ? nullptr : *caller_info, bytes);
  const std::lock_guard lock(plan->mutex);
  check_fits(*plan, type);
  side_of(*plan, type).callback.swap(callback);
}

// Linked when the plan is made (cuFFT Library, "LTO Load and Store Callback Routines").
void cufftXtSetJITCallback(cufftHandle handle, const char* lto_callback_symbol_name,
                           const void* lto_callback_fatbin, size_t lto_callback_fatbin_size,
                           cufftXtCallbackType cbType, void** caller_info) {
  const auto plan = find_plan(handle);
  const CallbackType type = meaning(cbType);
  if (lto_callback_symbol_name == nullptr) libs::refuse_null("lto_callback_symbol_name");
  if (lto_callback_fatbin == nullptr) libs::refuse_null("lto_callback_fatbin");
  libs::require(lto_callback_fatbin_size > 0, "lto_callback_fatbin_size is 0");
  const std::string symbol = lto_callback_symbol_name;
  libs::require(is_name(symbol), "lto_callback_symbol_name is no function's name");
  auto awaited = std::make_shared<const Plan::Awaited>(Plan::Awaited{
      type,
      {symbol, std::string(static_cast<const char*>(lto_callback_fatbin), lto_callback_fatbin_size)},
      caller_info == nullptr ? nullptr : *caller_info});
  const std::lock_guard lock(plan->mutex);
  if (plan->made) libs::refuse_code(CUFFT_INVALID_PLAN, "the plan has been made already");
  side_of(*plan, type).awaited = std::move(awaited);
}

void cufftXtClearCallback(cufftHandle handle, cufftXtCallbackType cbType) {
  const auto plan = find_plan(handle);
  const CallbackType type = meaning(cbType);
  std::shared_ptr<const Callback> gone;
  const std::lock_guard lock(plan->mutex);
  check_fits(*plan, type);
  side_of(*plan, type).callback.swap(gone);
}

void cufftXtSetCallbackSharedSize(cufftHandle handle, cufftXtCallbackType cbType, size_t sharedSize) {
  const auto plan = find_plan(handle);
  const CallbackType type = meaning(cbType);
  libs::require(sharedSize <= most_shared_bytes, "sharedSize is above 16384");
  const std::lock_guard lock(plan->mutex);
  check_fits(*plan, type);
  side_of(*plan, type).shared_bytes = static_cast<uint32_t>(sharedSize);
}

}  // namespace heddle::cufft
