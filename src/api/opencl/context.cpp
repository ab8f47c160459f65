#include "api/opencl/context.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "api/opencl/functions.gen.h"
#include "api/opencl/platform.h"

namespace heddle::opencl {

namespace {

// Memory of the device that printf writes to, at least (OpenCL 3.0, CL_DEVICE_PRINTF_BUFFER_SIZE).
constexpr uint64_t least_printf_bytes = uint64_t{1} << 20;

Answer<std::vector<cl_context_properties>> read_properties(const cl_context_properties* properties) {
  std::vector<cl_context_properties> result;
  if (properties == nullptr) return result;
  bool platform = false, sync = false;
  for (const cl_context_properties* p = properties; *p != 0; p += 2) {
    switch (*p) {
      case CL_CONTEXT_PLATFORM:
        if (std::exchange(platform, true))
          return failure(CL_INVALID_PROPERTY, "CL_CONTEXT_PLATFORM is there twice");
        if (find(reinterpret_cast<cl_platform_id>(p[1])) == nullptr)
          return no_such("CL_CONTEXT_PLATFORM", reinterpret_cast<cl_platform_id>(p[1]));
        break;
      case CL_CONTEXT_INTEROP_USER_SYNC:
        if (std::exchange(sync, true))
          return failure(CL_INVALID_PROPERTY, "CL_CONTEXT_INTEROP_USER_SYNC is there twice");
        if (p[1] != CL_TRUE && p[1] != CL_FALSE)
          return failure(CL_INVALID_PROPERTY, "CL_CONTEXT_INTEROP_USER_SYNC is CL_TRUE or CL_FALSE");
        break;
      default: return failure(CL_INVALID_PROPERTY, "there is no context property " + std::to_string(*p));
    }
    result.insert(result.end(), {p[0], p[1]});
  }
  result.push_back(0);
  return result;
}

bool matches(const Device& device, cl_device_type type) {
  return type == CL_DEVICE_TYPE_ALL || (type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT)) != 0 ||
         (type & device.type()) != 0;
}

}  // namespace

Answer<ContextRef> Context::create(std::vector<DeviceRef> devices,
                                   std::vector<cl_context_properties> properties, Notify notify,
                                   void* user_data) {
  std::shared_ptr<Context> context(new Context(std::move(devices), std::move(properties), notify, user_data));
  for (const DeviceRef& device : context->devices_) {
    runtime::Device* hardware = &device->hardware();
    const bool known =
        std::ranges::any_of(context->states_, [&](const auto& state) { return state.first == hardware; });
    if (known) continue;
    auto state = device->platform().system().create_context(hardware->index, {});
    if (!state) return failure_of(state.error());
    const auto printf_bytes = (*state)->limit(runtime::ContextLimit::printf_bytes);
    if (printf_bytes && *printf_bytes < least_printf_bytes) {
      const auto set = (*state)->set_limit(runtime::ContextLimit::printf_bytes, least_printf_bytes);
      if (!set) return failure_of(set.error());
    }
    context->states_.emplace_back(hardware, std::move(*state));
  }
  for (const auto& [_, state] : context->states_)
    for (const auto& [__, peer] : context->states_)
      if (state != peer) {
        if (const auto enabled = state->enable_peer(*peer); !enabled) return failure_of(enabled.error());
      }
  return context;
}

Context::~Context() {
  for (auto callback = callbacks_.rbegin(); callback != callbacks_.rend(); ++callback) (*callback)();
  for (const auto& [_, state] : states_) state->destroy();
}

bool Context::has(const Device& device) const {
  return std::ranges::any_of(devices_, [&](const DeviceRef& mine) { return mine.get() == &device; });
}

runtime::Context& Context::on(const Device& device) const {
  for (const auto& [hardware, state] : states_)
    if (hardware == &device.hardware()) return *state;
  return home();
}

Failure Context::failed(const runtime::Error& error) {
  Failure result = failure_of(error);
  if (notify_ == nullptr || !runtime::ends_context(error.code)) return result;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(told_, true)) return result;
  }
  notify_(error.message.c_str(), nullptr, 0, user_data_);
  return result;
}

void Context::keep_until_idle(const std::shared_ptr<const void>& object) {
  for (const auto& [_, state] : states_) state->keep_until_idle(object);
}

void Context::on_destruction(std::function<void()> callback) {
  const std::lock_guard lock(mutex_);
  callbacks_.push_back(std::move(callback));
}

void Context::add_svm(const void* pointer, SvmBlock block) {
  const std::lock_guard lock(mutex_);
  svm_[reinterpret_cast<uintptr_t>(pointer)] = std::move(block);
}

std::shared_ptr<const void> Context::remove_svm(const void* pointer) {
  const std::lock_guard lock(mutex_);
  const auto found = svm_.find(reinterpret_cast<uintptr_t>(pointer));
  if (found == svm_.end()) return nullptr;
  std::shared_ptr<const void> memory = std::move(found->second.memory);
  svm_.erase(found);
  return memory;
}

namespace {

// The block that holds the address, and how many of its bytes lie from there on.
template <class Blocks>
std::pair<const typename Blocks::mapped_type*, size_t> block_at(const Blocks& blocks, const void* pointer) {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  const auto next = blocks.upper_bound(address);
  if (next == blocks.begin()) return {nullptr, 0};
  const auto& [first, block] = *std::prev(next);
  if (address - first >= block.bytes) return {nullptr, 0};
  return {&block, block.bytes - (address - first)};
}

}  // namespace

Context::SvmBlock Context::find_svm(const void* pointer, size_t bytes) const {
  const std::lock_guard lock(mutex_);
  const auto [block, left] = block_at(svm_, pointer);
  return block != nullptr && bytes <= left ? *block : SvmBlock{};
}

size_t Context::svm_bytes_at(const void* pointer) const {
  const std::lock_guard lock(mutex_);
  return block_at(svm_, pointer).second;
}

std::vector<cl_device_id> device_handles(const std::vector<DeviceRef>& devices) {
  std::vector<cl_device_id> handles;
  for (const DeviceRef& device : devices) handles.push_back(handle_as<cl_device_id>(*device));
  return handles;
}

Answer<std::vector<DeviceRef>> devices_of(const Context& context, cl_uint count, const cl_device_id* list) {
  if ((count == 0) != (list == nullptr))
    return invalid_value("num_devices is " + std::to_string(count) + ", device_list is " +
                         (list == nullptr ? "NULL" : "not NULL"));
  if (count == 0) return context.devices();
  std::vector<DeviceRef> devices;
  for (cl_uint i = 0; i < count; ++i) {
    DeviceRef device = find(list[i]);
    if (device == nullptr) return no_such("a device", list[i]);
    if (!context.has(*device))
      return failure(CL_INVALID_DEVICE,
                     "device " + std::to_string(i) + " of the list is none of the context's");
    if (std::ranges::find(devices, device) == devices.end()) devices.push_back(std::move(device));
  }
  return devices;
}

Answer<cl_context> clCreateContext(const cl_context_properties* properties, cl_uint num_devices,
                                   const cl_device_id* devices, Context::Notify pfn_notify, void* user_data) {
  auto platform = Platform::get();
  if (!platform) return platform.error();
  auto given = read_properties(properties);
  if (!given) return given.error();
  if (devices == nullptr || num_devices == 0) return invalid_value("no devices are given");
  if (pfn_notify == nullptr && user_data != nullptr)
    return invalid_value("user_data is given without pfn_notify");
  std::vector<DeviceRef> list;
  for (cl_uint i = 0; i < num_devices; ++i) {
    DeviceRef device = find(devices[i]);
    if (device == nullptr) return no_such("a device", devices[i]);
    if (std::ranges::find(list, device) == list.end()) list.push_back(std::move(device));
  }
  auto context = Context::create(std::move(list), std::move(*given), pfn_notify, user_data);
  if (!context) return context.error();
  return published<cl_context>(*context);
}

Answer<cl_context> clCreateContextFromType(const cl_context_properties* properties,
                                           cl_device_type device_type, Context::Notify pfn_notify,
                                           void* user_data) {
  auto platform = Platform::get();
  if (!platform) return platform.error();
  if (!is_device_type(device_type)) return failure(CL_INVALID_DEVICE_TYPE, "no type of devices");
  auto given = read_properties(properties);
  if (!given) return given.error();
  if (pfn_notify == nullptr && user_data != nullptr)
    return invalid_value("user_data is given without pfn_notify");
  std::vector<DeviceRef> list;
  for (const DeviceRef& device : (*platform)->devices())
    if (matches(*device, device_type)) list.push_back(device);
  if (list.empty()) return failure(CL_DEVICE_NOT_FOUND, "no device is of that type");
  if (device_type == CL_DEVICE_TYPE_DEFAULT) list.resize(1);
  auto context = Context::create(std::move(list), std::move(*given), pfn_notify, user_data);
  if (!context) return context.error();
  return published<cl_context>(*context);
}

Status clSetContextDestructorCallback(const ContextRef& context,
                                      void(CL_CALLBACK* pfn_notify)(cl_context, void*), void* user_data) {
  if (pfn_notify == nullptr) return invalid_value("pfn_notify is NULL");
  context->on_destruction(
      [pfn_notify, user_data, handle = handle_as<cl_context>(*context)] { pfn_notify(handle, user_data); });
  return Unit{};
}

}  // namespace heddle::opencl
