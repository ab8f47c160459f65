// Copies: of bytes, rows and slices, between host, device and arrays.
#include <functional>
#include <vector>

#include "api/cuda/functions.gen.h"
#include "api/cuda/transfer.h"
#include "api/cuda_state/peer_order.h"

namespace heddle::cu {

// Host memory that is not page-locked is read before a call returns, and written before it returns.
Status cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void* srcHost, size_t ByteCount) {
  return transfer(nullptr, on_device(dstDevice), on_host(srcHost), ByteCount, Return::done);
}
Status cuMemcpyDtoH_v2(void* dstHost, CUdeviceptr srcDevice, size_t ByteCount) {
  return transfer(nullptr, on_host(dstHost), on_device(srcDevice), ByteCount, Return::done);
}
Status cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount) {
  return transfer(nullptr, on_device(dstDevice), on_device(srcDevice), ByteCount, Return::submitted);
}
Status cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount) {
  return transfer(nullptr, anywhere(dst), anywhere(src), ByteCount, Return::done);
}

Status cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void* srcHost, size_t ByteCount, CUstream hStream) {
  return transfer(hStream, on_device(dstDevice), on_host(srcHost), ByteCount, Return::submitted);
}
Status cuMemcpyDtoHAsync_v2(void* dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream) {
  return transfer(hStream, on_host(dstHost), on_device(srcDevice), ByteCount, Return::submitted);
}
Status cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount,
                            CUstream hStream) {
  return transfer(hStream, on_device(dstDevice), on_device(srcDevice), ByteCount, Return::submitted);
}
Status cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream) {
  return transfer(hStream, anywhere(dst), anywhere(src), ByteCount, Return::submitted);
}

// ---- between contexts: addresses are unique in the process
namespace {

// A copy that the work of both contexts waits for, and that waits for theirs.
Status between_contexts(CUcontext one, CUcontext other, const std::function<Status()>& copy) {
  auto current = working_context();
  if (!current) return current.error();
  std::vector<ContextRef> others;
  for (const CUcontext handle : {one, other}) {
    auto context = find_context(handle);
    if (!context) return context.error();
    others.push_back(*context);
  }
  return cuda::serialized(*current, others, copy);
}

}  // namespace

Status cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext,
                    size_t ByteCount) {
  return between_contexts(dstContext, srcContext, [&] {
    return transfer(nullptr, on_device(dstDevice), on_device(srcDevice), ByteCount, Return::submitted);
  });
}
Status cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                         CUcontext srcContext, size_t ByteCount, CUstream hStream) {
  if (auto context = find_context(dstContext); !context) return context.error();
  if (auto context = find_context(srcContext); !context) return context.error();
  return transfer(hStream, on_device(dstDevice), on_device(srcDevice), ByteCount, Return::submitted);
}

// ---- rows and slices
namespace {

template <class Copy>
Status shaped(CUstream stream, const Copy& copy, bool async) {
  // A device's driver looks at no more of a copy of nothing.
  bool nothing = copy.WidthInBytes == 0 || copy.Height == 0;
  if constexpr (requires { copy.Depth; }) nothing = nothing || copy.Depth == 0;
  if (nothing) {
    auto found = find_stream(stream);
    return found ? Status(Unit{}) : Status(found.error());
  }
  auto request = copy_request(copy);
  if (!request) return request.error();
  return transfer(stream, std::move(*request), async ? Return::submitted : Return::done);
}

// An array's side of a copy of one row.
Status row(CUstream stream, CUarray array, size_t offset, End linear, size_t bytes, bool to_array,
           bool async) {
  Side in_array, in_memory;
  in_array.what = "array";
  in_array.type = CU_MEMORYTYPE_ARRAY;
  in_array.array = array;
  in_array.x = offset;
  in_memory.what = "memory";
  in_memory.type = linear.type;
  in_memory.device = in_memory.host = linear.address;
  auto request = to_array ? copy_request(in_memory, in_array, {bytes, 1, 1})
                          : copy_request(in_array, in_memory, {bytes, 1, 1});
  if (!request) return request.error();
  return transfer(stream, std::move(*request), async ? Return::submitted : Return::done);
}

}  // namespace

Status cuMemcpy2D_v2(const CUDA_MEMCPY2D* pCopy) { return shaped(nullptr, *pCopy, false); }
Status cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* pCopy) { return shaped(nullptr, *pCopy, false); }
Status cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* pCopy, CUstream hStream) {
  return shaped(hStream, *pCopy, true);
}
Status cuMemcpy3D_v2(const CUDA_MEMCPY3D* pCopy) { return shaped(nullptr, *pCopy, false); }
Status cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* pCopy, CUstream hStream) {
  return shaped(hStream, *pCopy, true);
}
Status cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER* pCopy) {
  // A side in the host's memory has no context.
  const auto copy = [&] { return shaped(nullptr, *pCopy, false); };
  if (pCopy->dstContext == nullptr || pCopy->srcContext == nullptr) return copy();
  return between_contexts(pCopy->dstContext, pCopy->srcContext, copy);
}
Status cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* pCopy, CUstream hStream) {
  return shaped(hStream, *pCopy, true);
}

// Their structures have 32-bit addresses and sizes (version_1.cpp).
Status cuMemcpy2D(const CUDA_MEMCPY2D_v1* pCopy) { return shaped(nullptr, *pCopy, false); }
Status cuMemcpy2DUnaligned(const CUDA_MEMCPY2D_v1* pCopy) { return shaped(nullptr, *pCopy, false); }
Status cuMemcpy2DAsync(const CUDA_MEMCPY2D_v1* pCopy, CUstream hStream) {
  return shaped(hStream, *pCopy, true);
}
Status cuMemcpy3D(const CUDA_MEMCPY3D_v1* pCopy) { return shaped(nullptr, *pCopy, false); }
Status cuMemcpy3DAsync(const CUDA_MEMCPY3D_v1* pCopy, CUstream hStream) {
  return shaped(hStream, *pCopy, true);
}

Status cuMemcpyHtoA_v2(CUarray dstArray, size_t dstOffset, const void* srcHost, size_t ByteCount) {
  return row(nullptr, dstArray, dstOffset, on_host(srcHost), ByteCount, true, false);
}
Status cuMemcpyAtoH_v2(void* dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount) {
  return row(nullptr, srcArray, srcOffset, on_host(dstHost), ByteCount, false, false);
}
Status cuMemcpyDtoA_v2(CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice, size_t ByteCount) {
  return row(nullptr, dstArray, dstOffset, on_device(srcDevice), ByteCount, true, false);
}
Status cuMemcpyAtoD_v2(CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset, size_t ByteCount) {
  return row(nullptr, srcArray, srcOffset, on_device(dstDevice), ByteCount, false, false);
}
Status cuMemcpyHtoAAsync_v2(CUarray dstArray, size_t dstOffset, const void* srcHost, size_t ByteCount,
                            CUstream hStream) {
  return row(hStream, dstArray, dstOffset, on_host(srcHost), ByteCount, true, true);
}
Status cuMemcpyAtoHAsync_v2(void* dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount,
                            CUstream hStream) {
  return row(hStream, srcArray, srcOffset, on_host(dstHost), ByteCount, false, true);
}
Status cuMemcpyAtoA_v2(CUarray dstArray, size_t dstOffset, CUarray srcArray, size_t srcOffset,
                       size_t ByteCount) {
  Side from, to;
  from.what = "source";
  to.what = "destination";
  from.type = to.type = CU_MEMORYTYPE_ARRAY;
  from.array = srcArray;
  from.x = srcOffset;
  to.array = dstArray;
  to.x = dstOffset;
  auto request = copy_request(from, to, {ByteCount, 1, 1});
  if (!request) return request.error();
  return transfer(nullptr, std::move(*request), Return::done);
}

// ---- fills
Status cuMemsetD8_v2(CUdeviceptr dstDevice, unsigned char uc, size_t N) {
  return fill(nullptr, dstDevice, 0, N, 1, &uc, 1, true);
}
Status cuMemsetD16_v2(CUdeviceptr dstDevice, unsigned short us, size_t N) {
  return fill(nullptr, dstDevice, 0, N, 1, &us, 2, true);
}
Status cuMemsetD32_v2(CUdeviceptr dstDevice, unsigned int ui, size_t N) {
  return fill(nullptr, dstDevice, 0, N, 1, &ui, 4, true);
}
Status cuMemsetD2D8_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width,
                       size_t Height) {
  return fill(nullptr, dstDevice, dstPitch, Width, Height, &uc, 1, true);
}
Status cuMemsetD2D16_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width,
                        size_t Height) {
  return fill(nullptr, dstDevice, dstPitch, Width, Height, &us, 2, true);
}
Status cuMemsetD2D32_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width,
                        size_t Height) {
  return fill(nullptr, dstDevice, dstPitch, Width, Height, &ui, 4, true);
}
Status cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream) {
  return fill(hStream, dstDevice, 0, N, 1, &uc, 1, false);
}
Status cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream) {
  return fill(hStream, dstDevice, 0, N, 1, &us, 2, false);
}
Status cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream) {
  return fill(hStream, dstDevice, 0, N, 1, &ui, 4, false);
}
Status cuMemsetD2D8Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width,
                         size_t Height, CUstream hStream) {
  return fill(hStream, dstDevice, dstPitch, Width, Height, &uc, 1, false);
}
Status cuMemsetD2D16Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width,
                          size_t Height, CUstream hStream) {
  return fill(hStream, dstDevice, dstPitch, Width, Height, &us, 2, false);
}
Status cuMemsetD2D32Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width,
                          size_t Height, CUstream hStream) {
  return fill(hStream, dstDevice, dstPitch, Width, Height, &ui, 4, false);
}

}  // namespace heddle::cu
