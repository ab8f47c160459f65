// The first version of functions whose addresses and sizes have 32 bits (CUDA 3.1 and before; cuda.h keeps
// them as CUdeviceptr_v1). Memory that is allocated through them lies below 4 GiB; what lies above has no
// 32-bit address, and says so.
#include <algorithm>
#include <cstdint>
#include <limits>

#include "api/cuda/functions.gen.h"
#include "api/cuda/objects.h"

namespace heddle::cu {
namespace {

constexpr uint64_t most = std::numeric_limits<unsigned int>::max();

Status narrow(uint64_t value, const char* what, unsigned int* to) {
  if (value > most)
    return invalid_value(std::string(what) + " is " + runtime::hex(value) +
                         ", which does not fit in 32 bits; version 2 of the function has 64");
  *to = static_cast<unsigned int>(value);
  return Unit{};
}

// What a version 2 function wrote: an address and a size, either of which may not be asked for.
Status narrow_both(uint64_t address, unsigned int* to_address, uint64_t bytes, unsigned int* to_bytes) {
  unsigned int low_address = 0, low_bytes = 0;
  if (to_address != nullptr)
    if (Status fits = narrow(address, "the address", &low_address); !fits) return fits;
  if (to_bytes != nullptr)
    if (Status fits = narrow(bytes, "the size", &low_bytes); !fits) return fits;
  if (to_address != nullptr) *to_address = low_address;
  if (to_bytes != nullptr) *to_bytes = low_bytes;
  return Unit{};
}

Status version_1_context() {
  auto context = working_context();
  if (!context) return context.error();
  if (!(*context)->runtime()->options().low_addresses)
    return failure(Code::invalid_context,
                   "the context has 64-bit addresses: it was not made by cuCtxCreate's version 1");
  return Unit{};
}

Answer<unsigned int> allocate_low(uint64_t bytes) {
  CUdeviceptr address = 0;
  if (Status version = version_1_context(); !version) return version.error();
  if (Status made = cu::cuMemAlloc_v2(&address, bytes); !made) return made.error();
  return static_cast<unsigned int>(address);
}

}  // namespace

// ---- memory
Status cuMemGetInfo(unsigned int* free, unsigned int* total) {
  size_t all_free = 0, all = 0;
  if (Status version = version_1_context(); !version) return version;
  if (Status asked = cu::cuMemGetInfo_v2(&all_free, &all); !asked) return asked;
  *free = static_cast<unsigned int>(std::min<uint64_t>(all_free, most));
  *total = static_cast<unsigned int>(std::min<uint64_t>(all, most));
  return Unit{};
}

Status cuMemAlloc(CUdeviceptr_v1* dptr, unsigned int bytesize) {
  auto address = allocate_low(bytesize);
  if (!address) return address.error();
  *dptr = *address;
  return Unit{};
}

Status cuMemAllocPitch(CUdeviceptr_v1* dptr, unsigned int* pPitch, unsigned int WidthInBytes,
                       unsigned int Height, unsigned int ElementSizeBytes) {
  auto pitch = pitch_of(WidthInBytes, Height, ElementSizeBytes);
  if (!pitch) return pitch.error();
  unsigned int rows_apart = 0;
  if (Status fits = narrow(*pitch, "the pitch", &rows_apart); !fits) return fits;
  auto address = allocate_low(*pitch * Height);
  if (!address) return address.error();
  *dptr = *address;
  *pPitch = rows_apart;
  return Unit{};
}

Status cuMemGetAddressRange(CUdeviceptr_v1* pbase, unsigned int* psize, CUdeviceptr_v1 dptr) {
  CUdeviceptr base = 0;
  size_t bytes = 0;
  if (Status asked = cu::cuMemGetAddressRange_v2(&base, &bytes, dptr); !asked) return asked;
  return narrow_both(base, pbase, bytes, psize);
}

Status cuMemHostGetDevicePointer(CUdeviceptr_v1* pdptr, void* p, unsigned int Flags) {
  CUdeviceptr address = 0;
  if (Status asked = cu::cuMemHostGetDevicePointer_v2(&address, p, Flags); !asked) return asked;
  return narrow(address, "the address", pdptr);
}

// ---- modules
Status cuModuleGetGlobal(CUdeviceptr_v1* dptr, unsigned int* bytes, CUmodule hmod, const char* name) {
  CUdeviceptr address = 0;
  size_t size = 0;
  if (dptr == nullptr && bytes == nullptr) return invalid_value("dptr and bytes are NULL");
  if (Status asked = cu::cuModuleGetGlobal_v2(&address, &size, hmod, name); !asked) return asked;
  return narrow_both(address, dptr, size, bytes);
}

// ---- texture references
Status cuTexRefSetAddress(unsigned int* ByteOffset, CUtexref hTexRef, CUdeviceptr_v1 dptr,
                          unsigned int bytes) {
  size_t offset = 0;
  if (Status set = cu::cuTexRefSetAddress_v2(&offset, hTexRef, dptr, bytes); !set) return set;
  return narrow(offset, "the offset", ByteOffset);
}

Status cuTexRefSetAddress2D(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR_v1* desc, CUdeviceptr_v1 dptr,
                            unsigned int Pitch) {
  if (desc == nullptr) return missing("desc");
  const CUDA_ARRAY_DESCRIPTOR wide = {desc->Width, desc->Height, desc->Format, desc->NumChannels};
  return cu::cuTexRefSetAddress2D_v3(hTexRef, &wide, dptr, Pitch);
}

Status cuTexRefGetAddress(CUdeviceptr_v1* pdptr, CUtexref hTexRef) {
  CUdeviceptr address = 0;
  if (Status asked = cu::cuTexRefGetAddress_v2(&address, hTexRef); !asked) return asked;
  return narrow(address, "the address", pdptr);
}

// ---- arrays
Status cuArrayCreate(CUarray* pHandle, const CUDA_ARRAY_DESCRIPTOR_v1* pAllocateArray) {
  if (pAllocateArray == nullptr) return missing("pAllocateArray");
  const CUDA_ARRAY_DESCRIPTOR wide = {pAllocateArray->Width, pAllocateArray->Height, pAllocateArray->Format,
                                      pAllocateArray->NumChannels};
  return cu::cuArrayCreate_v2(pHandle, &wide);
}

Status cuArray3DCreate(CUarray* pHandle, const CUDA_ARRAY3D_DESCRIPTOR_v1* pAllocateArray) {
  if (pAllocateArray == nullptr) return missing("pAllocateArray");
  const auto& asked = *pAllocateArray;
  const CUDA_ARRAY3D_DESCRIPTOR wide = {asked.Width,  asked.Height,      asked.Depth,
                                        asked.Format, asked.NumChannels, asked.Flags};
  return cu::cuArray3DCreate_v2(pHandle, &wide);
}

// Textures have at most 2^17 texels a side (CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability").
Status cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR_v1* pArrayDescriptor, CUarray hArray) {
  CUDA_ARRAY3D_DESCRIPTOR wide{};
  if (Status asked = cu::cuArray3DGetDescriptor_v2(&wide, hArray); !asked) return asked;
  *pArrayDescriptor = {static_cast<unsigned int>(wide.Width),
                       static_cast<unsigned int>(wide.Height),
                       static_cast<unsigned int>(wide.Depth),
                       wide.Format,
                       wide.NumChannels,
                       wide.Flags};
  return Unit{};
}

Status cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR_v1* pArrayDescriptor, CUarray hArray) {
  CUDA_ARRAY_DESCRIPTOR wide{};
  if (Status asked = cu::cuArrayGetDescriptor_v2(&wide, hArray); !asked) return asked;
  *pArrayDescriptor = {static_cast<unsigned int>(wide.Width), static_cast<unsigned int>(wide.Height),
                       wide.Format, wide.NumChannels};
  return Unit{};
}

// ---- copies whose structure is of version 1 are in copy.cpp

}  // namespace heddle::cu
