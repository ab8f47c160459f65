// Multicast objects: memory of several devices, bound to one place, which multimem instructions reach.

#include "runtime/multicast.h"

#include <algorithm>

#include "api/cuda/functions.gen.h"
#include "api/cuda/objects.h"
#include "api/cuda_state/device.h"
#include "api/cuda_state/device_facts.h"
#include "api/cuda_state/physical_memory.h"
#include "runtime/virtual_range.h"

namespace heddle::cu {
namespace {

using MulticastRef = std::shared_ptr<runtime::Multicast>;

// As that of memory.
constexpr uint64_t granularity = uint64_t{2} << 20;

Answer<bool> can_multicast(const cuda::Device& device) {
  auto value = cuda::device_attribute(device, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED);
  if (!value) return value.error();
  return *value != 0;
}

Status check_properties(const CUmulticastObjectProp* properties) {
  if (properties == nullptr) return missing("prop");
  if (properties->flags != 0)
    return invalid_value("the flags of the properties must be 0, are " + std::to_string(properties->flags));
  constexpr unsigned long long known = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR | CU_MEM_HANDLE_TYPE_WIN32 |
                                       CU_MEM_HANDLE_TYPE_WIN32_KMT | CU_MEM_HANDLE_TYPE_FABRIC;
  if ((properties->handleTypes & ~known) != 0)
    return invalid_value("no handle has the type " + std::to_string(properties->handleTypes));
  unsigned able = 0;
  for (const cuda::Device& device : Process::get().devices()) {
    auto can = can_multicast(device);
    if (!can) return can.error();
    able += *can ? 1 : 0;
  }
  if (able == 0)
    return failure(Code::not_supported, "no device here has CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED");
  if (properties->numDevices == 0 || properties->numDevices > able)
    return invalid_value("a team of " + std::to_string(properties->numDevices) + " devices, 1 to " +
                         std::to_string(able) + " are possible");
  return Unit{};
}

Answer<MulticastRef> find_multicast(CUmemGenericAllocationHandle handle) {
  auto found = cuda::PhysicalMemory::find(Process::get(), handle);
  if (!found) return found.error();
  MulticastRef multicast = runtime::Multicast::of(*(*found)->runtime());
  if (multicast == nullptr) return invalid_value(runtime::hex(handle) + " is a handle of memory");
  return multicast;
}

Status whole_units(const char* what, uint64_t value) {
  if (value % granularity == 0) return Unit{};
  return invalid_value(std::string(what) + " is " + std::to_string(value) + ", no multiple of " +
                       std::to_string(granularity));
}

Status check_binding(uint64_t mc_offset, uint64_t size, unsigned long long flags) {
  if (flags != 0) return invalid_value("the flags must be 0, are " + std::to_string(flags));
  if (Status good = whole_units("the offset in the multicast object", mc_offset); !good) return good;
  if (size == 0) return invalid_value("the size is 0");
  return whole_units("the size", size);
}

Status bind_memory(const MulticastRef& multicast, uint64_t mc_offset,
                   const std::shared_ptr<runtime::PhysicalMemory>& memory, uint64_t memory_offset,
                   uint64_t size) {
  const auto& label = memory->label();
  if (is(*memory, cuda::SharedKind::multicast))
    return invalid_value("a multicast object is no memory to bind");
  if (cuda::is_on_host(label[cuda::label_place_type]))
    return invalid_value("memory of the host cannot be bound to a multicast object");
  auto device = cuda::device_of(Process::get(), label);
  if (!device) return device.error();
  auto opened = runtime::open_for_binding(memory, memory_offset, size);
  if (!opened) return status_of(opened);
  return status_of(multicast->bind((*device)->runtime().index, mc_offset, size, std::move(*opened)));
}

}  // namespace

Status cuMulticastCreate(CUmemGenericAllocationHandle* mcHandle, const CUmulticastObjectProp* prop) {
  if (Status good = check_properties(prop); !good) return good;
  if (prop->size == 0) return invalid_value("the size is 0");
  if (Status good = whole_units("the size", prop->size); !good) return good;
  auto made =
      runtime::Multicast::create(prop->size, prop->numDevices, cuda::new_label(cuda::SharedKind::multicast));
  if (!made) return status_of(made);
  return tell(mcHandle, cuda::PhysicalMemory::retain(Process::get(), *made));
}

Status cuMulticastAddDevice(CUmemGenericAllocationHandle mcHandle, CUdevice dev) {
  auto device = find_device(dev);
  if (!device) return device.error();
  auto multicast = find_multicast(mcHandle);
  if (!multicast) return multicast.error();
  auto can = can_multicast(**device);
  if (!can) return can.error();
  if (!*can)
    return failure(Code::not_supported,
                   std::string((*device)->facts().name) + " cannot take part in multicast objects");
  return status_of((*multicast)->add_device((*device)->runtime().index));
}

Status cuMulticastBindMem(CUmemGenericAllocationHandle mcHandle, size_t mcOffset,
                          CUmemGenericAllocationHandle memHandle, size_t memOffset, size_t size,
                          unsigned long long flags) {
  if (Status good = check_binding(mcOffset, size, flags); !good) return good;
  if (Status good = whole_units("the offset in the memory", memOffset); !good) return good;
  auto multicast = find_multicast(mcHandle);
  if (!multicast) return multicast.error();
  auto memory = cuda::PhysicalMemory::find(Process::get(), memHandle);
  if (!memory) return memory.error();
  (*multicast)->wait_for_team();
  return bind_memory(*multicast, mcOffset, (*memory)->runtime(), memOffset, size);
}

Status cuMulticastBindAddr(CUmemGenericAllocationHandle mcHandle, size_t mcOffset, CUdeviceptr memptr,
                           size_t size, unsigned long long flags) {
  if (Status good = check_binding(mcOffset, size, flags); !good) return good;
  auto multicast = find_multicast(mcHandle);
  if (!multicast) return multicast.error();
  const auto found = Process::get().system().memory().find(memptr);
  if (found == nullptr)
    return invalid_value("no memory of a device: " + Process::get().system().memory().describe(memptr));
  (*multicast)->wait_for_team();
  if (found->range != nullptr) {
    const auto piece = found->range->piece_at(memptr);
    if (!piece) return invalid_value("no memory is mapped at " + runtime::hex(memptr));
    return bind_memory(*multicast, mcOffset, piece->memory, memptr - piece->begin, size);
  }
  // Of a pool, or of cuMemAlloc: which of them it is nobody asks here.
  if (found->kind != runtime::MemoryKind::device || !found->holds(memptr, size))
    return invalid_value(std::to_string(size) + " bytes at " + runtime::hex(memptr) +
                         " are not all in one allocation of a device");
  if (Status good = whole_units("the address", memptr); !good) return good;
  return status_of((*multicast)->bind(found->device, mcOffset, size, {memptr, found}));
}

Status cuMulticastUnbind(CUmemGenericAllocationHandle mcHandle, CUdevice dev, size_t mcOffset, size_t size) {
  auto device = find_device(dev);
  if (!device) return device.error();
  if (Status good = check_binding(mcOffset, size, 0); !good) return good;
  auto multicast = find_multicast(mcHandle);
  if (!multicast) return multicast.error();
  return status_of((*multicast)->unbind((*device)->runtime().index, mcOffset, size));
}

Status cuMulticastGetGranularity(size_t* granularity_out, const CUmulticastObjectProp* prop,
                                 CUmulticastGranularity_flags option) {
  if (option != CU_MULTICAST_GRANULARITY_MINIMUM && option != CU_MULTICAST_GRANULARITY_RECOMMENDED)
    return invalid_value("no granularity has the number " + std::to_string(option));
  if (Status good = check_properties(prop); !good) return good;
  *granularity_out = granularity;
  return Unit{};
}

}  // namespace heddle::cu
