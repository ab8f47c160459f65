// Memory of devices and of the host: getting it, giving it back, and what is known of an address.
#include <algorithm>
#include <cstring>

#include "api/cuda_state/capture.h"
#include "api/cuda_state/memory_pool.h"
#include "api/cuda_state/physical_memory.h"
#include "api/cudart/functions.gen.h"
#include "api/cudart/objects.h"

namespace heddle::cudart {
namespace {

// Rows begin at multiples of it, as on a device.
constexpr uint64_t row_alignment = 512;

// What may make a device wait is forbidden while a stream is being captured.
Answer<ContextRef> context_for_memory() {
  if (Status allowed = cuda::no_capture_forbids(); !allowed) return allowed.error();
  return working_context();
}

Answer<uint64_t> pitch_of(uint64_t width) {
  if (width > UINT64_MAX - row_alignment) return invalid_value("a row of more than 2^64 bytes");
  return (width + row_alignment - 1) / row_alignment * row_alignment;
}

// Memory of 0 bytes is none, and no error.
Status allocate(void** pointer, MemoryKind kind, uint64_t bytes, unsigned flags = 0) {
  *pointer = nullptr;
  auto context = context_for_memory();
  if (!context) return context.error();
  if (bytes == 0) return Unit{};
  auto memory = (*context)->runtime()->allocate(kind, bytes, flags);
  if (!memory) return status_of(memory);
  *pointer = as_handle<void*>((*memory)->address);
  return Unit{};
}

runtime::Memory& memory() { return Process::get().system().memory(); }

// Whether kernels reach page-locked memory. With unified addresses all of it is mapped (CUDA C++ Programming
// Guide, "Unified Virtual Address Space"); before, that which asks for it, where the device can at all.
bool maps(const cuda::Context& context, bool asked) {
  const arch::Device& device = context.device().facts();
  return device.has(arch::Feature::mapped_host_memory) &&
         (asked || device.has(arch::Feature::unified_addressing));
}

}  // namespace

Status cudaMalloc(void** devPtr, size_t size) { return allocate(devPtr, MemoryKind::device, size); }

Status cudaMallocManaged(void** devPtr, size_t size, unsigned int flags) {
  if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
    return invalid_value("flags " + std::to_string(flags) + ": cudaMemAttachGlobal or cudaMemAttachHost");
  if (size == 0) return invalid_value("an allocation of 0 bytes");
  auto context = context_for_memory();
  if (!context) return context.error();
  if (!(*context)->device().facts().has(arch::Feature::managed_memory))
    return failure(Code::not_supported,
                   arch::describe((*context)->device().facts()) + " has no managed memory");
  return allocate(devPtr, MemoryKind::managed, size, flags);
}

Status cudaMallocPitch(void** devPtr, size_t* pitch, size_t width, size_t height) {
  auto row = pitch_of(width);
  if (!row) return row.error();
  if (height != 0 && *row > UINT64_MAX / height) return failure(Code::out_of_memory, "more than 2^64 bytes");
  if (Status made = allocate(devPtr, MemoryKind::device, *row * height); !made) return made;
  *pitch = *row;
  return Unit{};
}

Status cudaMalloc3D(cudaPitchedPtr* pitchedDevPtr, cudaExtent extent) {
  size_t pitch = 0, rows = 0;
  void* pointer = nullptr;
  if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
    return failure(Code::out_of_memory, "more than 2^64 rows");
  if (Status made = cudart::cudaMallocPitch(&pointer, &pitch, extent.width, rows); !made) return made;
  *pitchedDevPtr = {pointer, pitch, extent.width, extent.height};
  return Unit{};
}

Status cudaFree(void* devPtr) {
  auto context = context_for_memory();
  if (!context) return context.error();
  if (devPtr == nullptr) return Unit{};
  const uint64_t address = number_of(devPtr);
  return cuda::free_when_idle(**context, address);
}

// ---- of the host
Status cudaHostAlloc(void** pHost, size_t size, unsigned int flags) {
  constexpr unsigned known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
  if (Status good = known_flags(flags, known); !good) return good;
  *pHost = nullptr;
  auto context = context_for_memory();
  if (!context) return context.error();
  if (size == 0) return Unit{};
  auto made =
      (*context)->runtime()->allocate_host(size, maps(**context, (flags & cudaHostAllocMapped) != 0), flags);
  if (!made) return status_of(made);
  *pHost = as_handle<void*>((*made)->address);
  return Unit{};
}
Status cudaMallocHost(void** ptr, size_t size) {
  return cudart::cudaHostAlloc(ptr, size, cudaHostAllocDefault);
}

Status cudaFreeHost(void* ptr) {
  auto context = context_for_memory();
  if (!context) return context.error();
  if (ptr == nullptr) return Unit{};
  return status_of((*context)->runtime()->free(number_of(ptr), {MemoryKind::pinned}));
}

Status cudaHostRegister(void* ptr, size_t size, unsigned int flags) {
  constexpr unsigned known =
      cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
  if (Status good = known_flags(flags, known); !good) return good;
  if (ptr == nullptr || size == 0) return invalid_value("host memory of " + std::to_string(size) + " bytes");
  auto context = context_for_memory();
  if (!context) return context.error();
  return status_of((*context)->runtime()->register_host(
      number_of(ptr), size, maps(**context, (flags & cudaHostRegisterMapped) != 0),
      (flags & cudaHostRegisterReadOnly) != 0, flags));
}

Status cudaHostUnregister(void* ptr) {
  auto context = context_for_memory();
  if (!context) return context.error();
  if (ptr == nullptr) return invalid_value("the memory is NULL");
  return status_of((*context)->runtime()->unregister_host(number_of(ptr)));
}

Status cudaHostGetDevicePointer(void** pDevice, void* pHost, unsigned int flags) {
  if (flags != 0) return invalid_value("flags " + std::to_string(flags) + ", must be 0");
  auto context = working_context();
  if (!context) return context.error();
  const auto found = memory().find(number_of(pHost));
  const bool host =
      found != nullptr && (found->kind == MemoryKind::pinned || found->kind == MemoryKind::registered ||
                           found->kind == MemoryKind::managed);
  const arch::Device& device = (*context)->device().facts();
  if (!device.has(arch::Feature::mapped_host_memory))
    return invalid_value(arch::describe(device) + " cannot map host memory");
  if (!host || !found->guest_visible)
    return invalid_value("no mapped host memory: " + memory().describe(number_of(pHost)));
  // CUDA C Best Practices Guide 8.4.
  if (!device.has(arch::Feature::unified_addressing) && found->owner != (*context)->runtime().get() &&
      (found->flags & cudaHostAllocPortable) == 0)
    return invalid_value("host memory that is not portable is another context's: " +
                         memory().describe(number_of(pHost)));
  *pDevice = pHost;  // addresses are the same on both sides
  return Unit{};
}

Status cudaHostGetFlags(unsigned int* pFlags, void* pHost) {
  auto context = working_context();
  if (!context) return context.error();
  const auto found = memory().find(number_of(pHost));
  if (found == nullptr || (found->kind != MemoryKind::pinned && found->kind != MemoryKind::registered))
    return invalid_value("no page-locked memory: " + memory().describe(number_of(pHost)));
  *pFlags = found->flags | (found->guest_visible ? cudaHostAllocMapped : 0);
  return Unit{};
}

Status cudaMemGetInfo(size_t* free, size_t* total) {
  auto context = working_context();
  if (!context) return context.error();
  const runtime::MemoryBudget& budget = (*context)->device().runtime().budget;
  *total = budget.total();
  *free = budget.left();
  return Unit{};
}

// ---- what is known of an address
Status cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* ptr) {
  auto context = working_context();
  if (!context) return context.error();
  *attributes = {};
  const uint64_t address = number_of(ptr);
  const auto found = memory().find(address);
  void* const pointer = const_cast<void*>(ptr);
  attributes->type = cudaMemoryTypeUnregistered;
  attributes->device = cudaInvalidDeviceId;
  if (found == nullptr) {
    attributes->hostPointer = pointer;  // "unregistered": the host's own business
    attributes->device = ptr == nullptr ? cudaInvalidDeviceId : cudaInvalidDeviceId;
    return Unit{};
  }
  attributes->device = static_cast<int>(found->device);
  if (found->range != nullptr) {
    const auto piece = found->range->piece_at(address);
    attributes->device = cudaInvalidDeviceId;
    if (!piece) return Unit{};
    const auto& label = piece->memory->label();
    const bool on_host = cuda::is_on_host(label[cuda::label_place_type]);
    attributes->type = on_host ? cudaMemoryTypeHost : cudaMemoryTypeDevice;
    if (!on_host) {
      auto device = cuda::place_number(cuda::Process::get(), label);
      if (!device) return device.error();
      attributes->device = *device;
    }
    if (on_host) attributes->hostPointer = pointer;
    attributes->devicePointer = pointer;
    return Unit{};
  }
  switch (found->kind) {
    case MemoryKind::pinned:
    case MemoryKind::registered:
      attributes->type = cudaMemoryTypeHost;
      attributes->hostPointer = pointer;
      if (found->guest_visible) attributes->devicePointer = pointer;
      break;
    case MemoryKind::managed:
      attributes->type = cudaMemoryTypeManaged;
      attributes->hostPointer = attributes->devicePointer = pointer;
      break;
    default:
      attributes->type = cudaMemoryTypeDevice;
      attributes->devicePointer = pointer;
      break;
  }
  return Unit{};
}

// ---- symbols
Status cudaGetSymbolAddress(void** devPtr, const void* symbol) {
  auto context = working_context();
  if (!context) return context.error();
  auto variable = Process::get().registry().variable(*context, symbol);
  if (!variable) return variable.error();
  *devPtr = as_handle<void*>(variable->address);
  return Unit{};
}

Status cudaGetSymbolSize(size_t* size, const void* symbol) {
  auto context = working_context();
  if (!context) return context.error();
  auto variable = Process::get().registry().variable(*context, symbol);
  if (!variable) return variable.error();
  *size = variable->bytes;
  return Unit{};
}

}  // namespace heddle::cudart
