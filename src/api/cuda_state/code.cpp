#include "api/cuda_state/code.h"

#include "runtime/ended_launches.h"

namespace heddle::cuda {
namespace {

using runtime::ErrorCode;

Code fault_code(const exec::Fault& fault) {
  const bool just_fails = runtime::stray_launches_just_fail.load(std::memory_order_relaxed);
  switch (fault.kind) {
    case exec::FaultKind::illegal_address: return just_fails ? Code::launch_failed : Code::illegal_address;
    case exec::FaultKind::misaligned_address:
      return just_fails ? Code::launch_failed : Code::misaligned_address;
    case exec::FaultKind::illegal_instruction: return Code::illegal_instruction;
    case exec::FaultKind::invalid_address_space: return Code::invalid_address_space;
    case exec::FaultKind::invalid_pc: return Code::invalid_pc;
    case exec::FaultKind::assertion: return Code::assertion;
    case exec::FaultKind::stack_overflow: return Code::hardware_stack_error;
    case exec::FaultKind::timeout: return Code::launch_timeout;
    case exec::FaultKind::trap:
    case exec::FaultKind::illegal_barrier:
    case exec::FaultKind::cancelled:
    case exec::FaultKind::out_of_resources: break;
  }
  return Code::launch_failed;
}

Code limit_code(arch::Limit limit) {
  switch (limit) {
    case arch::Limit::empty:
    case arch::Limit::block_threads:
    case arch::Limit::block_dim:
    case arch::Limit::grid_dim: return Code::invalid_configuration;
    case arch::Limit::launch_bounds:
    case arch::Limit::registers:
    case arch::Limit::local: return Code::launch_out_of_resources;
    case arch::Limit::shared:
    case arch::Limit::parameters: return Code::invalid_value;
    case arch::Limit::cluster_size:
    case arch::Limit::cluster_shape: return Code::invalid_cluster_size;
    case arch::Limit::no_clusters:
    case arch::Limit::no_cooperative: return Code::not_supported;
  }
  return Code::invalid_configuration;
}

Code code_of(const runtime::Error& error) {
  switch (error.code) {
    case ErrorCode::invalid_value: return Code::invalid_value;
    case ErrorCode::invalid_handle: return Code::invalid_handle;
    case ErrorCode::invalid_context: return Code::context_is_destroyed;
    case ErrorCode::device_lost: return Code::launch_failed;
    case ErrorCode::no_device: return Code::invalid_device;
    case ErrorCode::device_unavailable: return Code::device_unavailable;
    case ErrorCode::out_of_memory: return Code::out_of_memory;
    case ErrorCode::not_found: return Code::not_found;
    case ErrorCode::not_ready: return Code::not_ready;
    case ErrorCode::not_permitted: return Code::not_permitted;
    case ErrorCode::not_supported: return Code::not_supported;
    case ErrorCode::invalid_image: return Code::invalid_ptx;
    case ErrorCode::newer_ptx: return Code::unsupported_ptx_version;
    case ErrorCode::wrong_target: return Code::no_binary_for_device;
    case ErrorCode::launch_limit: return error.limit ? limit_code(*error.limit) : Code::invalid_configuration;
    case ErrorCode::cooperative_limit: return Code::cooperative_launch_too_large;
    case ErrorCode::already_registered: return Code::memory_already_registered;
    case ErrorCode::not_registered: return Code::memory_not_registered;
    case ErrorCode::peer_enabled: return Code::peer_access_already_enabled;
    case ErrorCode::peer_not_enabled: return Code::peer_access_not_enabled;
    case ErrorCode::busy: return Code::invalid_value;
    case ErrorCode::callback: return Code::launch_failed;
    case ErrorCode::invalid_kernel: return Code::invalid_device_function;
    case ErrorCode::launch_depth: return Code::launch_max_depth_exceeded;
    case ErrorCode::sync_depth: return Code::sync_depth_exceeded;
    case ErrorCode::pending_launches: return Code::launch_pending_count_exceeded;
    case ErrorCode::fault: return error.fault == nullptr ? Code::launch_failed : fault_code(*error.fault);
  }
  return Code::unknown;
}

}  // namespace

Failure failure_of(const runtime::Error& error) { return {code_of(error), error.message}; }

Code driver_code(Code code) {
  switch (code) {
    case Code::invalid_configuration:
    case Code::invalid_pitch:
    case Code::invalid_texture:
    case Code::invalid_texture_binding:
    case Code::invalid_channel_descriptor:
    case Code::invalid_copy_direction:
    case Code::invalid_filter_setting:
    case Code::invalid_norm_setting:
    case Code::invalid_surface:
    case Code::missing_configuration: return Code::invalid_value;
    case Code::invalid_symbol:
    case Code::invalid_device_function: return Code::not_found;
    case Code::insufficient_driver: return Code::not_initialized;
    default: return code;
  }
}

bool ends_context(Code code) {
  switch (code) {
    case Code::illegal_address:
    case Code::launch_timeout:
    case Code::assertion:
    case Code::hardware_stack_error:
    case Code::illegal_instruction:
    case Code::misaligned_address:
    case Code::invalid_address_space:
    case Code::invalid_pc:
    case Code::launch_failed: return true;
    default: return false;
  }
}

}  // namespace heddle::cuda
