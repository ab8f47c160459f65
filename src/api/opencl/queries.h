// What the generated clGet*Info functions need: the objects that a query is about, checked, and the words for
// what their expressions name (spec/opencl/queries).
#pragma once

#include <tuple>

#include "api/opencl/context.h"
#include "api/opencl/device.h"
#include "api/opencl/event.h"
#include "api/opencl/extension.h"
#include "api/opencl/image.h"
#include "api/opencl/kernel.h"
#include "api/opencl/memory.h"
#include "api/opencl/platform.h"
#include "api/opencl/program.h"
#include "api/opencl/queue.h"
#include "api/opencl/sampler.h"

namespace heddle::opencl {

template <class... T>
using Subjects = Answer<std::tuple<const T*...>>;

Subjects<Platform> platform_query(const PlatformRef& platform);
Subjects<Device> device_query(const DeviceRef& device);
Subjects<Context> context_query(const ContextRef& context);
Subjects<Queue> queue_query(const QueueRef& queue);
Subjects<Memory> memory_query(const MemoryRef& memory);
Subjects<Memory> image_query(const MemoryRef& memory);
Subjects<Sampler> sampler_query(const SamplerRef& sampler);
Subjects<Program> program_query(const ProgramRef& program);
Subjects<Program, Device> program_build_query(const ProgramRef& program, const DeviceRef& device);
Subjects<Kernel> kernel_query(const KernelRef& kernel);
Subjects<Kernel, Device> kernel_work_group_query(const KernelRef& kernel, const DeviceRef& device);
Subjects<Kernel, frontend::OpenClArgument> kernel_argument_query(const KernelRef& kernel, cl_uint index);
Subjects<Event> event_query(const EventRef& event);
Subjects<Event> event_profiling_query(const EventRef& event);

cl_kernel_arg_address_qualifier address_qualifier(const frontend::OpenClArgument& argument);
cl_kernel_arg_access_qualifier access_qualifier(const frontend::OpenClArgument& argument);
cl_kernel_arg_type_qualifier type_qualifier(const frontend::OpenClArgument& argument);
Answer<cl_uint> no_device_queue();

}  // namespace heddle::opencl
