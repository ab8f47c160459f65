// The functions in the order of cl_khr_icd, which every handle begins with, and by name. Generated.
#pragma once

#include <cstddef>

namespace heddle::opencl {

const void* dispatch_table();
std::size_t dispatch_slots();

// nullptr where there is no such function.
void* function_address(const char* name);

}  // namespace heddle::opencl
