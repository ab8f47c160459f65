#include "api/opencl/platform.h"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <set>

#include "api/entry/forked.h"
#include "api/opencl/device.h"
#include "api/opencl/dispatch.h"
#include "api/opencl/functions.gen.h"
#include "runtime/process_system.h"

namespace heddle::opencl {

namespace {

std::mutex making;
// Never destroyed: programs call until the very end of a process.
auto& the_platform() {
  static auto& platform = *new std::optional<Answer<PlatformRef>>;
  return platform;
}
std::atomic<bool> made{false};

}  // namespace

Answer<PlatformRef> Platform::make(std::unique_ptr<runtime::SystemOptions> options) {
  auto platform = std::make_shared<Platform>();
  if (options != nullptr) {
    auto system = runtime::System::create(std::move(*options));
    if (!system) return failure_of(system.error());
    platform->own_ = std::move(*system);
    platform->system_ = platform->own_.get();
  } else {
    auto system = runtime::process_system();
    if (!system) {
      tell(system.error().message);
      return failure(CL_PLATFORM_NOT_FOUND_KHR, system.error().message);
    }
    platform->system_ = *system;
  }
  for (runtime::Device& hardware : platform->system_->devices()) {
    auto device = std::make_shared<Device>(*platform, hardware);
    if (auto handle = published<cl_device_id>(device); !handle) return handle.error();
    platform->devices_.push_back(std::move(device));
  }
  if (auto handle = published<cl_platform_id>(platform); !handle) return handle.error();
  entry::in_use();
  return platform;
}

Answer<PlatformRef> Platform::get() {
  if (made.load(std::memory_order_acquire)) return **the_platform();
  const std::lock_guard lock(making);
  if (!*&the_platform()) the_platform().emplace(make(nullptr));
  made.store(true, std::memory_order_release);
  return **the_platform();
}

void Platform::replace(runtime::SystemOptions options) {
  const std::lock_guard lock(making);
  if (the_platform() && the_platform()->ok()) {
    const Platform& before = ***the_platform();
    for (const DeviceRef& device : before.devices_)
      (void)release_object(handle_of(*device), HandleKind::device);
    (void)release_object(handle_of(before), HandleKind::platform);
  }
  the_platform().reset();
  the_platform().emplace(make(std::make_unique<runtime::SystemOptions>(std::move(options))));
  made.store(true, std::memory_order_release);
}

void Platform::tell(const std::string& text) {
  static std::mutex mutex;
  static auto& told = *new std::set<std::string>;
  const std::lock_guard lock(mutex);
  if (told.insert(text).second) std::fprintf(stderr, "heddle: %s\n", text.c_str());
}

Status clGetPlatformIDs(cl_uint num_entries, cl_platform_id* platforms, cl_uint* num_platforms) {
  if (platforms == nullptr && num_platforms == nullptr)
    return invalid_value("platforms and num_platforms are NULL");
  if (platforms != nullptr && num_entries == 0) return invalid_value("num_entries is 0");
  const auto platform = Platform::get();
  if (!platform) {
    if (num_platforms != nullptr) *num_platforms = 0;
    return platform.error();
  }
  if (platforms != nullptr) platforms[0] = handle_as<cl_platform_id>(**platform);
  if (num_platforms != nullptr) *num_platforms = 1;
  return Unit{};
}

Status clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id* platforms, cl_uint* num_platforms) {
  return opencl::clGetPlatformIDs(num_entries, platforms, num_platforms);
}

Status clUnloadCompiler() { return Unit{}; }
Status clUnloadPlatformCompiler(const PlatformRef&) { return Unit{}; }

void* clGetExtensionFunctionAddress(const char* func_name) {
  return func_name == nullptr ? nullptr : function_address(func_name);
}
void* clGetExtensionFunctionAddressForPlatform(const PlatformRef& platform, const char* func_name) {
  return platform == nullptr || func_name == nullptr ? nullptr : function_address(func_name);
}

}  // namespace heddle::opencl
