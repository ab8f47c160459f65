// Initialization, errors, and what is the same for all devices.
#include <array>
#include <cstring>
#include <fstream>

#include "api/entry/errors.gen.h"
#include "api/nvml/functions.gen.h"
#include "api/nvml/library.h"
#include "machine/driver_version.h"

namespace heddle::nvml {

Status nvmlInit_v2() { return begin(true); }

Status nvmlInitWithFlags(unsigned int flags) {
  constexpr unsigned known = NVML_INIT_FLAG_NO_GPUS | NVML_INIT_FLAG_NO_ATTACH;
  if ((flags & ~known) != 0) return invalid_argument("flags " + std::to_string(flags) + " mean nothing");
  return begin((flags & NVML_INIT_FLAG_NO_GPUS) == 0);
}

Status nvmlShutdown() { return end(); }

const char* nvmlErrorString(nvmlReturn_t result) {
  switch (result) {
    case NVML_SUCCESS: return "Success";
    case NVML_ERROR_UNINITIALIZED: return "Uninitialized";
    case NVML_ERROR_INVALID_ARGUMENT: return "Invalid Argument";
    case NVML_ERROR_NOT_SUPPORTED: return "Not Supported";
    case NVML_ERROR_NO_PERMISSION: return "Insufficient Permissions";
    case NVML_ERROR_NOT_FOUND: return "Not Found";
    case NVML_ERROR_INSUFFICIENT_SIZE: return "Insufficient Size";
    case NVML_ERROR_DRIVER_NOT_LOADED: return "Driver Not Loaded";
    case NVML_ERROR_LIBRARY_NOT_FOUND: return "NVML Shared Library Not Found";
    case NVML_ERROR_FUNCTION_NOT_FOUND: return "Function Not Found";
    case NVML_ERROR_MEMORY: return "Insufficient Memory";
    case NVML_ERROR_ARGUMENT_VERSION_MISMATCH: return "Argument Version Mismatch";
    default: break;
  }
  const char* name = entry::nvml_error_name(result);
  return name != nullptr ? name : "Unknown Error";
}

Status nvmlSystemGetCudaDriverVersion(int* cudaDriverVersion) {
  const auto version = machine::driver_version();
  if (!version) return failure(NVML_ERROR_DRIVER_NOT_LOADED, version.error().message);
  *cudaDriverVersion = *version;
  return Unit{};
}

Status nvmlSystemGetDriverVersion(char* version, unsigned int length) {
  int cuda = 0;
  if (Status known = nvml::nvmlSystemGetCudaDriverVersion(&cuda); !known) return known;
  return put_text(machine::driver_release(cuda), version, length);
}

// The version of the library's functions, then the driver's.
Status nvmlSystemGetNVMLVersion(char* version, unsigned int length) {
  int cuda = 0;
  if (Status known = nvml::nvmlSystemGetCudaDriverVersion(&cuda); !known) return known;
  return put_text(std::to_string(cuda / 1000) + '.' + std::string(machine::driver_release(cuda)), version,
                  length);
}

Status nvmlSystemGetProcessName(unsigned int pid, char* name, unsigned int length) {
  if (length == 0) return failure(NVML_ERROR_INSUFFICIENT_SIZE, "no room");
  std::ifstream file("/proc/" + std::to_string(pid) + "/cmdline", std::ios::binary);
  std::string line;
  if (!std::getline(file, line, '\0'))
    return failure(NVML_ERROR_NOT_FOUND, "there is no process " + std::to_string(pid));
  return put_text(std::string_view(line).substr(0, length - 1), name, length);  // cut off, as documented
}

Status nvmlSystemGetConfComputeState(nvmlConfComputeSystemState_t* state) {
  std::memset(state, 0, sizeof *state);  // off
  return Unit{};
}

Status nvmlSystemGetConfComputeCapabilities(nvmlConfComputeSystemCaps_t* capabilities) {
  capabilities->cpuCaps = NVML_CC_SYSTEM_CPU_CAPS_NONE;
  capabilities->gpusCaps = NVML_CC_SYSTEM_GPUS_CC_NOT_CAPABLE;
  return Unit{};
}

}  // namespace heddle::nvml
