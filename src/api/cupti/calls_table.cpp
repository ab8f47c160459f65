#include "api/cupti/calls_table.h"

#include <unordered_map>

namespace heddle::cupti {

std::span<const NumberedCall> calls_of(CUpti_CallbackDomain domain) {
  switch (domain) {
    case CUPTI_CB_DOMAIN_RUNTIME_API: return runtime_calls();
    case CUPTI_CB_DOMAIN_DRIVER_API: return driver_calls();
    default: return {};
  }
}

CallNumber number_of_call(std::string_view name) {
  static const auto& numbers = *[] {
    auto* made = new std::unordered_map<std::string_view, CallNumber>;
    for (const CUpti_CallbackDomain domain : {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_CB_DOMAIN_DRIVER_API}) {
      const std::span<const NumberedCall> calls = calls_of(domain);
      for (std::size_t i = 1; i < calls.size(); ++i)
        if (calls[i].name != nullptr)
          made->try_emplace(calls[i].name, CallNumber{domain, static_cast<CUpti_CallbackId>(i)});
    }
    return made;
  }();
  const auto found = numbers.find(name);
  return found == numbers.end() ? CallNumber{} : found->second;
}

}  // namespace heddle::cupti
