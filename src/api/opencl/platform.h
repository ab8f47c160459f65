// The one platform of the process and its devices. They share the process's System with CUDA.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/opencl/handle.h"
#include "runtime/system.h"

namespace heddle::opencl {

class Platform : public Object {
 public:
  // The process's own, made by the first call and never destroyed; the error when there are no devices to
  // work with, which a bad variable of the environment can cause.
  static Answer<PlatformRef> get();
  // For tests: get() answers with one made of these options from now on. Objects of the one before must be
  // gone.
  static void replace(runtime::SystemOptions options);

  runtime::System& system() const { return *system_; }
  const std::vector<DeviceRef>& devices() const { return devices_; }

  // Words that no error code can say, on the error output, each once.
  static void tell(const std::string& text);

 private:
  static Answer<PlatformRef> make(std::unique_ptr<runtime::SystemOptions> options);
  std::unique_ptr<runtime::System> own_;  // of tests
  runtime::System* system_ = nullptr;
  std::vector<DeviceRef> devices_;
};

}  // namespace heddle::opencl
