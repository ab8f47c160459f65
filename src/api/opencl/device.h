// A device as OpenCL shows it: its facts in OpenCL's units, and parts of it (sub-devices).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "api/opencl/handle.h"
#include "arch/device.h"
#include "runtime/system.h"

namespace heddle::opencl {

struct ImageLimits {
  std::array<size_t, 2> d2{};
  std::array<size_t, 3> d3{};
  size_t buffer = 0, layers = 0;  // texels of a buffer; layers of an array
};

class Device : public Object {
 public:
  Device(Platform& platform, runtime::Device& hardware)
      : platform_(platform), hardware_(hardware), units_(hardware.facts.board.multiprocessors) {}
  Device(DeviceRef parent, uint32_t units, std::vector<cl_device_partition_property> partition)
      : platform_(parent->platform_),
        hardware_(parent->hardware_),
        parent_(std::move(parent)),
        units_(units),
        partition_(std::move(partition)) {}

  Platform& platform() const { return platform_; }
  runtime::Device& hardware() const { return hardware_; }
  const arch::Device& facts() const { return hardware_.facts; }
  const arch::Architecture& arch() const { return hardware_.facts.arch; }
  bool has(arch::Feature feature) const { return facts().has(feature); }
  const DeviceRef& parent() const { return parent_; }  // nullptr: a whole device
  uint32_t units() const { return units_; }            // multiprocessors
  // How it was made of its parent; empty for a whole device.
  const std::vector<cl_device_partition_property>& partition() const { return partition_; }
  std::vector<cl_device_partition_property> partition_types() const;

  // ---- what queries ask, where it is more than a fact
  cl_device_type type() const { return CL_DEVICE_TYPE_GPU; }
  cl_version version() const;           // of OpenCL
  std::string version_text() const;     // "OpenCL 3.0 Heddle 0.1"
  cl_version language_version() const;  // of OpenCL C, without an option that asks for a newer one
  std::string language_text() const;    // "OpenCL C 1.2 Heddle"
  uint64_t max_allocation() const;
  size_t max_group() const { return arch().launch.max_threads_per_block; }
  std::array<size_t, 3> max_items() const;
  cl_device_fp_config single_config() const;
  cl_device_fp_config double_config() const;
  cl_device_fp_config half_config() const;
  bool has_images() const;
  bool has_later_images() const;  // all shapes, formats and ways to use them, not those of OpenCL 1.0 alone
  cl_uint max_read_images() const;
  cl_uint max_written_images() const;
  cl_uint max_read_write_images() const;
  ImageLimits image_limits() const;
  cl_uint cache_line() const;
  size_t global_variable_bytes() const;
  size_t printf_bytes() const;
  cl_device_svm_capabilities svm() const;
  cl_uint max_sub_groups() const;
  cl_device_atomic_capabilities atomic_memory() const;
  cl_device_atomic_capabilities atomic_fence() const;
  std::array<cl_uchar, CL_UUID_SIZE_KHR> uuid() const;
  cl_device_pci_bus_info_khr pci_bus() const;
  // A power of two that every buffer and sub-buffer begins at a multiple of.
  size_t base_alignment() const { return arch().memory.allocation_alignment; }
  size_t preferred_multiple() const;

 private:
  Platform& platform_;
  runtime::Device& hardware_;
  const DeviceRef parent_;
  const uint32_t units_;
  const std::vector<cl_device_partition_property> partition_;
};

bool is_device_type(cl_device_type type);
std::string version_text();  // Heddle's own
std::array<cl_uchar, CL_UUID_SIZE_KHR> driver_uuid();

}  // namespace heddle::opencl
