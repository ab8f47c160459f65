#include "api/cudart/graph_work.h"

namespace heddle::cudart {
namespace {

Answer<uint64_t> inside(const void* symbol, size_t count, size_t offset) {
  auto context = working_context();
  if (!context) return context.error();
  auto variable = Process::get().registry().variable(*context, symbol);
  if (!variable) return variable.error();
  if (offset > variable->bytes || count > variable->bytes - offset)
    return invalid_value(std::to_string(count) + " bytes at " + std::to_string(offset) +
                         " of a variable of " + std::to_string(variable->bytes));
  return variable->address + offset;
}

}  // namespace

Answer<cuda::Work> kernel_work(const void* func, const dim3& grid, const dim3& block, unsigned shared,
                               void** params, void** extra) {
  if (func == nullptr) return failure(Code::invalid_device_function, "the kernel is NULL");
  auto function = find_kernel(func);
  if (!function) return function.error();
  const cuda::FunctionRef kept((*function)->module().shared_from_this(), *function);
  auto work = cuda::kernel_work(kept, dim(grid), dim(block), shared, params, extra);
  if (work) std::get<cuda::KernelWork>(*work).called = number_of(func);
  return work;
}

Status kernel_params(cudaGraphNode_t node, cudaKernelNodeParams* out) {
  auto said = cuda::said_by<cuda::KernelWork>(node);
  if (!said) return said.error();
  const cuda::KernelWork& work = *said->second;
  *out = {};
  out->func = as_handle<void*>(work.called != 0 ? work.called : work.function->handle());
  out->gridDim = {work.grid.x, work.grid.y, work.grid.z};
  out->blockDim = {work.block.x, work.block.y, work.block.z};
  out->sharedMemBytes = work.dynamic_shared;
  out->kernelParams = said->first->arguments();
  return Unit{};
}

Answer<cuda::Work> copy_node_work(const cudaMemcpy3DParms* parms) {
  if (parms == nullptr) return invalid_value("the parameters are NULL");
  auto request = request_3d(*parms);
  if (!request) return request.error();
  auto work = copy_work(std::move(*request), parms->kind);
  if (!work) return work.error();
  work->to_array = number_of(parms->dstArray);
  work->from_array = number_of(parms->srcArray);
  return cuda::checked(working_context(), std::move(*work));
}

Answer<cuda::Work> copy_node_work(void* dst, const void* src, size_t count, cudaMemcpyKind kind) {
  runtime::CopyRequest request;
  request.to = place(number_of(dst), count);
  request.from = place(number_of(src), count);
  request.extent.bytes = count;
  if (count == 0) return invalid_value("a copy of 0 bytes");
  auto work = copy_work(std::move(request), kind);
  if (!work) return work.error();
  return cuda::checked(working_context(), std::move(*work));
}

Answer<cuda::Work> to_symbol_work(const void* symbol, const void* src, size_t count, size_t offset,
                                  cudaMemcpyKind kind) {
  auto address = inside(symbol, count, offset);
  if (!address) return address.error();
  return copy_node_work(as_handle<void*>(*address), src, count, kind);
}
Answer<cuda::Work> from_symbol_work(void* dst, const void* symbol, size_t count, size_t offset,
                                    cudaMemcpyKind kind) {
  auto address = inside(symbol, count, offset);
  if (!address) return address.error();
  return copy_node_work(dst, as_handle<const void*>(*address), count, kind);
}

namespace {

cudaMemcpy3DParms parms_of(const cuda::CopyWork& work) {
  cudaMemcpy3DParms parms{};
  const runtime::CopyRequest& request = work.request;
  uint64_t element = 1;
  const auto side = [&](const runtime::CopyPlace& place, uint64_t handle, cudaArray_t& array, cudaPos& pos,
                        cudaPitchedPtr& pointer) {
    if (place.array != nullptr) {
      element = place.array->texel_bytes();
      array = as_handle<cudaArray_t>(handle);
      pos = {place.x / element, place.y, place.z};
      return;
    }
    const uint64_t pitch = place.row_pitch != 0 ? place.row_pitch : request.extent.bytes;
    const uint64_t rows =
        place.slice_pitch != 0 && pitch != 0 ? place.slice_pitch / pitch : request.extent.rows;
    pointer = {as_handle<void*>(place.address), pitch, request.extent.bytes, rows};
  };
  side(request.to, work.to_array, parms.dstArray, parms.dstPos, parms.dstPtr);
  side(request.from, work.from_array, parms.srcArray, parms.srcPos, parms.srcPtr);
  parms.extent = {request.extent.bytes / element, request.extent.rows, request.extent.slices};
  parms.kind = static_cast<cudaMemcpyKind>(work.direction);
  return parms;
}

}  // namespace

Status copy_params(cudaGraphNode_t node, cudaMemcpy3DParms* out) {
  auto said = cuda::said_by<cuda::CopyWork>(node);
  if (!said) return said.error();
  *out = parms_of(*said->second);
  return Unit{};
}

}  // namespace heddle::cudart
