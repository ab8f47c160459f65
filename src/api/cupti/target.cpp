// Devices as CUPTI tells them: whether it works there, and their chips.
#include <algorithm>
#include <cstddef>
#include <string>

#include "api/cuda_state/process.h"
#include "api/cupti/functions.gen.h"
#include "api/cupti/session.h"
#include "arch/device.h"
#include "runtime/system.h"

namespace heddle::cupti {

namespace {

Answer<const runtime::Device*> find_device(std::size_t index) {
  cuda::Process& process = cuda::Process::get();
  if (!process.state()) return failure(CUPTI_ERROR_NOT_INITIALIZED, "there are no devices to work with");
  if (index >= process.system().devices().size())
    return failure(CUPTI_ERROR_INVALID_DEVICE, "there is no device " + std::to_string(index));
  return &process.system().devices()[index];
}

}  // namespace

Status cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* pParams) {
  if (pParams->structSize == 0) return invalid_parameter("pParams->structSize is 0");
  const auto device = find_device(pParams->deviceIndex);
  if (!device) return device.error();
  const std::string_view chip = (*device)->facts.board.chip;
  if (chip.empty())
    return failure(CUPTI_ERROR_NOT_SUPPORTED,
                   "the chip of " + arch::describe((*device)->facts) + " is not known");
  pParams->pChipName = kept_text(chip);
  return Unit{};
}

// 1: all of it works there.
Status cuptiComputeCapabilitySupported(int major, int minor, int* support) {
  *support = std::ranges::any_of(arch::all_architectures(), [&](const arch::Architecture& one) {
    return one.capability.major == major && one.capability.minor == minor;
  });
  return Unit{};
}

Status cuptiDeviceSupported(CUdevice dev, int* support) {
  const auto device = find_device(static_cast<std::size_t>(dev));
  if (!device) return device.error();
  *support = 1;
  return Unit{};
}

// Whether one of the profilers works there (CUpti_Profiler_API): none does.
Status cuptiProfilerDeviceSupported(CUpti_Profiler_DeviceSupported_Params* pParams) {
  CUpti_Profiler_DeviceSupported_Params& told = *pParams;
  if (told.structSize < offsetof(CUpti_Profiler_DeviceSupported_Params, sku))
    return invalid_parameter("pParams->structSize is " + std::to_string(told.structSize));
  const auto device = find_device(static_cast<std::size_t>(told.cuDevice));
  if (!device) return device.error();
  told.isSupported = told.architecture = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
  for (auto* other : {&told.sli, &told.vGpu, &told.confidentialCompute, &told.cmp, &told.wsl})
    *other = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
  // A member that came later.
  if (told.structSize > offsetof(CUpti_Profiler_DeviceSupported_Params, sku))
    told.sku = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
  return Unit{};
}

Status cuptiDeviceVirtualizationMode(CUdevice dev, CUpti_DeviceVirtualizationMode* mode) {
  const auto device = find_device(static_cast<std::size_t>(dev));
  if (!device) return device.error();
  *mode = CUPTI_DEVICE_VIRTUALIZATION_MODE_NONE;
  return Unit{};
}

}  // namespace heddle::cupti
