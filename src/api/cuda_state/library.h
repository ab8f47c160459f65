// Code that belongs to no context: what a program registers at its start, and what cuLibraryLoad* was given.
// Each context loads it when it first needs something of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/cuda_state/module.h"
#include "runtime/load.h"

namespace heddle::cuda {

// PTX of one or more units, linked for a device: the PTX of fat binaries is chosen by capability.
class ProgramCode {
 public:
  void add_fat_binary(std::span<const std::byte> file);  // must stay where it is
  void add_fat_binary_copy(std::span<const std::byte> file);
  void add_ptx(std::string name, std::string text);
  bool empty() const { return units_.empty(); }
  // Made once for each capability. The log has warnings and errors as they are to be read.
  Answer<std::shared_ptr<const module::Image>> image_for(const arch::Device& device);
  // The texts alone.
  Answer<std::vector<std::string>> texts_for(const arch::Device& device) const;
  const std::string& log() const { return log_; }
  // The units that the image for a device was made without, and why; empty if none.
  std::string left_out(const arch::Device& device) const;

 private:
  struct Unit {
    std::string name, text;
    std::span<const std::byte> fat_binary;
    std::vector<std::byte> own;  // what fat_binary refers to, if it is a copy
  };
  // A unit that has nothing for the device is left out, unless all are: libraries that are linked into a
  // program (NVIDIA's libcudadevrt.a) bring machine code that nothing needs here. What refers to it is told
  // by the linker.
  Answer<std::vector<runtime::ProgramText>> programs_for(const arch::Device& device,
                                                         std::string& left_out) const;
  std::vector<Unit> units_;
  struct Made {
    std::shared_ptr<const module::Image> image;
    std::string left_out;
  };
  std::map<uint32_t, Made> images_;
  std::string log_;
};

class Library : public std::enable_shared_from_this<Library> {
 public:
  explicit Library(Process& process) : process_(process) {}

  ProgramCode& code() { return code_; }
  // Variables that have their places already.
  std::vector<runtime::Placement>& placements() { return placements_; }

  // Held while a context loads it, so that it does so once.
  std::mutex& loading() { return loading_; }
  // The failure to find something in its code, which may lie in what was left out for the device.
  Failure absent(const Context& context, Failure failed);
  Answer<std::shared_ptr<Module>> load(const ContextRef& context);
  // Out of every context.
  void unload();

  // As the code for a device has them.
  Answer<std::vector<std::string>> kernel_names(const arch::Device& device);
  std::shared_ptr<LibraryKernel> kernel(std::string_view name);
  Process& process() const { return process_; }
  // Of driver programs' libraries.
  uint64_t handle();

 private:
  Process& process_;
  std::mutex loading_;
  ProgramCode code_;
  std::vector<runtime::Placement> placements_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<LibraryKernel>, std::less<>> kernels_;
  uint64_t handle_ = 0;
};

// A kernel of a library, the same in every context.
class LibraryKernel : public std::enable_shared_from_this<LibraryKernel> {
 public:
  LibraryKernel(std::weak_ptr<Library> library, std::string name)
      : library_(std::move(library)), name_(std::move(name)) {}
  const std::string& name() const { return name_; }
  std::shared_ptr<Library> library() const { return library_.lock(); }
  uint64_t handle();
  Answer<FunctionRef> in(const ContextRef& context) const;

 private:
  const std::weak_ptr<Library> library_;
  const std::string name_;
  std::mutex mutex_;
  uint64_t handle_ = 0;
};

}  // namespace heddle::cuda
