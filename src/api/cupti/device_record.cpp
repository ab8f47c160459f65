#include "api/cupti/device_record.h"

#include <cstring>
#include <optional>

#include "api/cupti/records.h"
#include "machine/visible_devices.h"

namespace heddle::cupti {

namespace {

// Members that are attributes of the driver API, by its numbers.
struct Member {
  uint32_t CUpti_ActivityDevice6::* place;
  CUdevice_attribute attribute;
};
constexpr Member members[] = {
    {&CUpti_ActivityDevice6::constantMemorySize, CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY},
    {&CUpti_ActivityDevice6::l2CacheSize, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
    {&CUpti_ActivityDevice6::numThreadsPerWarp, CU_DEVICE_ATTRIBUTE_WARP_SIZE},
    {&CUpti_ActivityDevice6::coreClockRate, CU_DEVICE_ATTRIBUTE_CLOCK_RATE},
    {&CUpti_ActivityDevice6::numMemcpyEngines, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT},
    {&CUpti_ActivityDevice6::numMultiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
    {&CUpti_ActivityDevice6::maxBlocksPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR},
    {&CUpti_ActivityDevice6::maxSharedMemoryPerMultiprocessor,
     CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR},
    {&CUpti_ActivityDevice6::maxRegistersPerMultiprocessor,
     CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR},
    {&CUpti_ActivityDevice6::maxRegistersPerBlock, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK},
    {&CUpti_ActivityDevice6::maxSharedMemoryPerBlock, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK},
    {&CUpti_ActivityDevice6::maxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
    {&CUpti_ActivityDevice6::maxBlockDimX, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X},
    {&CUpti_ActivityDevice6::maxBlockDimY, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y},
    {&CUpti_ActivityDevice6::maxBlockDimZ, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z},
    {&CUpti_ActivityDevice6::maxGridDimX, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X},
    {&CUpti_ActivityDevice6::maxGridDimY, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y},
    {&CUpti_ActivityDevice6::maxGridDimZ, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z},
    {&CUpti_ActivityDevice6::computeCapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR},
    {&CUpti_ActivityDevice6::computeCapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR},
    {&CUpti_ActivityDevice6::eccEnabled, CU_DEVICE_ATTRIBUTE_ECC_ENABLED},
};

uint64_t attribute(const arch::Device& device, CUdevice_attribute number) {
  const std::optional<arch::Attribute> known = arch::find_cuda_attribute(number);
  return known ? static_cast<uint64_t>(device.attribute(*known).number) : 0;
}

}  // namespace

CUpti_ActivityDevice6 device_record(const runtime::Device& device) {
  const arch::Device& facts = device.facts;
  CUpti_ActivityDevice6 record{};
  record.kind = CUPTI_ACTIVITY_KIND_DEVICE;
  for (const Member& member : members)
    record.*member.place = static_cast<uint32_t>(attribute(facts, member.attribute));
  record.flags = facts.has(arch::Feature::concurrent_kernels) ? CUPTI_ACTIVITY_FLAG_DEVICE_CONCURRENT_KERNELS
                                                              : CUPTI_ACTIVITY_FLAG_NONE;
  // Kilobytes in a second: two words in a clock of the memory.
  record.globalMemoryBandwidth = 2 * attribute(facts, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) *
                                 attribute(facts, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8;
  record.globalMemorySize = facts.dram.total_bytes;
  record.maxWarpsPerMultiprocessor = static_cast<uint32_t>(
      attribute(facts, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) / facts.arch.launch.warp_size);
  record.id = device.index;
  const auto uuid = machine::device_uuid(facts.id, device.number_on_host);
  std::memcpy(&record.uuid, uuid.data(), sizeof record.uuid);
  record.name = kept_text(facts.name);
  record.isCudaVisible = 1;
  return record;
}

}  // namespace heddle::cupti
