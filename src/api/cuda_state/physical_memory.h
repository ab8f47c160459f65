// Physical memory as programs hold it (CUmemGenericAllocationHandle).
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "api/cuda_state/device_facts.h"
#include "api/cuda_state/process.h"
#include "runtime/physical_memory.h"

namespace heddle::cuda {

// What a descriptor that goes to another process stands for.
enum class SharedKind : uint64_t { allocation = 1, pool = 2, event = 3, pages = 4, multicast = 5 };
// The words of the memory's label; CUmemAllocationProp in all but the first. A device is there by its
// identity, because each process numbers those that it sees; label_place is the number of a place of the
// host.
enum LabelWord : uint8_t {
  label_kind,
  label_place_type,
  label_place,
  label_handle_types,
  label_compression,
  label_rdma,
  label_usage,
  label_device,  // in two words, DeviceIdentity
  label_device_end,
};
inline runtime::PhysicalMemory::Label new_label(SharedKind kind) { return {static_cast<uint64_t>(kind)}; }
inline void set_device(runtime::PhysicalMemory::Label& label, const Device& device) {
  const DeviceIdentity identity = device_identity(device);
  label[label_device] = identity[0];
  label[label_device_end] = identity[1];
}
inline Answer<Device*> device_of(Process& process, const runtime::PhysicalMemory::Label& label) {
  return find_device_by_identity(process, {label[label_device], label[label_device_end]});
}
inline bool is(const runtime::PhysicalMemory& memory, SharedKind kind) {
  return memory.label()[label_kind] == static_cast<uint64_t>(kind);
}
// CU_MEM_LOCATION_TYPE_HOST and the two that follow.
inline bool is_on_host(uint64_t place_type) { return place_type >= 2 && place_type <= 4; }

// Of a device as this process numbers it.
inline Answer<int> place_number(Process& process, const runtime::PhysicalMemory::Label& label) {
  if (is_on_host(label[label_place_type])) return static_cast<int>(label[label_place]);
  auto device = device_of(process, label);
  if (!device) return device.error();
  return (*device)->ordinal();
}

class PhysicalMemory {
 public:
  explicit PhysicalMemory(std::shared_ptr<runtime::PhysicalMemory> memory) : memory_(std::move(memory)) {}
  const std::shared_ptr<runtime::PhysicalMemory>& runtime() const { return memory_; }

  // The handle, and one more reference to it. What is mapped can have a handle again that it has no more.
  static Answer<uint64_t> retain(Process& process, const std::shared_ptr<runtime::PhysicalMemory>& memory);
  static Answer<std::shared_ptr<PhysicalMemory>> find(Process& process, uint64_t handle);
  // One reference less; the memory stays as long as it is mapped.
  static Status release(Process& process, uint64_t handle);

 private:
  const std::shared_ptr<runtime::PhysicalMemory> memory_;
  uint64_t handle_ = 0, references_ = 1;  // under the mutex of all
};

}  // namespace heddle::cuda
