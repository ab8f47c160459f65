// What a kernel's thread asks of the device runtime: to launch kernels of its own, and all that belongs to it
// (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism"). The functions are spec/device_runtime's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "exec/device_function.gen.h"
#include "exec/fault.h"

namespace heddle::exec {

// By the name that a program calls it by.
std::optional<DeviceFunction> find_device_function(std::string_view name);

// One call by one thread. Implemented by executors, in terms of the call instruction.
class DeviceCall {
 public:
  virtual ~DeviceCall() = default;
  virtual DeviceFunction function() const = 0;
  virtual Dim3 block() const = 0;
  virtual uint32_t thread() const = 0;                                       // its number in the block
  virtual uint64_t argument(std::size_t index) = 0;                          // its bytes, zero-extended
  virtual void argument(std::size_t index, std::span<std::byte> bytes) = 0;  // of a structure
  // At a generic address of the thread. False: it faulted there, and whoever asked returns at once.
  virtual bool read(uint64_t address, std::span<std::byte> bytes) = 0;
  virtual bool write(uint64_t address, std::span<const std::byte> bytes) = 0;
  // The thread did what ends a kernel.
  virtual void fault(FaultKind kind, std::string detail) = 0;
};

}  // namespace heddle::exec
