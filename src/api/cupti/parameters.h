// What CUpti_CallbackData::functionParams points to: a call's parameters as a structure
// (generated_cuda_runtime_api_meta.h, generated_cuda_meta.h), as C lays it out.
#pragma once

#include <cstddef>
#include <vector>

#include "api/cupti/calls_table.h"
#include "api/entry/trace.h"

namespace heddle::cupti {

// Empty: it has none.
std::vector<std::byte> parameter_block(CallNumber call, entry::ArgumentList arguments);

}  // namespace heddle::cupti
