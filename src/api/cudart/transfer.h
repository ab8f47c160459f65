// Copies and fills as the runtime API describes them, made into work for a stream.
#pragma once

#include <functional>

#include "api/cudart/objects.h"

namespace heddle::cudart {

// When the call returns (CUDA Runtime API, "API synchronization behavior").
enum class Return : uint8_t {
  done,       // everything is
  submitted,  // at once; pageable memory of the host is read, or written, before it
};

inline runtime::CopyPlace place(uint64_t address, uint64_t pitch = 0) {
  runtime::CopyPlace place;
  place.address = address;
  place.row_pitch = pitch;
  return place;
}
// A side in an array: x in bytes.
Answer<runtime::CopyPlace> place(cudaArray_const_t array, uint64_t x, uint64_t y, uint64_t z = 0);

Status transfer(runtime::CopyRequest request, cudaMemcpyKind kind, cudaStream_t stream, Return when);
// `value`'s low byte everywhere.
Status fill(runtime::CopyPlace to, const runtime::CopyExtent& extent, int value, cudaStream_t stream,
            Return when);

// The other way round for graphs: what a transfer would do.
Answer<cuda::CopyWork> copy_work(runtime::CopyRequest request, cudaMemcpyKind kind);
Answer<runtime::CopyRequest> request_3d(const cudaMemcpy3DParms& parms);

// A copy that the work of both devices waits for, and that waits for theirs.
Status between_devices(int one, int other, const std::function<Status()>& copy);

}  // namespace heddle::cudart
