// What an address belongs to (unified addressing).
#include <cstring>

#include "api/cuda/functions.gen.h"
#include "api/cuda/objects.h"
#include "api/cuda_state/device.h"
#include "api/cuda_state/physical_memory.h"
#include "runtime/virtual_range.h"

namespace heddle::cu {
namespace {

using runtime::MemoryKind;

ContextRef context_of(const runtime::Allocation& memory) {
  for (const ContextRef& context : Process::get().handles().contexts.all())
    if (context->runtime().get() == memory.owner) return context;
  return nullptr;
}

bool of_host(const runtime::Allocation& memory) {
  return memory.kind == MemoryKind::pinned || memory.kind == MemoryKind::registered;
}

template <class T>
Status give(void* data, T value) {
  std::memcpy(data, &value, sizeof value);
  return Unit{};
}

// Of reserved addresses: what is mapped there, if anything is.
Status attribute_of_reserved(void* data, CUpointer_attribute attribute, CUdeviceptr address,
                             const runtime::Allocation& memory) {
  const auto piece = memory.range->piece_at(address);
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MAPPED: return give<int>(data, piece ? 1 : 0);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: return give<CUdeviceptr>(data, memory.address);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: return give<size_t>(data, memory.bytes);
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE: return give<int>(data, 0);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: return give<unsigned long long>(data, memory.id);
    case CU_POINTER_ATTRIBUTE_CONTEXT: return give<CUcontext>(data, nullptr);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: return give<CUmemoryPool>(data, nullptr);
    default: break;
  }
  if (!piece) return invalid_value("nothing is mapped at " + runtime::hex(address));
  const auto& label = piece->memory->label();
  if (is(*piece->memory, cuda::SharedKind::multicast))
    return invalid_value("a multicast object is mapped at " + runtime::hex(address));
  const bool on_host = cuda::is_on_host(label[cuda::label_place_type]);
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return give<unsigned int>(data, on_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: return give(data, address);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      if (piece->of(runtime::VirtualRange::host) == runtime::Access::none)
        return invalid_value("the host does not reach the memory");
      return give(data, as_handle<void*>(address));
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: {
      if (on_host) return give<int>(data, CU_DEVICE_CPU);
      auto device = cuda::place_number(Process::get(), label);
      if (!device) return device.error();
      return give<int>(data, *device);
    }
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      return give<unsigned long long>(data, label[cuda::label_handle_types]);
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS: {
      const ContextRef context = cuda::current_context_if_any();
      return give<int>(data, static_cast<int>(piece->of(context ? context->device().ordinal() : 0)));
    }
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR: return give<CUdeviceptr>(data, piece->begin);
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE: return give<size_t>(data, piece->bytes);
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
      return give<unsigned long long>(data, piece->memory->identity());
    case CU_POINTER_ATTRIBUTE_P2P_TOKENS:
      return failure(Code::not_supported, "other devices' drivers have no tokens here");
    default: return invalid_value("no attribute of addresses has the number " + std::to_string(attribute));
  }
}

Status attribute_of(void* data, CUpointer_attribute attribute, CUdeviceptr address,
                    const runtime::Allocation& memory) {
  if (memory.range != nullptr) return attribute_of_reserved(data, attribute, address, memory);
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: {
      const ContextRef context = context_of(memory);
      return give(data, context == nullptr ? nullptr : as_handle<CUcontext>(context->handle()));
    }
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return give<unsigned int>(data, of_host(memory) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      if (!memory.guest_visible) return invalid_value("kernels do not reach the memory");
      return give(data, address);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      if (!of_host(memory) && memory.kind != MemoryKind::managed)
        return invalid_value("the host does not reach the memory");
      return give(data, as_handle<void*>(address));
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: return give<int>(data, 0);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID: return give<unsigned long long>(data, memory.id);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: return give<int>(data, memory.kind == MemoryKind::managed ? 1 : 0);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return give<int>(data, static_cast<int>(memory.device));
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE: return give<int>(data, 0);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR: return give<CUdeviceptr>(data, memory.address);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE: return give<size_t>(data, memory.bytes);
    case CU_POINTER_ATTRIBUTE_MAPPED: return give<int>(data, 1);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: return give<unsigned long long>(data, 0);
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE: return give<int>(data, 0);
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return give<int>(data, memory.read_only ? CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READ
                                              : CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: return give<CUmemoryPool>(data, nullptr);
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE: return give<int>(data, 0);
    case CU_POINTER_ATTRIBUTE_P2P_TOKENS:
      return failure(Code::not_supported, "other devices' drivers have no tokens here");
    default: return invalid_value("no attribute of addresses has the number " + std::to_string(attribute));
  }
}

}  // namespace

Status cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr ptr) {
  if (data == nullptr) return missing("data");
  const auto memory = Process::get().system().memory().find(ptr);
  if (memory == nullptr) return invalid_value(Process::get().system().memory().describe(ptr));
  return attribute_of(data, attribute, ptr, *memory);
}

// What an address that is none of CUDA's does not have is told as 0, and is no error
// (cuPointerGetAttributes).
Status cuPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute* attributes, void** data,
                              CUdeviceptr ptr) {
  const auto memory = Process::get().system().memory().find(ptr);
  for (unsigned int i = 0; i < numAttributes; ++i) {
    if (data[i] == nullptr) return missing("data");
    if (memory != nullptr && attribute_of(data[i], attributes[i], ptr, *memory)) continue;
    switch (attributes[i]) {
      case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
      case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      case CU_POINTER_ATTRIBUTE_MAPPED:
      case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
      case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE: (void)give<int>(data[i], 0); break;
      case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: (void)give<int>(data[i], CU_DEVICE_INVALID); break;
      default:
        if (attributes[i] < CU_POINTER_ATTRIBUTE_CONTEXT ||
            attributes[i] > CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE)
          return invalid_value("no attribute of addresses has the number " + std::to_string(attributes[i]));
        (void)give<uint64_t>(data[i], 0);
    }
  }
  return Unit{};
}

Status cuPointerSetAttribute(const void* value, CUpointer_attribute attribute, CUdeviceptr ptr) {
  if (value == nullptr) return missing("value");
  if (attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)
    return invalid_value("attribute " + std::to_string(attribute) + " of an address cannot be set");
  if (Process::get().system().memory().find(ptr) == nullptr)
    return invalid_value(Process::get().system().memory().describe(ptr));
  return Unit{};  // copies of the memory are synchronous or not as their calls say
}

}  // namespace heddle::cu
