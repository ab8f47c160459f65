// A context: devices, and what programs share on them. Each device's state is a runtime::Context; what is
// allocated in one of them all can reach.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "api/opencl/device.h"
#include "runtime/context.h"

namespace heddle::opencl {

class Context : public Object {
 public:
  using Notify = void(CL_CALLBACK*)(const char* errinfo, const void* private_info, size_t cb,
                                    void* user_data);

  static Answer<ContextRef> create(std::vector<DeviceRef> devices,
                                   std::vector<cl_context_properties> properties, Notify notify,
                                   void* user_data);
  ~Context() override;

  const std::vector<DeviceRef>& devices() const { return devices_; }
  const std::vector<cl_context_properties>& properties() const { return properties_; }
  bool has(const Device& device) const;
  // The state on a device, or on the one that a sub-device is part of.
  runtime::Context& on(const Device& device) const;
  // Where memory is allocated.
  runtime::Context& home() const { return *states_.front().second; }
  const std::vector<std::pair<runtime::Device*, std::shared_ptr<runtime::Context>>>& states() const {
    return states_;
  }

  // The error of what ended one of the states; the program is told once (pfn_notify).
  Failure failed(const runtime::Error& error);
  // Kept until everything that was enqueued so far is done.
  void keep_until_idle(const std::shared_ptr<const void>& object);
  void on_destruction(std::function<void()> callback);

  // ---- shared virtual memory
  struct SvmBlock {
    size_t bytes = 0;
    cl_svm_mem_flags flags = 0;
    std::shared_ptr<const void> memory;
  };
  void add_svm(const void* pointer, SvmBlock block);
  // Nothing when it is none, or was freed.
  std::shared_ptr<const void> remove_svm(const void* pointer);
  // The block that holds [pointer, pointer + bytes); bytes 0 if there is none.
  SvmBlock find_svm(const void* pointer, size_t bytes) const;
  // How many bytes of a block follow pointer; 0 if it is in none.
  size_t svm_bytes_at(const void* pointer) const;

 private:
  Context(std::vector<DeviceRef> devices, std::vector<cl_context_properties> properties, Notify notify,
          void* user_data)
      : devices_(std::move(devices)),
        properties_(std::move(properties)),
        notify_(notify),
        user_data_(user_data) {}
  const std::vector<DeviceRef> devices_;
  const std::vector<cl_context_properties> properties_;
  const Notify notify_;
  void* const user_data_;
  std::vector<std::pair<runtime::Device*, std::shared_ptr<runtime::Context>>> states_;
  mutable std::mutex mutex_;
  bool told_ = false;
  std::vector<std::function<void()>> callbacks_;
  std::map<uintptr_t, SvmBlock> svm_;
};

std::vector<cl_device_id> device_handles(const std::vector<DeviceRef>& devices);

// The devices of a list that a function was given, or all of the context's; each must be one of the
// context's.
Answer<std::vector<DeviceRef>> devices_of(const Context& context, cl_uint count, const cl_device_id* list);

}  // namespace heddle::opencl
