// A kernel with its arguments, as the last clSetKernelArg of each left them.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "api/opencl/program.h"

namespace heddle::opencl {

class Kernel : public Object {
 public:
  // Of a program that has been built for one device at least.
  static Answer<KernelRef> create(const ProgramRef& program, const std::string& name);
  Kernel(ProgramRef program, std::string name) : program_(std::move(program)), name_(std::move(name)) {
    program_->attach_kernel();
  }
  ~Kernel() override { program_->detach_kernel(); }
  KernelRef clone() const;

  const ProgramRef& program() const { return program_; }
  const std::string& name() const { return name_; }

  Status set_argument(cl_uint index, size_t size, const void* value);
  Status set_svm_argument(cl_uint index, const void* pointer);

  // What runs on a device: the kernel, its parameters, and the bytes of local memory behind the kernel's own.
  struct OnDevice {
    const Device* device = nullptr;
    std::shared_ptr<runtime::Module> module;
    runtime::Kernel* kernel = nullptr;
    std::vector<std::byte> params;
    uint32_t dynamic_shared = 0;
    bool non_uniform_groups = false;
  };
  // nullptr: the program has not been built for it.
  const OnDevice* on(const Device& device) const;
  bool arguments_set() const { return missing_ == 0; }
  const frontend::OpenClKernel& description() const { return *description_; }

  // ---- queries
  size_t argument_count() const { return description_->arguments.size(); }
  const std::string& attributes() const { return description_->attributes; }
  bool has_argument_info() const { return argument_info_; }
  Answer<std::array<size_t, 3>> global_work_size(const Device& device) const;
  size_t max_group(const Device& device) const;
  std::array<size_t, 3> required_group(const Device& device) const;
  cl_ulong local_bytes(const Device& device) const;
  cl_ulong private_bytes(const Device& device) const;

 private:
  template <class Bits>
  void place(cl_uint index, const Bits& bits);
  void place_bytes(cl_uint index, const void* value);
  void place_local();
  void mark_set(cl_uint index);
  Status set_memory(cl_uint index, const void* value);
  Status set_image(cl_uint index, const void* value);

  const ProgramRef program_;
  const std::string name_;
  // Keeps the description that the program was built with.
  std::shared_ptr<const std::vector<frontend::OpenClKernel>> descriptions_;
  const frontend::OpenClKernel* description_ = nullptr;
  bool argument_info_ = false;
  std::vector<OnDevice> on_;
  std::vector<bool> set_;
  std::vector<uint32_t> local_bytes_;  // by argument
  size_t missing_ = 0;                 // arguments that are not set
};

}  // namespace heddle::opencl
