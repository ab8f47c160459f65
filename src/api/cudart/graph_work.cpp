#include "api/cudart/graph_work.h"

#include <array>
#include <cstring>

#include "api/cuda_state/graph_memory.h"

namespace heddle::cudart {
namespace {

Status take_arguments(const runtime::Kernel& kernel, void** params, void** extra,
                      std::vector<std::byte>& bytes) {
  if (params == nullptr && extra != nullptr) {
    // Pairs: a pointer to all arguments as they lie, and how many bytes (cuLaunchKernel, "extra").
    const void* buffer = nullptr;
    size_t size = 0;
    for (void** pair = extra; *pair != nullptr; pair += 2) {
      if (*pair == reinterpret_cast<void*>(1)) buffer = pair[1];
      if (*pair == reinterpret_cast<void*>(2)) size = *static_cast<size_t*>(pair[1]);
    }
    if (buffer == nullptr || size != runtime::parameter_bytes(kernel.function()))
      return invalid_value("arguments of " + std::to_string(size) + " bytes for '" + kernel.function().name +
                           "'");
    bytes.resize(size);
    std::memcpy(bytes.data(), buffer, size);
    return Unit{};
  }
  auto packed = runtime::pack_parameters(kernel, params);
  if (!packed) return status_of(packed);
  bytes = std::move(*packed);
  return Unit{};
}

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

Answer<cuda::Work> checked(cuda::Work work) {
  auto context = working_context();
  if (!context) return context.error();
  if (auto made = cuda::make_operation(**context, work); !made) return made.error();
  return work;
}

}  // namespace

Answer<cuda::Work> kernel_work(const void* func, const dim3& grid, const dim3& block, unsigned shared,
                               void** params, void** extra) {
  if (func == nullptr) return failure(Code::invalid_device_function, "the kernel is NULL");
  auto function = find_kernel(func);
  if (!function) return function.error();
  cuda::KernelWork work;
  work.function = cuda::FunctionRef((*function)->module().shared_from_this(), *function);
  work.grid = dim(grid);
  work.block = dim(block);
  work.dynamic_shared = shared;
  if (Status taken = take_arguments((*function)->kernel(), params, extra, work.params); !taken)
    return taken.error();
  return checked(std::move(work));
}

Answer<cuda::Work> copy_node_work(const cudaMemcpy3DParms* parms) {
  if (parms == nullptr) return invalid_value("the parameters are NULL");
  auto request = request_3d(*parms);
  if (!request) return request.error();
  auto work = copy_work(std::move(*request), parms->kind);
  if (!work) return work.error();
  work->to_array = number_of(parms->dstArray);
  work->from_array = number_of(parms->srcArray);
  return checked(std::move(*work));
}

Answer<cuda::Work> copy_node_work(void* dst, const void* src, size_t count, cudaMemcpyKind kind) {
  runtime::CopyRequest request;
  request.to = place(number_of(dst), count);
  request.from = place(number_of(src), count);
  request.extent.bytes = count;
  if (count == 0) return invalid_value("a copy of 0 bytes");
  auto work = copy_work(std::move(request), kind);
  if (!work) return work.error();
  return checked(std::move(*work));
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

Answer<cuda::Work> fill_work(const cudaMemsetParams* params) {
  if (params == nullptr) return invalid_value("the parameters are NULL");
  const unsigned size = params->elementSize;
  if (size != 1 && size != 2 && size != 4)
    return invalid_value("elements of " + std::to_string(size) + " bytes");
  if (params->width == 0 || params->height == 0) return invalid_value("a fill of nothing");
  if (params->width > SIZE_MAX / size)
    return invalid_value(std::to_string(params->width) + " elements of " + std::to_string(size) + " bytes");
  cuda::FillWork work;
  work.to = place(number_of(params->dst), params->pitch);
  work.extent = {params->width * size, params->height, 1};
  if (params->height == 1) work.to.row_pitch = work.extent.bytes;
  work.pattern.resize(size);
  std::memcpy(work.pattern.data(), &params->value, size);
  return checked(std::move(work));
}

Answer<cuda::Work> host_work(const cudaHostNodeParams* params) {
  if (params == nullptr || params->fn == nullptr) return invalid_value("the function is NULL");
  return cuda::Work(cuda::HostWork{params->fn, params->userData});
}

Answer<cuda::Work> event_work(cudaEvent_t event, bool record) {
  auto found = find_event(event);
  if (!found) return found.error();
  if (record) return cuda::Work(cuda::RecordWork{*found});
  return cuda::Work(cuda::WaitWork{*found});
}

Answer<cuda::Work> work_of(cudaGraphNodeParams& params) {
  switch (params.type) {
    case cudaGraphNodeTypeKernel: {
      const auto& k = params.kernel;
      return kernel_work(k.func, k.gridDim, k.blockDim, k.sharedMemBytes, k.kernelParams, k.extra);
    }
    case cudaGraphNodeTypeMemcpy: return copy_node_work(&params.memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
      const auto& m = params.memset;
      const cudaMemsetParams same{m.dst, m.pitch, m.value, m.elementSize, m.width, m.height};
      return fill_work(&same);
    }
    case cudaGraphNodeTypeHost: {
      const cudaHostNodeParams same{params.host.fn, params.host.userData};
      return host_work(&same);
    }
    case cudaGraphNodeTypeGraph: {
      auto child = cuda::find_graph(Process::get(), params.graph.graph);
      if (!child) return child.error();
      return cuda::Work(cuda::ChildWork{*child});
    }
    case cudaGraphNodeTypeEmpty: return cuda::Work(cuda::EmptyWork{});
    case cudaGraphNodeTypeWaitEvent: return event_work(params.eventWait.event, false);
    case cudaGraphNodeTypeEventRecord: return event_work(params.eventRecord.event, true);
    case cudaGraphNodeTypeMemAlloc: {
      auto device = find_device(params.alloc.poolProps.location.id);
      if (!device) return device.error();
      auto context = (*device)->primary();
      if (!context) return context.error();
      if (params.alloc.bytesize == 0) return invalid_value("an allocation of 0 bytes");
      auto memory = cuda::GraphMemory::create(**context, params.alloc.bytesize);
      if (!memory) return memory.error();
      params.alloc.dptr = as_handle<void*>((*memory)->address());
      return cuda::Work(cuda::AllocateWork{*memory, params.alloc.bytesize, (*device)->ordinal()});
    }
    case cudaGraphNodeTypeMemFree: {
      if (!cuda::GraphMemory::begins_at(number_of(params.free.dptr)))
        return invalid_value("no memory of a graph");
      return cuda::Work(cuda::FreeWork{number_of(params.free.dptr)});
    }
    default: return failure(Code::not_supported, "a node of type " + std::to_string(params.type));
  }
}

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

cudaMemsetParams params_of(const cuda::FillWork& work) {
  cudaMemsetParams params{};
  params.dst = as_handle<void*>(work.to.address);
  params.pitch = work.to.row_pitch;
  params.elementSize = static_cast<unsigned>(work.pattern.size());
  std::memcpy(&params.value, work.pattern.data(), work.pattern.size());
  params.width = work.extent.bytes / work.pattern.size();
  params.height = work.extent.rows;
  return params;
}

cudaGraphNodeType type_of(const cuda::Work& work) {
  static constexpr std::array<cudaGraphNodeType, std::variant_size_v<cuda::Work>> types{
      cudaGraphNodeTypeEmpty,     cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemcpy,
      cudaGraphNodeTypeMemset,    cudaGraphNodeTypeHost,   cudaGraphNodeTypeEventRecord,
      cudaGraphNodeTypeWaitEvent, cudaGraphNodeTypeGraph,  cudaGraphNodeTypeMemAlloc,
      cudaGraphNodeTypeMemFree};
  return types[work.index()];
}

}  // namespace heddle::cudart
