#include "api/opencl/device.h"

#include <algorithm>
#include <cstring>

#include "api/opencl/extension.h"
#include "api/opencl/functions.gen.h"
#include "api/opencl/platform.h"
#include "support/version.h"

namespace heddle::opencl {

namespace {

constexpr cl_device_type all_types = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                     CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;

int64_t host_time(const Device& device) { return device.platform().system().scheduler().now(); }

std::string numbers(cl_version version) {
  return std::to_string(CL_VERSION_MAJOR(version)) + "." + std::to_string(CL_VERSION_MINOR(version));
}

// Units of each sub-device, or why there are none.
Answer<std::vector<uint32_t>> parts_of(const Device& device, const cl_device_partition_property* properties) {
  if (properties == nullptr) return invalid_value("properties is NULL");
  const uint32_t units = device.units();
  std::vector<uint32_t> parts;
  if (properties[0] == CL_DEVICE_PARTITION_EQUALLY) {
    const auto each = static_cast<uint64_t>(properties[1]);
    if (properties[2] != 0) return invalid_value("more than one way of partition");
    if (each == 0 || properties[1] < 0) return invalid_value("sub-devices of 0 compute units");
    if (each > units)
      return failure(CL_DEVICE_PARTITION_FAILED, "sub-devices of " + std::to_string(each) +
                                                     " compute units, the device has " +
                                                     std::to_string(units));
    parts.assign(units / each, static_cast<uint32_t>(each));
    return parts;
  }
  if (properties[0] == CL_DEVICE_PARTITION_BY_COUNTS) {
    uint64_t total = 0;
    const cl_device_partition_property* p = properties + 1;
    for (; *p != CL_DEVICE_PARTITION_BY_COUNTS_LIST_END; ++p) {
      if (*p < 0 || static_cast<uint64_t>(*p) > units)
        return failure(CL_INVALID_DEVICE_PARTITION_COUNT, "a sub-device of " + std::to_string(*p) +
                                                              " compute units, the device has " +
                                                              std::to_string(units));
      total += static_cast<uint64_t>(*p);
      parts.push_back(static_cast<uint32_t>(*p));
    }
    if (p == properties + 1 || parts.size() > units || total > units)
      return failure(CL_INVALID_DEVICE_PARTITION_COUNT, "sub-devices of " + std::to_string(total) +
                                                            " compute units in all, the device has " +
                                                            std::to_string(units));
    return parts;
  }
  return invalid_value("the device cannot be partitioned in this way");
}

}  // namespace

std::string version_text() { return std::string(heddle::version()); }
bool is_device_type(cl_device_type type) {
  return type == CL_DEVICE_TYPE_ALL || (type != 0 && (type & ~all_types) == 0);
}

// Which driver: every build of this version is the same.
std::array<cl_uchar, CL_UUID_SIZE_KHR> driver_uuid() {
  std::array<cl_uchar, CL_UUID_SIZE_KHR> id{'H', 'e', 'd', 'd', 'l', 'e', ' '};
  const std::string version = version_text();
  std::memcpy(id.data() + 7, version.data(), std::min<size_t>(version.size(), id.size() - 7));
  return id;
}

std::array<cl_uchar, CL_UUID_SIZE_KHR> Device::uuid() const {
  std::array<cl_uchar, CL_UUID_SIZE_KHR> id{'H', 'e', 'd', 'd', 'l', 'e', ' '};
  std::memcpy(id.data() + 7, facts().id.data(), std::min<size_t>(facts().id.size(), 8));
  id[15] = static_cast<cl_uchar>(hardware_.index);
  return id;
}

cl_device_pci_bus_info_khr Device::pci_bus() const {
  return {facts().pci.domain, facts().pci.bus, facts().pci.slot, 0};
}

cl_version Device::version() const { return version_of(facts()); }
std::string Device::version_text() const {
  return "OpenCL " + numbers(version()) + " Heddle " + opencl::version_text();
}
cl_version Device::language_version() const {
  return std::min<cl_version>(version(), CL_MAKE_VERSION(1, 2, 0));
}
// "OpenCL C <version> <what the vendor says>": the blank is there in any case.
std::string Device::language_text() const { return "OpenCL C " + numbers(language_version()) + " Heddle"; }

// "At least max(1/4 of the memory, 128 MB)", in full pages.
uint64_t Device::max_allocation() const {
  return std::max<uint64_t>(facts().dram.total_bytes / 4, uint64_t{128} << 20) & ~uint64_t{4095};
}

std::array<size_t, 3> Device::max_items() const {
  const auto& most = arch().launch.max_block;
  return {most[0], most[1], most[2]};
}

// OpenCL Programming Guide, C.2: what single precision of 1.x deviates in.
cl_device_fp_config Device::single_config() const {
  // Additions and multiplications of every device round to zero, too.
  cl_device_fp_config config = CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO;
  if (!has(arch::Feature::flush_denormals_f32)) config |= CL_FP_DENORM;
  if (has(arch::Feature::directed_rounding_f32)) config |= CL_FP_ROUND_TO_INF;
  if (has(arch::Feature::fma_f32)) config |= CL_FP_FMA;
  if (has(arch::Feature::ieee_division_f32)) config |= CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
  return config;
}
cl_device_fp_config Device::double_config() const {
  if (!has(arch::Feature::f64)) return 0;
  return CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF |
         CL_FP_FMA;
}
cl_device_fp_config Device::half_config() const {
  if (!has(arch::Feature::f16)) return 0;
  return CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_FMA;
}

// Images are written as surfaces; on 1.x, which CUDA gives none, by the least that OpenCL asks for,
// two-dimensional ones.
bool Device::has_images() const { return arch().launch.max_textures != 0; }
bool Device::has_later_images() const { return has(arch::Feature::surfaces); }
cl_uint Device::max_read_images() const { return arch().launch.max_textures; }
cl_uint Device::max_written_images() const {
  constexpr cl_uint least = 8;  // OpenCL 1.0, table 4.3
  return has_later_images() ? max_read_images() : least;
}
cl_uint Device::max_read_write_images() const { return has_later_images() ? max_read_images() : 0; }
ImageLimits Device::image_limits() const {
  if (!has_later_images()) {
    ImageLimits limits;
    for (size_t i = 0; i < 2; ++i) limits.d2[i] = arch().textures.d2[i];
    for (size_t i = 0; i < 3; ++i) limits.d3[i] = arch().textures.d3[i];
    return limits;
  }
  const auto& textures = arch().textures;
  const auto& surfaces = arch().surfaces;
  ImageLimits limits;
  for (size_t i = 0; i < 2; ++i) limits.d2[i] = std::min(textures.d2[i], surfaces.d2[i]);
  for (size_t i = 0; i < 3; ++i) limits.d3[i] = std::min(textures.d3[i], surfaces.d3[i]);
  limits.buffer = textures.d1_linear;
  limits.layers = std::min(textures.d2_layered[2], surfaces.d2_layered[2]);
  return limits;
}

cl_uint Device::cache_line() const {
  return has(arch::Feature::l2_cache) ? arch().memory.max_transaction_bytes : 0;
}
size_t Device::global_variable_bytes() const {
  return has_language_feature(facts(), "__opencl_c_program_scope_global_variables") ? size_t{1} << 30 : 0;
}
size_t Device::printf_bytes() const {
  return std::max<size_t>(arch().launch.default_printf_bytes, size_t{1} << 20);
}

// Device and host memory are one here. Atomics reach the host where the device can order against it.
cl_device_svm_capabilities Device::svm() const {
  if (version() < CL_MAKE_VERSION(3, 0, 0)) return 0;
  cl_device_svm_capabilities all = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
  if (has(arch::Feature::system_fence)) all |= CL_DEVICE_SVM_ATOMICS;
  return all;
}

cl_uint Device::max_sub_groups() const {
  if (!has_language_feature(facts(), "__opencl_c_subgroups")) return 0;
  return static_cast<cl_uint>(max_group() / arch().launch.warp_size);
}

cl_device_atomic_capabilities Device::atomic_memory() const {
  if (version() < CL_MAKE_VERSION(3, 0, 0)) return 0;
  cl_device_atomic_capabilities all = CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP;
  if (has_language_feature(facts(), "__opencl_c_atomic_order_acq_rel")) all |= CL_DEVICE_ATOMIC_ORDER_ACQ_REL;
  if (has_language_feature(facts(), "__opencl_c_atomic_order_seq_cst")) all |= CL_DEVICE_ATOMIC_ORDER_SEQ_CST;
  if (has_language_feature(facts(), "__opencl_c_atomic_scope_device")) all |= CL_DEVICE_ATOMIC_SCOPE_DEVICE;
  if (has_language_feature(facts(), "__opencl_c_atomic_scope_all_devices"))
    all |= CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES;
  return all;
}
cl_device_atomic_capabilities Device::atomic_fence() const {
  const cl_device_atomic_capabilities memory = atomic_memory();
  return memory == 0 ? 0 : memory | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM;
}

// Whole warps keep every lane busy (OpenCL Programming Guide 2.1.2, 3.4).
size_t Device::preferred_multiple() const { return arch().launch.warp_size; }

std::vector<cl_device_partition_property> Device::partition_types() const {
  if (units_ < 2) return {0};
  return {CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_BY_COUNTS};
}

Status clGetDeviceIDs(const PlatformRef& platform, cl_device_type device_type, cl_uint num_entries,
                      cl_device_id* devices, cl_uint* num_devices) {
  if (platform == nullptr) return failure(CL_INVALID_PLATFORM, "platform is NULL");
  if (!is_device_type(device_type)) return failure(CL_INVALID_DEVICE_TYPE, "no type of devices");
  if (devices == nullptr && num_devices == nullptr) return invalid_value("devices and num_devices are NULL");
  if (devices != nullptr && num_entries == 0) return invalid_value("num_entries is 0");
  std::vector<cl_device_id> found;
  for (const DeviceRef& device : platform->devices())
    if (device_type == CL_DEVICE_TYPE_ALL || (device_type & device->type()) != 0)
      found.push_back(handle_as<cl_device_id>(*device));
  // The default is one device.
  if (found.empty() && (device_type & CL_DEVICE_TYPE_DEFAULT) != 0)
    found.push_back(handle_as<cl_device_id>(*platform->devices().front()));
  if (num_devices != nullptr) *num_devices = static_cast<cl_uint>(found.size());
  if (found.empty()) return failure(CL_DEVICE_NOT_FOUND, "no device is of that type");
  if (devices != nullptr) std::copy_n(found.begin(), std::min<size_t>(num_entries, found.size()), devices);
  return Unit{};
}

Status clCreateSubDevices(const DeviceRef& in_device, const cl_device_partition_property* properties,
                          cl_uint num_devices, cl_device_id* out_devices, cl_uint* num_devices_ret) {
  const auto parts = parts_of(*in_device, properties);
  if (!parts) return parts.error();
  if (num_devices_ret != nullptr) *num_devices_ret = static_cast<cl_uint>(parts->size());
  if (out_devices == nullptr) {
    if (num_devices != 0) return invalid_value("out_devices is NULL");
    return Unit{};
  }
  if (num_devices < parts->size())
    return invalid_value("num_devices is " + std::to_string(num_devices) + ", the partition makes " +
                         std::to_string(parts->size()));
  std::vector<cl_device_partition_property> partition;
  const cl_device_partition_property* p = properties;
  do partition.push_back(*p);
  while (*p++ != 0);
  if (properties[0] == CL_DEVICE_PARTITION_BY_COUNTS) partition.push_back(0);
  for (size_t i = 0; i < parts->size(); ++i) {
    auto handle = published<cl_device_id>(std::make_shared<Device>(in_device, (*parts)[i], partition));
    if (!handle) {
      while (i > 0) (void)release_object(out_devices[--i], HandleKind::device);
      return handle.error();
    }
    out_devices[i] = *handle;
  }
  return Unit{};
}

// cl_ext_device_fission numbers its properties in another way; the extension is not shown.
Status clCreateSubDevicesEXT(const DeviceRef&, const cl_device_partition_property_ext*, cl_uint,
                             cl_device_id*, cl_uint*) {
  return invalid_value("cl_ext_device_fission is not shown: use clCreateSubDevices");
}

// The platform's own devices are not counted: "the device reference count remains unchanged".
Status clRetainDevice(const DeviceRef& device) {
  return device->parent() == nullptr ? Unit{} : retain("device", handle_as<cl_device_id>(*device));
}
Status clReleaseDevice(const DeviceRef& device) {
  return device->parent() == nullptr ? Unit{} : release("device", handle_as<cl_device_id>(*device));
}
Status clRetainDeviceEXT(const DeviceRef& device) { return opencl::clRetainDevice(device); }
Status clReleaseDeviceEXT(const DeviceRef& device) { return opencl::clReleaseDevice(device); }

Status clGetDeviceAndHostTimer(const DeviceRef& device, cl_ulong* device_timestamp,
                               cl_ulong* host_timestamp) {
  if (device_timestamp == nullptr || host_timestamp == nullptr)
    return invalid_value("device_timestamp or host_timestamp is NULL");
  *device_timestamp = *host_timestamp = static_cast<cl_ulong>(host_time(*device));
  return Unit{};
}

Status clGetHostTimer(const DeviceRef& device, cl_ulong* host_timestamp) {
  if (host_timestamp == nullptr) return invalid_value("host_timestamp is NULL");
  *host_timestamp = static_cast<cl_ulong>(host_time(*device));
  return Unit{};
}

}  // namespace heddle::opencl
