#include "api/opencl/kernel.h"

#include <algorithm>
#include <cstring>

#include "analysis/resources.h"
#include "api/opencl/functions.gen.h"
#include "api/opencl/image.h"
#include "api/opencl/memory.h"
#include "api/opencl/sampler.h"
#include "runtime/launch.h"

namespace heddle::opencl {

namespace {

using frontend::OpenClArgument;
using frontend::OpenClKind;

// Local memory that a kernel is given begins at a multiple of this, and of what it asks for.
constexpr uint32_t local_alignment = 16;

uint32_t aligned(uint64_t value, uint32_t alignment) {
  return static_cast<uint32_t>((value + alignment - 1) / alignment * alignment);
}

}  // namespace

Answer<KernelRef> Kernel::create(const ProgramRef& program, const std::string& name) {
  auto kernel = std::make_shared<Kernel>(program, name);
  bool built = false;
  for (const DeviceRef& device : program->devices()) {
    const Build build = program->build_of(*device);
    if (build.module == nullptr) continue;
    built = true;
    const auto found = std::ranges::find(*build.kernels, name, &frontend::OpenClKernel::name);
    if (found == build.kernels->end()) continue;
    if (kernel->description_ != nullptr && kernel->description_->arguments.size() != found->arguments.size())
      return failure(CL_INVALID_KERNEL_DEFINITION, "'" + name + "' takes other arguments on other devices");
    auto code = build.module->kernel(name);
    if (!code) return failure(CL_INVALID_KERNEL_NAME, code.error().message);
    if (kernel->description_ == nullptr) {
      kernel->descriptions_ = build.kernels;
      kernel->description_ = &*found;
      kernel->argument_info_ = build.argument_info;
    }
    OnDevice on;
    on.device = device.get();
    on.module = build.module;
    on.kernel = *code;
    on.params.resize(runtime::parameter_bytes((*code)->function()));
    on.non_uniform_groups = build.non_uniform_groups;
    kernel->on_.push_back(std::move(on));
  }
  if (!built) return failure(CL_INVALID_PROGRAM_EXECUTABLE, "the program has not been built for any device");
  if (kernel->description_ == nullptr)
    return failure(CL_INVALID_KERNEL_NAME, "the program has no kernel '" + name + "'");
  kernel->missing_ = kernel->argument_count();
  kernel->set_.resize(kernel->argument_count());
  kernel->local_bytes_.resize(kernel->argument_count());
  return kernel;
}

KernelRef Kernel::clone() const {
  auto copy = std::make_shared<Kernel>(program_, name_);
  copy->descriptions_ = descriptions_;
  copy->description_ = description_;
  copy->argument_info_ = argument_info_;
  copy->on_ = on_;
  copy->set_ = set_;
  copy->local_bytes_ = local_bytes_;
  copy->missing_ = missing_;
  return copy;
}

const Kernel::OnDevice* Kernel::on(const Device& device) const {
  for (const OnDevice& on : on_)
    if (on.device == &device) return &on;
  return nullptr;
}

void Kernel::mark_set(cl_uint index) {
  if (set_[index]) return;
  set_[index] = true;
  --missing_;
}

template <class Bits>
void Kernel::place(cl_uint index, const Bits& bits) {
  const OpenClArgument& argument = description_->arguments[index];
  for (OnDevice& on : on_) {
    const uint64_t value = bits(on);
    std::memcpy(on.params.data() + argument.offset, &value, std::min<size_t>(argument.size, sizeof value));
  }
  mark_set(index);
}

void Kernel::place_bytes(cl_uint index, const void* value) {
  const OpenClArgument& argument = description_->arguments[index];
  for (OnDevice& on : on_) std::memcpy(on.params.data() + argument.offset, value, argument.size);
  mark_set(index);
}

// One behind the other, behind the shared memory that the kernel itself declares.
void Kernel::place_local() {
  for (OnDevice& on : on_) {
    const uint32_t own = on.kernel->function().static_shared_bytes;
    uint64_t end = own;
    for (size_t i = 0; i < local_bytes_.size(); ++i) {
      const OpenClArgument& argument = description_->arguments[i];
      if (argument.kind != OpenClKind::local || !set_[i]) continue;
      const uint64_t begin = aligned(end, std::max(local_alignment, argument.alignment));
      std::memcpy(on.params.data() + argument.offset, &begin, std::min<size_t>(argument.size, sizeof begin));
      end = begin + local_bytes_[i];
    }
    on.dynamic_shared = static_cast<uint32_t>(end - own);
  }
}

Status Kernel::set_memory(cl_uint index, const void* value) {
  uint64_t address = 0;
  if (value != nullptr) {
    cl_mem handle;
    std::memcpy(&handle, value, sizeof handle);
    if (handle != nullptr) {
      const MemoryRef memory = find(handle);
      if (memory == nullptr) return no_such("the argument", handle);
      if (!memory->is_buffer()) return failure(CL_INVALID_MEM_OBJECT, "the argument is no buffer");
      address = memory->address();
    }
  }
  place(index, [address](const OnDevice&) { return address; });
  return Unit{};
}

Status Kernel::set_image(cl_uint index, const void* value) {
  if (value == nullptr) return failure(CL_INVALID_ARG_VALUE, "an image is needed");
  cl_mem handle;
  std::memcpy(&handle, value, sizeof handle);
  const MemoryRef memory = find(handle);
  if (memory == nullptr) return no_such("the argument", handle);
  if (!memory->is_image()) return failure(CL_INVALID_MEM_OBJECT, "the argument is no image");
  const OpenClArgument& argument = description_->arguments[index];
  using frontend::OpenClAccess;
  if (((memory->flags() & CL_MEM_WRITE_ONLY) != 0 && argument.access == OpenClAccess::read_only) ||
      ((memory->flags() & CL_MEM_READ_ONLY) != 0 && argument.access == OpenClAccess::write_only) ||
      ((memory->flags() & (CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY)) != 0 &&
       argument.access == OpenClAccess::read_write))
    return failure(CL_INVALID_ARG_VALUE, "the kernel does with the image what its flags forbid");
  if (!memory->image().fits(argument.image))
    return failure(CL_INVALID_ARG_VALUE, "the kernel takes another kind of image: " + argument.image);
  place(index, [&](const OnDevice& on) { return memory->image().handle(*on.device); });
  return Unit{};
}

Status Kernel::set_argument(cl_uint index, size_t size, const void* value) {
  if (index >= argument_count())
    return failure(CL_INVALID_ARG_INDEX, "argument " + std::to_string(index) + " of '" + name_ +
                                             "', which takes " + std::to_string(argument_count()));
  const OpenClArgument& argument = description_->arguments[index];
  const auto wrong_size = [&](size_t right) {
    return failure(CL_INVALID_ARG_SIZE, "argument " + std::to_string(index) + " of '" + name_ + "' has " +
                                            std::to_string(right) + " bytes, arg_size is " +
                                            std::to_string(size));
  };
  switch (argument.kind) {
    case OpenClKind::local:
      if (value != nullptr)
        return failure(CL_INVALID_ARG_VALUE, "local memory has no value: arg_value is not NULL");
      if (size == 0) return failure(CL_INVALID_ARG_SIZE, "local memory of 0 bytes");
      if (size > UINT32_MAX / 2)
        return failure(CL_INVALID_ARG_SIZE, "local memory of " + std::to_string(size) + " bytes");
      local_bytes_[index] = static_cast<uint32_t>(size);
      mark_set(index);
      place_local();
      return Unit{};
    case OpenClKind::pointer:
      if (size != sizeof(cl_mem)) return wrong_size(sizeof(cl_mem));
      return set_memory(index, value);
    case OpenClKind::image:
      if (size != sizeof(cl_mem)) return wrong_size(sizeof(cl_mem));
      return set_image(index, value);
    case OpenClKind::sampler: {
      if (size != sizeof(cl_sampler)) return wrong_size(sizeof(cl_sampler));
      if (value == nullptr) return failure(CL_INVALID_ARG_VALUE, "a sampler is needed");
      cl_sampler handle;
      std::memcpy(&handle, value, sizeof handle);
      const SamplerRef sampler = find(handle);
      if (sampler == nullptr) return no_such("the argument", handle);
      place(index, [&](const OnDevice& on) { return sampler->handle(*on.device); });
      return Unit{};
    }
    case OpenClKind::value: break;
  }
  if (size != argument.size) return wrong_size(argument.size);
  if (value == nullptr) return failure(CL_INVALID_ARG_VALUE, "arg_value is NULL");
  // PTX of another compiler may have pointers without saying so.
  if (argument.type_name.empty() && size == sizeof(cl_mem)) {
    cl_mem handle;
    std::memcpy(&handle, value, sizeof handle);
    if (const MemoryRef memory = find(handle); memory != nullptr && memory->is_buffer())
      return set_memory(index, value);
  }
  place_bytes(index, value);
  return Unit{};
}

Status Kernel::set_svm_argument(cl_uint index, const void* pointer) {
  if (index >= argument_count())
    return failure(CL_INVALID_ARG_INDEX, "argument " + std::to_string(index) + " of '" + name_ +
                                             "', which takes " + std::to_string(argument_count()));
  if (description_->arguments[index].kind != OpenClKind::pointer)
    return failure(CL_INVALID_ARG_VALUE, "the argument is no pointer to global or constant memory");
  place(index, [pointer](const OnDevice&) { return reinterpret_cast<uint64_t>(pointer); });
  return Unit{};
}

Answer<std::array<size_t, 3>> Kernel::global_work_size(const Device&) const {
  return invalid_value("only for custom devices and built-in kernels");
}

size_t Kernel::max_group(const Device& device) const {
  const OnDevice* there = on(device);
  return there == nullptr ? device.max_group() : there->kernel->max_threads();
}
std::array<size_t, 3> Kernel::required_group(const Device&) const {
  const auto& required = description_->required_group;
  return {required[0], required[1], required[2]};
}
cl_ulong Kernel::local_bytes(const Device& device) const {
  const OnDevice* there = on(device);
  return there == nullptr ? 0 : there->kernel->function().static_shared_bytes + there->dynamic_shared;
}
cl_ulong Kernel::private_bytes(const Device& device) const {
  const OnDevice* there = on(device);
  if (there == nullptr) return 0;
  return analysis::reported_thread(there->kernel->module().image(), there->kernel->index(), device.arch())
      .stack_bytes;
}

Answer<cl_kernel> clCreateKernel(const ProgramRef& program, const char* kernel_name) {
  if (kernel_name == nullptr) return invalid_value("kernel_name is NULL");
  auto kernel = Kernel::create(program, kernel_name);
  if (!kernel) return kernel.error();
  return published<cl_kernel>(*kernel);
}

Status clCreateKernelsInProgram(const ProgramRef& program, cl_uint num_kernels, cl_kernel* kernels,
                                cl_uint* num_kernels_ret) {
  std::vector<std::string> names;
  bool built = false;
  for (const DeviceRef& device : program->devices()) {
    const Build build = program->build_of(*device);
    if (build.module == nullptr) continue;
    built = true;
    for (const frontend::OpenClKernel& kernel : *build.kernels)
      if (std::ranges::find(names, kernel.name) == names.end()) names.push_back(kernel.name);
  }
  if (!built) return failure(CL_INVALID_PROGRAM_EXECUTABLE, "the program has not been built for any device");
  if (num_kernels_ret != nullptr) *num_kernels_ret = static_cast<cl_uint>(names.size());
  if (kernels == nullptr) return Unit{};
  if (num_kernels < names.size())
    return invalid_value("num_kernels is " + std::to_string(num_kernels) + ", the program has " +
                         std::to_string(names.size()));
  for (size_t i = 0; i < names.size(); ++i) {
    auto handle = opencl::clCreateKernel(program, names[i].c_str());
    if (!handle) {
      while (i > 0) (void)release("kernel", kernels[--i]);
      return handle.error();
    }
    kernels[i] = *handle;
  }
  return Unit{};
}

Answer<cl_kernel> clCloneKernel(const KernelRef& source_kernel) {
  return published<cl_kernel>(source_kernel->clone());
}

Status clSetKernelArg(const KernelRef& kernel, cl_uint arg_index, size_t arg_size, const void* arg_value) {
  return kernel->set_argument(arg_index, arg_size, arg_value);
}

Status clGetKernelSubGroupInfo(const KernelRef& kernel, const DeviceRef& device,
                               cl_kernel_sub_group_info param_name, size_t input_value_size,
                               const void* input_value, const InfoOut& out) {
  if (device == nullptr && kernel->program()->devices().size() > 1)
    return failure(CL_INVALID_DEVICE, "device is NULL, and the program has several");
  const Device& on = device == nullptr ? *kernel->program()->devices().front() : *device;
  if (kernel->on(on) == nullptr) return failure(CL_INVALID_DEVICE, "the kernel is not built for the device");
  if (on.max_sub_groups() == 0) return failure(CL_INVALID_OPERATION, "the device has no sub-groups");
  const size_t warp = on.arch().launch.warp_size;
  const auto sizes = static_cast<const size_t*>(input_value);
  const auto group = [&]() -> Answer<size_t> {
    if (sizes == nullptr || input_value_size == 0 || input_value_size % sizeof(size_t) != 0 ||
        input_value_size > 3 * sizeof(size_t))
      return invalid_value("the input is one, two or three sizes of a work-group");
    size_t items = 1;
    for (size_t i = 0; i < input_value_size / sizeof(size_t); ++i) items *= sizes[i];
    return items;
  };
  switch (param_name) {
    case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE: {
      const auto items = group();
      if (!items) return items.error();
      return out.value<size_t>(std::min(warp, *items));
    }
    case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE: {
      const auto items = group();
      if (!items) return items.error();
      return out.value<size_t>((*items + warp - 1) / warp);
    }
    case CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT: {
      if (sizes == nullptr || input_value_size != sizeof(size_t))
        return invalid_value("the input is a number of sub-groups");
      const size_t items = *sizes * warp;
      std::vector<size_t> local(std::max<size_t>(out.room() / sizeof(size_t), 1), 1);
      local[0] = items;
      if (*sizes == 0 || items > kernel->max_group(on)) std::ranges::fill(local, 0);
      return out.list(local);
    }
    case CL_KERNEL_MAX_NUM_SUB_GROUPS: return out.value<size_t>((kernel->max_group(on) + warp - 1) / warp);
    case CL_KERNEL_COMPILE_NUM_SUB_GROUPS: return out.value<size_t>(0);
    case CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL:
      return out.value<size_t>(kernel->description().required_sub_group);
    default: return unknown_query(param_name);
  }
}

Status clGetKernelSubGroupInfoKHR(const KernelRef& kernel, const DeviceRef& device,
                                  cl_kernel_sub_group_info param_name, size_t input_value_size,
                                  const void* input_value, const InfoOut& out) {
  return opencl::clGetKernelSubGroupInfo(kernel, device, param_name, input_value_size, input_value, out);
}

}  // namespace heddle::opencl
