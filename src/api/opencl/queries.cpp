#include "api/opencl/queries.h"

namespace heddle::opencl {

namespace {

template <class... T>
Subjects<T...> subjects(const T&... objects) {
  return std::tuple<const T*...>(&objects...);
}

}  // namespace

// "platform may be NULL": there is one.
Subjects<Platform> platform_query(const PlatformRef& platform) {
  if (platform != nullptr) return subjects(*platform);
  const auto own = Platform::get();
  if (!own) return failure(CL_INVALID_PLATFORM, own.error().message);
  return subjects(**own);
}
Subjects<Device> device_query(const DeviceRef& device) { return subjects(*device); }
Subjects<Context> context_query(const ContextRef& context) { return subjects(*context); }
Subjects<Queue> queue_query(const QueueRef& queue) { return subjects(*queue); }
Subjects<Memory> memory_query(const MemoryRef& memory) { return subjects(*memory); }
Subjects<Memory> image_query(const MemoryRef& memory) {
  if (!memory->is_image()) return failure(CL_INVALID_MEM_OBJECT, "the memory object is no image");
  return subjects(*memory);
}
Subjects<Sampler> sampler_query(const SamplerRef& sampler) { return subjects(*sampler); }
Subjects<Program> program_query(const ProgramRef& program) { return subjects(*program); }
Subjects<Program, Device> program_build_query(const ProgramRef& program, const DeviceRef& device) {
  if (!program->index_of(*device)) return failure(CL_INVALID_DEVICE, "the device is none of the program's");
  return subjects(*program, *device);
}
Subjects<Kernel> kernel_query(const KernelRef& kernel) { return subjects(*kernel); }

// "device can be NULL if there is a single one associated with kernel."
Subjects<Kernel, Device> kernel_work_group_query(const KernelRef& kernel, const DeviceRef& device) {
  const auto& devices = kernel->program()->devices();
  if (device == nullptr) {
    if (devices.size() > 1) return failure(CL_INVALID_DEVICE, "device is NULL, and the kernel has several");
    return subjects(*kernel, *devices.front());
  }
  if (kernel->on(*device) == nullptr)
    return failure(CL_INVALID_DEVICE, "the kernel is not built for the device");
  return subjects(*kernel, *device);
}
Subjects<Kernel, frontend::OpenClArgument> kernel_argument_query(const KernelRef& kernel, cl_uint index) {
  if (index >= kernel->argument_count())
    return failure(CL_INVALID_ARG_INDEX,
                   "argument " + std::to_string(index) + " of '" + kernel->name() + "'");
  if (!kernel->has_argument_info())
    return failure(CL_KERNEL_ARG_INFO_NOT_AVAILABLE, "the program was not built with -cl-kernel-arg-info");
  return subjects(*kernel, kernel->description().arguments[index]);
}
Subjects<Event> event_query(const EventRef& event) { return subjects(*event); }
Subjects<Event> event_profiling_query(const EventRef& event) {
  if (event->is_user() || !event->queue()->profiles())
    return failure(CL_PROFILING_INFO_NOT_AVAILABLE, "the command queue has no CL_QUEUE_PROFILING_ENABLE");
  if (event->status() != CL_COMPLETE)
    return failure(CL_PROFILING_INFO_NOT_AVAILABLE, "the command is not complete");
  return subjects(*event);
}

cl_kernel_arg_address_qualifier address_qualifier(const frontend::OpenClArgument& argument) {
  switch (argument.address) {
    case frontend::OpenClAddress::global: return CL_KERNEL_ARG_ADDRESS_GLOBAL;
    case frontend::OpenClAddress::local: return CL_KERNEL_ARG_ADDRESS_LOCAL;
    case frontend::OpenClAddress::constant: return CL_KERNEL_ARG_ADDRESS_CONSTANT;
    case frontend::OpenClAddress::private_: break;
  }
  return CL_KERNEL_ARG_ADDRESS_PRIVATE;
}
cl_kernel_arg_access_qualifier access_qualifier(const frontend::OpenClArgument& argument) {
  switch (argument.access) {
    case frontend::OpenClAccess::read_only: return CL_KERNEL_ARG_ACCESS_READ_ONLY;
    case frontend::OpenClAccess::write_only: return CL_KERNEL_ARG_ACCESS_WRITE_ONLY;
    case frontend::OpenClAccess::read_write: return CL_KERNEL_ARG_ACCESS_READ_WRITE;
    case frontend::OpenClAccess::none: break;
  }
  return CL_KERNEL_ARG_ACCESS_NONE;
}
cl_kernel_arg_type_qualifier type_qualifier(const frontend::OpenClArgument& argument) {
  cl_kernel_arg_type_qualifier qualifier = CL_KERNEL_ARG_TYPE_NONE;
  if (argument.is_const) qualifier |= CL_KERNEL_ARG_TYPE_CONST;
  if (argument.is_restrict) qualifier |= CL_KERNEL_ARG_TYPE_RESTRICT;
  if (argument.is_volatile) qualifier |= CL_KERNEL_ARG_TYPE_VOLATILE;
  if (argument.is_pipe) qualifier |= CL_KERNEL_ARG_TYPE_PIPE;
  return qualifier;
}

// CL_QUEUE_SIZE: "not a valid command queue for this query" unless it is a device's own.
Answer<cl_uint> no_device_queue() {
  return failure(CL_INVALID_COMMAND_QUEUE, "the command queue is not the device's own");
}

}  // namespace heddle::opencl
