// Memory of devices and of the host.
#include <algorithm>

#include "api/cuda/functions.gen.h"
#include "api/cuda/objects.h"
#include "api/cuda_state/device.h"
#include "api/cuda_state/memory_pool.h"

namespace heddle::cu {

using runtime::MemoryKind;

namespace {

// Rows begin at multiples of it (texture pitch alignment and more, as CUDA's own choice is).
constexpr uint64_t row_alignment = 512;

Answer<runtime::AllocationRef> memory_at(uint64_t address) {
  auto memory = Process::get().system().memory().find(address);
  if (memory == nullptr) return invalid_value(Process::get().system().memory().describe(address));
  return memory;
}

// Whether kernels reach page-locked memory. With unified addresses all of it is mapped; before, that which
// asks for it, where the device can at all.
bool maps(const cuda::Context& context, bool asked) {
  const arch::Device& device = context.device().facts();
  return device.has(arch::Feature::mapped_host_memory) &&
         (asked || device.has(arch::Feature::unified_addressing));
}

}  // namespace

Answer<uint64_t> pitch_of(uint64_t width, uint64_t height, unsigned int element_bytes) {
  if (element_bytes != 4 && element_bytes != 8 && element_bytes != 16)
    return invalid_value("elements of " + std::to_string(element_bytes) + " bytes; 4, 8 and 16 are possible");
  if (width == 0 || height == 0) return invalid_value("an allocation of 0 bytes");
  if (width > UINT64_MAX - row_alignment)
    return failure(Code::out_of_memory, "a row of more than 2^64 bytes");
  const uint64_t pitch = (width + row_alignment - 1) / row_alignment * row_alignment;
  if (height > UINT64_MAX / pitch) return failure(Code::out_of_memory, "more than 2^64 bytes");
  return pitch;
}

Status cuMemGetInfo_v2(size_t* free, size_t* total) {
  auto context = working_context();
  if (!context) return context.error();
  const runtime::MemoryBudget& budget = (*context)->device().runtime().budget;
  *total = budget.total();
  *free = budget.left();
  return Unit{};
}

Status cuMemAlloc_v2(CUdeviceptr* dptr, size_t bytesize) {
  auto context = working_context();
  if (!context) return context.error();
  if (bytesize == 0) return invalid_value("an allocation of 0 bytes");
  auto memory = (*context)->runtime()->allocate(MemoryKind::device, bytesize);
  if (!memory) return status_of(memory);
  *dptr = (*memory)->address;
  return Unit{};
}

Status cuMemAllocPitch_v2(CUdeviceptr* dptr, size_t* pPitch, size_t WidthInBytes, size_t Height,
                          unsigned int ElementSizeBytes) {
  auto pitch = pitch_of(WidthInBytes, Height, ElementSizeBytes);
  if (!pitch) return pitch.error();
  if (Status made = cu::cuMemAlloc_v2(dptr, *pitch * Height); !made) return made;
  *pPitch = *pitch;
  return Unit{};
}

Status cuMemAllocManaged(CUdeviceptr* dptr, size_t bytesize, unsigned int flags) {
  auto context = working_context();
  if (!context) return context.error();
  if (bytesize == 0) return invalid_value("an allocation of 0 bytes");
  if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)
    return invalid_value(
        "the flags of managed memory must be CU_MEM_ATTACH_GLOBAL or CU_MEM_ATTACH_HOST, are " +
        std::to_string(flags));
  if (!(*context)->device().facts().has(arch::Feature::managed_memory))
    return failure(Code::not_supported,
                   arch::describe((*context)->device().facts()) + " has no managed memory");
  auto memory = (*context)->runtime()->allocate(MemoryKind::managed, bytesize, flags);
  if (!memory) return status_of(memory);
  *dptr = (*memory)->address;
  return Unit{};
}

Status cuMemFree_v2(CUdeviceptr dptr) {
  auto context = working_context();
  if (!context) return context.error();
  if (dptr == 0) return Unit{};
  return cuda::free_when_idle(**context, dptr);
}

Status cuMemGetAddressRange_v2(CUdeviceptr* pbase, size_t* psize, CUdeviceptr dptr) {
  auto context = working_context();
  if (!context) return context.error();
  auto memory = Process::get().system().memory().find(dptr);
  if (memory == nullptr) return failure(Code::not_found, Process::get().system().memory().describe(dptr));
  if (memory->range != nullptr) {
    const auto piece = memory->range->piece_at(dptr);
    if (!piece) return failure(Code::not_found, "nothing is mapped at " + runtime::hex(dptr));
    if (pbase != nullptr) *pbase = piece->begin;
    if (psize != nullptr) *psize = piece->bytes;
    return Unit{};
  }
  if (pbase != nullptr) *pbase = (*memory).address;
  if (psize != nullptr) *psize = (*memory).bytes;
  return Unit{};
}

// ---- page-locked memory of the host
Status cuMemHostAlloc(void** pp, size_t bytesize, unsigned int Flags) {
  auto context = working_context();
  if (!context) return context.error();
  if (Status known = known_flags(
          Flags, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED);
      !known)
    return known;
  if (bytesize == 0) {
    *pp = nullptr;
    return Unit{};
  }
  auto memory = (*context)->runtime()->allocate_host(
      bytesize, maps(**context, (Flags & CU_MEMHOSTALLOC_DEVICEMAP) != 0), Flags);
  if (!memory) return status_of(memory);
  *pp = as_handle<void*>((*memory)->address);
  return Unit{};
}
Status cuMemAllocHost_v2(void** pp, size_t bytesize) {
  if (bytesize == 0) return invalid_value("an allocation of 0 bytes");
  return cu::cuMemHostAlloc(pp, bytesize, 0);
}

Status cuMemFreeHost(void* p) {
  auto context = working_context();
  if (!context) return context.error();
  if (p == nullptr) return Unit{};
  return status_of((*context)->runtime()->free(number_of(p), {MemoryKind::pinned}));
}

Status cuMemHostRegister_v2(void* p, size_t bytesize, unsigned int Flags) {
  auto context = working_context();
  if (!context) return context.error();
  if (p == nullptr || bytesize == 0) return invalid_value("no memory to register");
  if (Status known = known_flags(Flags, CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
                                            CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY);
      !known)
    return known;
  if ((Flags & CU_MEMHOSTREGISTER_IOMEMORY) != 0)
    return failure(Code::not_supported, "memory of other devices cannot be registered");
  const bool read_only = (Flags & CU_MEMHOSTREGISTER_READ_ONLY) != 0;
  const bool visible = maps(**context, (Flags & CU_MEMHOSTREGISTER_DEVICEMAP) != 0);
  return status_of((*context)->runtime()->register_host(number_of(p), bytesize, visible, read_only, Flags));
}

Status cuMemHostUnregister(void* p) {
  auto context = working_context();
  if (!context) return context.error();
  return status_of((*context)->runtime()->unregister_host(number_of(p)));
}

Status cuMemHostGetDevicePointer_v2(CUdeviceptr* pdptr, void* p, unsigned int Flags) {
  if (Flags != 0)
    return invalid_value("the flags of cuMemHostGetDevicePointer must be 0, are " + std::to_string(Flags));
  auto context = working_context();
  if (!context) return context.error();
  auto memory = memory_at(number_of(p));
  if (!memory) return memory.error();
  if ((*memory)->kind != MemoryKind::pinned && (*memory)->kind != MemoryKind::registered)
    return invalid_value("the memory is not page-locked memory of the host");
  const arch::Device& device = (*context)->device().facts();
  if (!device.has(arch::Feature::mapped_host_memory))
    return invalid_value(arch::describe(device) + " cannot map host memory");
  if (!(*memory)->guest_visible) return invalid_value("the memory is not mapped");
  // CUDA C Best Practices Guide 8.4.
  if (!device.has(arch::Feature::unified_addressing) && (*memory)->owner != (*context)->runtime().get() &&
      ((*memory)->flags & CU_MEMHOSTALLOC_PORTABLE) == 0)
    return invalid_value("host memory that is not portable is another context's");
  *pdptr = number_of(p);
  return Unit{};
}

Status cuMemHostGetFlags(unsigned int* pFlags, void* p) {
  auto context = working_context();
  if (!context) return context.error();
  auto memory = memory_at(number_of(p));
  if (!memory) return memory.error();
  if ((*memory)->kind != MemoryKind::pinned) return invalid_value("the memory is not of cuMemHostAlloc");
  *pFlags = (*memory)->flags | ((*memory)->guest_visible ? CU_MEMHOSTALLOC_DEVICEMAP : 0);
  return Unit{};
}

// No device here has the engine that would do it, and the attributes of decompression say so.
Status cuMemBatchDecompressAsync(CUmemDecompressParams* paramsArray, size_t count, unsigned int flags,
                                 size_t* errorIndex, CUstream stream) {
  if (errorIndex != nullptr) *errorIndex = SIZE_MAX;  // the error is none of a single operation
  auto found = find_stream(stream);
  if (!found) return found.error();
  if (flags != 0) return invalid_value("flags are " + std::to_string(flags) + ", must be 0");
  if (paramsArray == nullptr || count == 0) return invalid_value("there is nothing to decompress");
  return failure(
      Code::not_supported,
      "the device has no engine for decompression (CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK "
      "is 0)");
}

}  // namespace heddle::cu
