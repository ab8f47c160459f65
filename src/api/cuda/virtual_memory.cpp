// Addresses and physical memory apart: reserved, made, mapped, opened to devices, given to other processes.
#include <algorithm>
#include <cstring>
#include <vector>

#include "api/cuda/functions.gen.h"
#include "api/cuda/objects.h"
#include "api/cuda_state/device.h"
#include "api/cuda_state/device_facts.h"
#include "api/cuda_state/physical_memory.h"
#include "runtime/multicast.h"
#include "runtime/virtual_range.h"

namespace heddle::cu {
namespace {

using runtime::VirtualRange;
using Label = runtime::PhysicalMemory::Label;

// What memory is made, mapped and opened in multiples of, on every device so far.
constexpr uint64_t granularity = uint64_t{2} << 20;
constexpr uint64_t page = runtime::AddressSpace::page_bytes;

runtime::Memory& memory() { return Process::get().system().memory(); }

// "flags ... must be zero for now" of most functions here.
Status no_flags(unsigned long long flags) {
  if (flags == 0) return Unit{};
  return invalid_value("the flags must be 0, are " + std::to_string(flags));
}

Status multiple(const char* what, uint64_t value, uint64_t of) {
  if (value != 0 && value % of == 0) return Unit{};
  return invalid_value(std::string(what) + " is " + std::to_string(value) + ", no multiple of " +
                       std::to_string(of));
}

// Where memory is, or who touches it: a device's index, or the host.
Answer<int> place_of(const CUmemLocation& location) {
  if (cuda::is_on_host(location.type)) {
    // One host is one node here.
    if (location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA && location.id != 0)
      return failure(Code::invalid_device, "the host has no memory node " + std::to_string(location.id));
    return VirtualRange::host;
  }
  if (location.type != CU_MEM_LOCATION_TYPE_DEVICE)
    return invalid_value("no place has the type " + std::to_string(location.type));
  auto device = find_device(location.id);
  if (!device) return device.error();
  const auto able = cuda::device_attribute(**device, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED);
  if (!able || *able == 0)
    return failure(Code::not_supported, std::string((*device)->facts().name) + " cannot map memory");
  return location.id;
}

// The properties, which are good, travel with the memory.
Answer<Label> label_of(const CUmemAllocationProp& properties) {
  Label label = cuda::new_label(cuda::SharedKind::allocation);
  label[cuda::label_place_type] = static_cast<uint64_t>(properties.location.type);
  if (properties.location.type == CU_MEM_LOCATION_TYPE_DEVICE) {
    auto device = find_device(properties.location.id);
    if (!device) return device.error();
    set_device(label, **device);
  } else {
    label[cuda::label_place] = static_cast<uint64_t>(properties.location.id);
  }
  label[cuda::label_handle_types] = static_cast<uint64_t>(properties.requestedHandleTypes);
  label[cuda::label_compression] = properties.allocFlags.compressionType;
  label[cuda::label_rdma] = properties.allocFlags.gpuDirectRDMACapable;
  label[cuda::label_usage] = properties.allocFlags.usage;
  return label;
}
Answer<CUmemAllocationProp> properties_of(const Label& label) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = static_cast<CUmemLocationType>(label[cuda::label_place_type]);
  auto place = place_number(Process::get(), label);
  if (!place) return place.error();
  properties.location.id = *place;
  properties.requestedHandleTypes = static_cast<CUmemAllocationHandleType>(label[cuda::label_handle_types]);
  properties.allocFlags.compressionType = static_cast<unsigned char>(label[cuda::label_compression]);
  properties.allocFlags.gpuDirectRDMACapable = static_cast<unsigned char>(label[cuda::label_rdma]);
  properties.allocFlags.usage = static_cast<unsigned short>(label[cuda::label_usage]);
  return properties;
}

Answer<int> check_properties(const CUmemAllocationProp* properties) {
  if (properties == nullptr) return missing("prop").error();
  if (properties->type != CU_MEM_ALLOCATION_TYPE_PINNED)
    return invalid_value("memory of the type " + std::to_string(properties->type) +
                         "; CU_MEM_ALLOCATION_TYPE_PINNED is possible");
  constexpr int possible = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  const int asked = properties->requestedHandleTypes;
  if ((asked & ~possible) != 0) {
    constexpr int known = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR | CU_MEM_HANDLE_TYPE_WIN32 |
                          CU_MEM_HANDLE_TYPE_WIN32_KMT | CU_MEM_HANDLE_TYPE_FABRIC;
    if ((asked & ~known) != 0) return invalid_value("no handle has the type " + std::to_string(asked));
    return failure(Code::not_supported,
                   "a handle of the type " + std::to_string(asked) + "; file descriptors are possible");
  }
  return place_of(properties->location);
}

// The reservation that has all of a range.
Answer<runtime::AllocationRef> reservation(CUdeviceptr ptr, size_t size) {
  auto found = memory().find(ptr);
  if (found == nullptr || found->range == nullptr)
    return invalid_value("no reserved address: " + memory().describe(ptr));
  if (size == 0 || !found->holds(ptr, size))
    return invalid_value(std::to_string(size) + " bytes at " + runtime::hex(ptr) +
                         " are not all in the reservation of " + std::to_string(found->bytes) + " bytes at " +
                         runtime::hex(found->address));
  return found;
}

Answer<VirtualRange::Piece> piece_at(CUdeviceptr ptr) {
  const auto found = memory().find(ptr);
  if (found == nullptr || found->range == nullptr)
    return invalid_value("no reserved address: " + memory().describe(ptr));
  auto piece = found->range->piece_at(ptr);
  if (!piece) return invalid_value("nothing is mapped at " + runtime::hex(ptr));
  return std::move(*piece);
}

}  // namespace

// ---- addresses
Status cuMemAddressReserve(CUdeviceptr* ptr, size_t size, size_t alignment, CUdeviceptr addr,
                           unsigned long long flags) {
  if (Status good = no_flags(flags); !good) return good;
  if (Status good = multiple("the size", size, page); !good) return good;
  if ((alignment & (alignment - 1)) != 0)
    return invalid_value("an alignment of " + std::to_string(alignment) + " bytes, no power of two");
  auto reserved = memory().reserve(size, std::max<uint64_t>(alignment, granularity), addr);
  if (!reserved) return status_of(reserved);
  *ptr = (*reserved)->address;
  return Unit{};
}

Status cuMemAddressFree(CUdeviceptr ptr, size_t size) {
  const auto found = memory().find_at(ptr);
  if (found == nullptr || found->range == nullptr)
    return invalid_value("no reservation: " + memory().describe(ptr));
  if (found->bytes != size)
    return invalid_value(std::to_string(size) + " bytes of a reservation of " + std::to_string(found->bytes));
  if (!found->range->empty()) return invalid_value("memory is mapped to the reservation");
  memory().release(found);
  return Unit{};
}

// ---- physical memory
Status cuMemCreate(CUmemGenericAllocationHandle* handle, size_t size, const CUmemAllocationProp* prop,
                   unsigned long long flags) {
  if (Status good = no_flags(flags); !good) return good;
  auto place = check_properties(prop);
  if (!place) return place.error();
  if (Status good = multiple("the size", size, granularity); !good) return good;
  runtime::MemoryBudget* const budget = *place == VirtualRange::host
                                            ? &Process::get().system().host_budget()
                                            : &(*find_device(*place))->runtime().budget;
  auto label = label_of(*prop);
  if (!label) return label.error();
  auto made = runtime::PhysicalMemory::create(size, *label, budget);
  if (!made) return status_of(made);
  return tell(handle, cuda::PhysicalMemory::retain(Process::get(), std::move(*made)));
}

Status cuMemRelease(CUmemGenericAllocationHandle handle) {
  return cuda::PhysicalMemory::release(Process::get(), handle);
}

Status cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* addr) {
  auto piece = piece_at(number_of(addr));
  if (!piece) return piece.error();
  return tell(handle, cuda::PhysicalMemory::retain(Process::get(), piece->memory));
}

Status cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* prop,
                                              CUmemGenericAllocationHandle handle) {
  auto found = cuda::PhysicalMemory::find(Process::get(), handle);
  if (!found) return found.error();
  return tell(prop, properties_of((*found)->runtime()->label()));
}

Status cuMemGetAllocationGranularity(size_t* granularity_out, const CUmemAllocationProp* prop,
                                     CUmemAllocationGranularity_flags option) {
  if (option != CU_MEM_ALLOC_GRANULARITY_MINIMUM && option != CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)
    return invalid_value("no granularity has the number " + std::to_string(option));
  if (auto place = check_properties(prop); !place) return place.error();
  *granularity_out = granularity;
  return Unit{};
}

// ---- mapping
Status cuMemMap(CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                unsigned long long flags) {
  if (Status good = no_flags(flags); !good) return good;
  if (offset != 0) return invalid_value("the offset must be 0, is " + std::to_string(offset));
  if (Status good = multiple("the address", ptr, granularity); !good) return good;
  if (Status good = multiple("the size", size, granularity); !good) return good;
  auto found = cuda::PhysicalMemory::find(Process::get(), handle);
  if (!found) return found.error();
  auto reserved = reservation(ptr, size);
  if (!reserved) return reserved.error();
  if (const auto multicast = runtime::Multicast::of(*(*found)->runtime())) multicast->wait_for_team();
  return status_of((*reserved)->range->map(ptr, size, (*found)->runtime()));
}

Status cuMemUnmap(CUdeviceptr ptr, size_t size) {
  auto reserved = reservation(ptr, size);
  if (!reserved) return reserved.error();
  if (auto idle = Process::get().system().wait_for_users(ptr, size); !idle) return status_of(idle);
  return status_of((*reserved)->range->unmap(ptr, size));
}

Status cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc* desc, size_t count) {
  if (desc == nullptr) return missing("desc");
  if (count == 0) return invalid_value("rights for nobody");
  std::vector<VirtualRange::Right> rights;
  for (size_t i = 0; i < count; ++i) {
    auto place = place_of(desc[i].location);
    if (!place) return place.error();
    switch (desc[i].flags) {
      case CU_MEM_ACCESS_FLAGS_PROT_NONE: rights.push_back({*place, runtime::Access::none}); break;
      case CU_MEM_ACCESS_FLAGS_PROT_READ: rights.push_back({*place, runtime::Access::read}); break;
      case CU_MEM_ACCESS_FLAGS_PROT_READWRITE: rights.push_back({*place, runtime::Access::read_write}); break;
      default: return invalid_value("no right has the number " + std::to_string(desc[i].flags));
    }
  }
  auto reserved = reservation(ptr, size);
  if (!reserved) return reserved.error();
  // The host reaches memory of the host only.
  for (const VirtualRange::Right& right : rights) {
    if (right.place != VirtualRange::host) continue;
    for (uint64_t at = ptr; at < ptr + size;) {
      auto piece = piece_at(at);
      if (!piece) return piece.error();
      if (!cuda::is_on_host(piece->memory->label()[cuda::label_place_type]))
        return invalid_value("the host cannot be given rights to memory of a device");
      at = piece->end();
    }
  }
  if (std::ranges::any_of(rights,
                          [](const auto& right) { return right.access != runtime::Access::read_write; }))
    if (auto idle = Process::get().system().wait_for_users(ptr, size); !idle) return status_of(idle);
  return status_of((*reserved)->range->set_access(ptr, size, rights));
}

Status cuMemGetAccess(unsigned long long* flags, const CUmemLocation* location, CUdeviceptr ptr) {
  if (location == nullptr) return missing("location");
  auto place = place_of(*location);
  if (!place) return place.error();
  auto piece = piece_at(ptr);
  if (!piece) return piece.error();
  *flags = static_cast<unsigned long long>(piece->of(*place));
  return Unit{};
}

// ---- other processes
Status cuMemExportToShareableHandle(void* shareableHandle, CUmemGenericAllocationHandle handle,
                                    CUmemAllocationHandleType handleType, unsigned long long flags) {
  if (shareableHandle == nullptr) return missing("shareableHandle");
  if (Status good = no_flags(flags); !good) return good;
  auto found = cuda::PhysicalMemory::find(Process::get(), handle);
  if (!found) return found.error();
  if (is(*(*found)->runtime(), cuda::SharedKind::multicast))
    return failure(Code::not_supported, "multicast objects of several processes");
  const auto made_for = static_cast<int>((*found)->runtime()->label()[cuda::label_handle_types]);
  if (handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || (made_for & handleType) == 0)
    return invalid_value("the memory was made for handles of the type " + std::to_string(made_for) +
                         ", not " + std::to_string(handleType));
  auto descriptor = (*found)->runtime()->duplicate();
  if (!descriptor) return status_of(descriptor);
  const int number = *descriptor;
  std::memcpy(shareableHandle, &number, sizeof number);
  return Unit{};
}

Status cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* osHandle,
                                      CUmemAllocationHandleType shHandleType) {
  if (shHandleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
    return invalid_value("a handle of the type " + std::to_string(shHandleType) +
                         "; file descriptors are possible");
  // The descriptor itself, as if it were a pointer.
  auto opened = runtime::PhysicalMemory::open(static_cast<int>(number_of(osHandle)));
  if (!opened) return status_of(opened);
  const Label& label = (*opened)->label();
  if (!is(**opened, cuda::SharedKind::allocation))
    return invalid_value("the descriptor is of something else than cuMemCreate's memory");
  auto properties = properties_of(label);
  if (!properties) return properties.error();
  if (auto place = place_of(properties->location); !place) return place.error();
  return tell(handle, cuda::PhysicalMemory::retain(Process::get(), std::move(*opened)));
}

}  // namespace heddle::cu
