// The names of nvJitLink's errors, made from spec/cuda.
#pragma once

namespace heddle::entry {

const char* nvjitlink_error_name(int code);  // nullptr for none of its codes

}  // namespace heddle::entry
