// Copies and fills as the driver API describes them, made into work for a stream.
#pragma once

#include "api/cuda/objects.h"
#include "api/cuda_state/work.h"

namespace heddle::cu {

// When the call returns.
enum class Return : uint8_t {
  done,       // everything is
  taken,      // the host's bytes have been read; what is in the device follows the stream
  submitted,  // at once; pageable memory of the host is read at once, too
};

inline runtime::CopyPlace place(uint64_t address) {
  runtime::CopyPlace place;
  place.address = address;
  return place;
}

Status transfer(CUstream stream, runtime::CopyRequest request, Return when);

// One end of a copy of bytes, and where the program says that it lies.
struct End {
  uint64_t address = 0;
  CUmemorytype type = CU_MEMORYTYPE_UNIFIED;
};
inline End on_device(CUdeviceptr address) { return {address, CU_MEMORYTYPE_DEVICE}; }
inline End on_host(const void* address) { return {number_of(address), CU_MEMORYTYPE_HOST}; }
inline End anywhere(CUdeviceptr address) { return {address, CU_MEMORYTYPE_UNIFIED}; }
Status transfer(CUstream stream, End to, End from, uint64_t bytes, Return when);

// `pattern` has 1, 2 or 4 bytes; rows of `pitch` bytes.
Status fill(CUstream stream, uint64_t to, uint64_t pitch, uint64_t width, uint64_t height,
            const void* pattern, uint32_t pattern_bytes, bool wait);

// The sides of the structures; `what` is "source" or "destination" in messages.
struct Side {
  CUmemorytype type = CU_MEMORYTYPE_HOST;
  uint64_t host = 0, device = 0;
  CUarray array = nullptr;
  uint64_t x = 0, y = 0, z = 0, level = 0, pitch = 0, height = 0;
  const char* what = "";
};
Answer<runtime::CopyRequest> copy_request(const Side& from, const Side& to,
                                          const runtime::CopyExtent& extent);
Answer<runtime::CopyRequest> copy_request(const CUDA_MEMCPY2D& copy);
Answer<runtime::CopyRequest> copy_request(const CUDA_MEMCPY3D& copy);
Answer<runtime::CopyRequest> copy_request(const CUDA_MEMCPY3D_PEER& copy);
Answer<runtime::CopyRequest> copy_request(const CUDA_MEMCPY2D_v1& copy);
Answer<runtime::CopyRequest> copy_request(const CUDA_MEMCPY3D_v1& copy);

}  // namespace heddle::cu
