// A program: source, or what was compiled of it, for each device. What a device runs is PTX, and that is its
// binary; what is compiled and not linked yet is LLVM bitcode.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/opencl/context.h"
#include "api/opencl/info.h"
#include "frontend/opencl.h"
#include "runtime/module.h"

namespace heddle::opencl {

// A program on one device.
struct Build {
  cl_build_status status = CL_BUILD_NONE;
  std::string options, log;
  cl_program_binary_type binary_type = CL_PROGRAM_BINARY_TYPE_NONE;
  std::string object;  // of a compiled object, or library
  std::string ptx;     // of an executable
  std::shared_ptr<const std::vector<frontend::OpenClKernel>> kernels;
  std::shared_ptr<runtime::Module> module;
  // Groups may differ in size: OpenCL C 2.0 and later, unless an option forbids it.
  bool non_uniform_groups = false;
  bool argument_info = false;
  const std::string& binary() const {
    return binary_type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE ? ptx : object;
  }
  std::optional<Failure> refused;  // the code was not loaded, because the context is lost
};

class Program : public Object {
 public:
  enum class Origin : uint8_t { source, binary, link };
  using Notify = void(CL_CALLBACK*)(cl_program program, void* user_data);

  Program(ContextRef context, std::vector<DeviceRef> devices, Origin origin, std::string source = {});
  ~Program() override;

  const ContextRef& context() const { return context_; }
  const std::vector<DeviceRef>& devices() const { return devices_; }
  Origin origin() const { return origin_; }
  const std::string& source() const { return source_; }
  // The device is one of devices(). A copy: another thread may build.
  Build build_of(const Device& device) const;
  void set_build(const Device& device, Build build);
  // Which of devices() it is; nothing for another.
  std::optional<size_t> index_of(const Device& device) const;

  // Programs with kernels cannot be built again.
  void attach_kernel() { kernels_.fetch_add(1); }
  void detach_kernel() { kernels_.fetch_sub(1); }
  bool has_kernels() const { return kernels_.load() != 0; }
  std::mutex& building() { return building_; }

  // ---- queries
  std::vector<size_t> binary_sizes() const;
  Status binaries(const InfoOut& out) const;
  Answer<size_t> kernel_count() const;
  Answer<std::string> kernel_names() const;
  size_t global_variable_bytes(const Device& device) const;

 private:
  Answer<std::vector<std::string>> names() const;
  const ContextRef context_;
  const std::vector<DeviceRef> devices_;
  const Origin origin_;
  const std::string source_;
  std::atomic<uint32_t> kernels_{0};
  std::mutex building_;
  mutable std::mutex mutex_;
  std::vector<Build> builds_;  // as devices_
};

// What of the compiler the device needs to know.
frontend::OpenClTarget target_of(const Device& device);
// Makes the PTX of `build` run on the device; status and log say how that went.
void load(const Context& context, const Device& device, Build& build);

}  // namespace heddle::opencl
