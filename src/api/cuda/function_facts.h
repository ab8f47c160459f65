// What is known of a kernel, and what a program may set of it.
#pragma once

#include "api/cuda/objects.h"

namespace heddle::cu {

Status get_attribute(cuda::Function& function, CUfunction_attribute attribute, int& value);
Status set_attribute(cuda::Function& function, CUfunction_attribute attribute, int value);
Status set_cache_config(cuda::Function& function, CUfunc_cache config);
// Where a parameter lies in the buffer of parameters.
Status parameter_info(const cuda::Function& function, size_t index, size_t* offset, size_t* size);

}  // namespace heddle::cu
