// Names and texts of the APIs' status codes, from spec/cuda. nullptr where there is no such code.
#pragma once

namespace heddle::entry {

const char* runtime_error_name(int code);
const char* driver_error_name(int code);
const char* nvrtc_error_name(int code);
const char* nvml_error_name(int code);
const char* nvvm_error_name(int code);
const char* cupti_error_name(int code);
// The same for runtime and driver API, which number their errors alike.
const char* error_text(int code);

}  // namespace heddle::entry
