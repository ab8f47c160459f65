#include "api/cuda/graph_work.h"

namespace heddle::cu {

Answer<ContextRef> context_or_current(CUcontext context) {
  if (context == nullptr) return working_context();
  auto found = find_context(context);
  if (!found) return found.error();
  if (Status state = (*found)->check(); !state) return state.error();
  return found;
}

Answer<cuda::Work> kernel_node_work(const CUDA_KERNEL_NODE_PARAMS_v1& params, CUkernel kernel,
                                    CUcontext context) {
  const exec::Dim3 grid{params.gridDimX, params.gridDimY, params.gridDimZ};
  const exec::Dim3 block{params.blockDimX, params.blockDimY, params.blockDimZ};
  cuda::FunctionRef function;
  if (params.func == nullptr && kernel != nullptr) {
    // A kernel of a library: its function in the context that is named, or else current.
    auto in = context_or_current(context);
    if (!in) return in.error();
    auto found = cuda::find_function(*in, kernel);
    if (!found) return found.error();
    function = *found;
  } else {
    auto found = find_function(params.func);
    if (!found) return found.error();
    function = *found;
  }
  return cuda::kernel_work(function, grid, block, params.sharedMemBytes, params.kernelParams, params.extra);
}

Answer<std::pair<cuda::NodeRef, const cuda::KernelWork*>> kernel_said(CUgraphNode node) {
  return cuda::said_by<cuda::KernelWork>(node);
}

Answer<cuda::Work> copy_node_work(const CUDA_MEMCPY3D* params, CUcontext context) {
  if (params == nullptr) return invalid_value("the parameters are NULL");
  auto in = context_or_current(context);
  if (!in) return in.error();
  auto request = copy_request(*params);
  if (!request) return request.error();
  if (params->WidthInBytes == 0 || params->Height == 0 || params->Depth == 0)
    return invalid_value("a copy of 0 bytes");
  cuda::CopyWork work;
  work.request = std::move(*request);
  work.to_array = params->dstMemoryType == CU_MEMORYTYPE_ARRAY ? number_of(params->dstArray) : 0;
  work.from_array = params->srcMemoryType == CU_MEMORYTYPE_ARRAY ? number_of(params->srcArray) : 0;
  return cuda::checked(in, std::move(work));
}

Status copy_params(CUgraphNode node, CUDA_MEMCPY3D* out) {
  auto said = cuda::said_by<cuda::CopyWork>(node);
  if (!said) return said.error();
  const cuda::CopyWork& work = *said->second;
  const runtime::CopyRequest& request = work.request;
  *out = {};
  out->WidthInBytes = request.extent.bytes;
  out->Height = request.extent.rows;
  out->Depth = request.extent.slices;
  const auto pitches = [&](const runtime::CopyPlace& place, size_t& pitch, size_t& height) {
    pitch = place.row_pitch;
    height = place.slice_pitch != 0 && pitch != 0 ? place.slice_pitch / pitch : 0;
  };
  const auto of_device = [](uint64_t address) {
    const auto memory = Process::get().system().memory().find(address);
    return memory != nullptr && memory->kind != runtime::MemoryKind::pinned &&
           memory->kind != runtime::MemoryKind::registered;
  };
  if (request.from.array != nullptr) {
    out->srcMemoryType = CU_MEMORYTYPE_ARRAY;
    out->srcArray = as_handle<CUarray>(work.from_array);
    out->srcXInBytes = request.from.x;
    out->srcY = request.from.y;
    out->srcZ = request.from.z;
  } else if (of_device(request.from.address)) {
    out->srcMemoryType = CU_MEMORYTYPE_DEVICE;
    out->srcDevice = request.from.address;
  } else {
    out->srcMemoryType = CU_MEMORYTYPE_HOST;
    out->srcHost = as_handle<const void*>(request.from.address);
  }
  if (request.to.array != nullptr) {
    out->dstMemoryType = CU_MEMORYTYPE_ARRAY;
    out->dstArray = as_handle<CUarray>(work.to_array);
    out->dstXInBytes = request.to.x;
    out->dstY = request.to.y;
    out->dstZ = request.to.z;
  } else if (of_device(request.to.address)) {
    out->dstMemoryType = CU_MEMORYTYPE_DEVICE;
    out->dstDevice = request.to.address;
  } else {
    out->dstMemoryType = CU_MEMORYTYPE_HOST;
    out->dstHost = as_handle<void*>(request.to.address);
  }
  pitches(request.from, out->srcPitch, out->srcHeight);
  pitches(request.to, out->dstPitch, out->dstHeight);
  return Unit{};
}

Answer<cuda::Work> batch_work_of(const CUDA_BATCH_MEM_OP_NODE_PARAMS_v1* params) {
  if (params == nullptr) return invalid_value("the parameters are NULL");
  if (params->flags != 0) return invalid_value("flags " + std::to_string(params->flags) + ", must be 0");
  if (params->count == 0 || params->paramArray == nullptr) return invalid_value("no operations");
  return cuda::checked(context_or_current(params->ctx), cuda::batch_of(params->count, params->paramArray));
}

Status batch_params(CUgraphNode node, CUDA_BATCH_MEM_OP_NODE_PARAMS_v1* out) {
  auto said = cuda::said_by<cuda::BatchWork>(node);
  if (!said) return said.error();
  thread_local std::vector<CUstreamBatchMemOpParams> operations;
  operations.resize(said->second->operations.size());
  cuda::say_batch(*said->second, operations.data());
  *out = {};
  if (const ContextRef context = cuda::current_context_if_any(); context != nullptr)
    out->ctx = as_handle<CUcontext>(context->handle());
  out->count = static_cast<unsigned>(operations.size());
  out->paramArray = operations.data();
  return Unit{};
}

Status update_exec(CUgraphExec exec, CUgraph graph, CUgraphNode* node, CUgraphExecUpdateResult* result) {
  CUgraphExecUpdateResultInfo info{};
  Status updated = cuda::exec_update(exec, graph, &info);
  *node = info.errorNode;
  *result = info.result;
  return updated;
}

}  // namespace heddle::cu
