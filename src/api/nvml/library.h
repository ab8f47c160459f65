// What NVML knows between nvmlInit and nvmlShutdown: the host's devices and their handles.
#pragma once

#include <string_view>
#include <vector>

#include "api/nvml/call.h"
#include "machine/card.h"

namespace heddle::nvml {

// Each initialization counts; as many shutdowns end it.
Status begin(bool devices_needed);
Status end();
bool begun();

// Of all of the host, in order; stays as it is while the process lives.
const std::vector<machine::Card>& cards();

// A handle is a number and never followed.
nvmlDevice_t handle_of(const machine::Card& card);
Answer<const machine::Card*> card_of(nvmlDevice_t device);

// With its final 0, or NVML_ERROR_INSUFFICIENT_SIZE.
Status put_text(std::string_view text, char* to, unsigned int length);

}  // namespace heddle::nvml
