// Shared virtual memory: what kernels reach at the host's addresses.
#include <bit>
#include <cstring>

#include "api/opencl/functions.gen.h"
#include "api/opencl/kernel.h"
#include "api/opencl/transfer.h"

namespace heddle::opencl {

namespace {

constexpr cl_svm_mem_flags svm_flags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY |
                                       CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
constexpr cl_uint largest_alignment = 128;

bool has_svm(const Context& context, cl_device_svm_capabilities needed) {
  for (const DeviceRef& device : context.devices())
    if ((device->svm() & needed) == needed && device->svm() != 0) return true;
  return false;
}

Status check_svm(const Queue& queue) {
  if (queue.device()->svm() == 0)
    return failure(CL_INVALID_OPERATION, "the device has no shared virtual memory");
  return Unit{};
}

}  // namespace

void* clSVMAlloc(const ContextRef& context, cl_svm_mem_flags flags, size_t size, cl_uint alignment) {
  if (context == nullptr || (flags & ~svm_flags) != 0 || size == 0) return nullptr;
  if (std::popcount(flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY)) > 1) return nullptr;
  const bool fine = (flags & CL_MEM_SVM_FINE_GRAIN_BUFFER) != 0, atomics = (flags & CL_MEM_SVM_ATOMICS) != 0;
  if (atomics && !fine) return nullptr;
  if (alignment == 0) alignment = largest_alignment;
  if (!std::has_single_bit(alignment) || alignment > largest_alignment) return nullptr;
  cl_device_svm_capabilities needed = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
  if (fine) needed |= CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
  if (atomics) needed |= CL_DEVICE_SVM_ATOMICS;
  if (!has_svm(*context, needed)) return nullptr;
  for (const DeviceRef& device : context->devices())
    if (size > device->max_allocation()) return nullptr;
  auto backing = allocate(*context, size, runtime::MemoryKind::managed);
  if (!backing) return nullptr;
  void* pointer = reinterpret_cast<void*>((*backing)->address());
  context->add_svm(pointer, {size, flags, *backing});
  return pointer;
}

// Does not wait for commands; they keep what they may still use.
void clSVMFree(const ContextRef& context, void* svm_pointer) {
  if (context == nullptr || svm_pointer == nullptr) return;
  if (const auto memory = context->remove_svm(svm_pointer)) context->keep_until_idle(memory);
}

Status clEnqueueSVMFree(const QueueRef& command_queue, cl_uint num_svm_pointers, void** svm_pointers,
                        void(CL_CALLBACK* pfn_free_func)(cl_command_queue, cl_uint, void**, void*),
                        void* user_data, const WaitList& waits, cl_event* event) {
  if (Status good = check_svm(*command_queue); !good) return good;
  if ((num_svm_pointers == 0) != (svm_pointers == nullptr))
    return invalid_value("num_svm_pointers and svm_pointers do not fit together");
  std::vector<void*> pointers(svm_pointers, svm_pointers + num_svm_pointers);
  // The queue must not keep itself alive through what it has still to do.
  return enqueue_call(
      *command_queue, CL_COMMAND_SVM_FREE,
      [context = std::weak_ptr<Context>(command_queue->context()),
       queue = handle_as<cl_command_queue>(*command_queue), pointers, pfn_free_func, user_data]() mutable {
        if (pfn_free_func != nullptr) {
          pfn_free_func(queue, static_cast<cl_uint>(pointers.size()), pointers.data(), user_data);
          return;
        }
        if (const ContextRef alive = context.lock())
          for (void* pointer : pointers) opencl::clSVMFree(alive, pointer);
      },
      waits, event, false);
}

Status clEnqueueSVMMemcpy(const QueueRef& command_queue, cl_bool blocking_copy, void* dst_ptr,
                          const void* src_ptr, size_t size, const WaitList& waits, cl_event* event) {
  if (Status good = check_svm(*command_queue); !good) return good;
  if (dst_ptr == nullptr || src_ptr == nullptr) return invalid_value("dst_ptr or src_ptr is NULL");
  const auto to = reinterpret_cast<uint64_t>(dst_ptr), from = reinterpret_cast<uint64_t>(src_ptr);
  if (size != 0 && from < to + size && to < from + size)
    return failure(CL_MEM_COPY_OVERLAP, "what is copied and where it goes overlap");
  runtime::CopyRequest request;
  request.to.address = to;
  request.from.address = from;
  request.extent.bytes = size;
  return enqueue_copy(*command_queue, CL_COMMAND_SVM_MEMCPY, request, waits, event,
                      blocking_copy != CL_FALSE);
}

Status clEnqueueSVMMemFill(const QueueRef& command_queue, void* svm_ptr, const void* pattern,
                           size_t pattern_size, size_t size, const WaitList& waits, cl_event* event) {
  if (Status good = check_svm(*command_queue); !good) return good;
  if (svm_ptr == nullptr || pattern == nullptr) return invalid_value("svm_ptr or pattern is NULL");
  if (!std::has_single_bit(pattern_size) || pattern_size > 128 || size % pattern_size != 0 ||
      reinterpret_cast<uintptr_t>(svm_ptr) % pattern_size != 0)
    return invalid_value("a pattern of " + std::to_string(pattern_size) + " bytes for " +
                         std::to_string(size));
  if (size == 0) return command_queue->enqueue(CL_COMMAND_SVM_MEMFILL, nullptr, waits, event);
  runtime::CopyPlace to;
  to.address = reinterpret_cast<uint64_t>(svm_ptr);
  runtime::CopyExtent extent;
  extent.bytes = size;
  auto operation = runtime::make_fill(command_queue->state(), to, extent,
                                      {static_cast<const std::byte*>(pattern), pattern_size});
  if (!operation) return command_queue->context()->failed(operation.error());
  return command_queue->enqueue(CL_COMMAND_SVM_MEMFILL, std::move(*operation), waits, event);
}

// The host reaches the memory anyway: a mapping is a point in the queue.
Status clEnqueueSVMMap(const QueueRef& command_queue, cl_bool blocking_map, cl_map_flags flags, void* svm_ptr,
                       size_t size, const WaitList& waits, cl_event* event) {
  if (Status good = check_svm(*command_queue); !good) return good;
  if (svm_ptr == nullptr || size == 0) return invalid_value("svm_ptr is NULL or size 0");
  if (Status good = check_map_flags(flags); !good) return good;
  return command_queue->enqueue(CL_COMMAND_SVM_MAP, nullptr, waits, event, blocking_map != CL_FALSE);
}
Status clEnqueueSVMUnmap(const QueueRef& command_queue, void* svm_ptr, const WaitList& waits,
                         cl_event* event) {
  if (Status good = check_svm(*command_queue); !good) return good;
  if (svm_ptr == nullptr) return invalid_value("svm_ptr is NULL");
  return command_queue->enqueue(CL_COMMAND_SVM_UNMAP, nullptr, waits, event);
}

Status clEnqueueSVMMigrateMem(const QueueRef& command_queue, cl_uint num_svm_pointers,
                              const void** svm_pointers, const size_t* sizes, cl_mem_migration_flags flags,
                              const WaitList& waits, cl_event* event) {
  if (Status good = check_svm(*command_queue); !good) return good;
  if (num_svm_pointers == 0 || svm_pointers == nullptr) return invalid_value("there are no pointers");
  if ((flags &
       ~cl_mem_migration_flags{CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED}) != 0)
    return invalid_value("there are no such flags");
  for (cl_uint i = 0; i < num_svm_pointers; ++i)
    if (command_queue->context()->find_svm(svm_pointers[i], sizes == nullptr ? 0 : sizes[i]).bytes == 0)
      return invalid_value("pointer " + std::to_string(i) + " is none that clSVMAlloc gave, or not so long");
  return command_queue->enqueue(CL_COMMAND_SVM_MIGRATE_MEM, nullptr, waits, event);
}

Status clSetKernelArgSVMPointer(const KernelRef& kernel, cl_uint arg_index, const void* arg_value) {
  if (!has_svm(*kernel->program()->context(), 0))
    return failure(CL_INVALID_OPERATION, "no device of the context has shared virtual memory");
  return kernel->set_svm_argument(arg_index, arg_value);
}

// Kernels reach all of it in any case.
Status clSetKernelExecInfo(const KernelRef& kernel, cl_kernel_exec_info param_name, size_t param_value_size,
                           const void* param_value) {
  if (!has_svm(*kernel->program()->context(), 0))
    return failure(CL_INVALID_OPERATION, "no device of the context has shared virtual memory");
  if (param_value == nullptr) return invalid_value("param_value is NULL");
  switch (param_name) {
    case CL_KERNEL_EXEC_INFO_SVM_PTRS:
      if (param_value_size == 0 || param_value_size % sizeof(void*) != 0)
        return invalid_value("param_value_size is no whole number of pointers");
      return Unit{};
    case CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM:
      if (param_value_size != sizeof(cl_bool))
        return invalid_value("param_value_size is not that of a cl_bool");
      if (*static_cast<const cl_bool*>(param_value) != CL_FALSE)
        return failure(CL_INVALID_OPERATION, "no device shares all of the host's memory");
      return Unit{};
    default: return invalid_value("there is no such setting");
  }
}

}  // namespace heddle::opencl
