// Why a call failed, as both CUDA APIs number it: cudaError_t and CUresult agree wherever both have a code.
#pragma once

#include <string>
#include <utility>

#include "runtime/error.h"
#include "support/result.h"

namespace heddle::cuda {

enum class Code : int {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  not_initialized = 3,
  deinitialized = 4,
  profiler_disabled = 5,
  invalid_configuration = 9,  // runtime API only
  invalid_pitch = 12,         // runtime API only
  invalid_symbol = 13,        // runtime API only
  invalid_texture = 18,       // runtime API only
  invalid_texture_binding = 19,
  invalid_channel_descriptor = 20,
  invalid_copy_direction = 21,
  invalid_filter_setting = 26,
  invalid_norm_setting = 27,
  insufficient_driver = 35,
  invalid_surface = 37,
  device_unavailable = 46,
  missing_configuration = 52,
  launch_max_depth_exceeded = 65,  // of device code, as the two that follow
  sync_depth_exceeded = 68,
  launch_pending_count_exceeded = 69,
  invalid_device_function = 98,  // runtime API only
  no_device = 100,
  invalid_device = 101,
  invalid_image = 200,
  invalid_context = 201,
  map_failed = 205,
  array_is_mapped = 207,
  already_mapped = 208,
  no_binary_for_device = 209,
  not_mapped = 211,
  unsupported_limit = 215,
  peer_access_unsupported = 217,
  invalid_ptx = 218,
  unsupported_ptx_version = 222,
  unsupported_exec_affinity = 224,
  invalid_source = 300,
  file_not_found = 301,
  shared_object_symbol_not_found = 302,
  operating_system = 304,
  invalid_handle = 400,
  illegal_state = 401,
  lossy_query = 402,
  not_found = 500,
  not_ready = 600,
  illegal_address = 700,
  launch_out_of_resources = 701,
  launch_timeout = 702,
  peer_access_already_enabled = 704,
  peer_access_not_enabled = 705,
  primary_context_active = 708,
  context_is_destroyed = 709,
  assertion = 710,
  too_many_peers = 711,
  memory_already_registered = 712,
  memory_not_registered = 713,
  hardware_stack_error = 714,
  illegal_instruction = 715,
  misaligned_address = 716,
  invalid_address_space = 717,
  invalid_pc = 718,
  launch_failed = 719,
  cooperative_launch_too_large = 720,
  not_permitted = 800,
  not_supported = 801,
  system_not_ready = 802,
  capture_unsupported = 900,
  capture_invalidated = 901,
  capture_merge = 902,
  capture_unmatched = 903,
  capture_unjoined = 904,
  capture_isolation = 905,
  capture_implicit = 906,
  captured_event = 907,
  capture_wrong_thread = 908,
  graph_update_failure = 910,
  invalid_cluster_size = 912,
  function_not_loaded = 913,
  invalid_resource_type = 914,
  invalid_resource_configuration = 915,
  unknown = 999,
};

struct Failure {
  Code code = Code::unknown;
  std::string message;  // what failed, the value and the limit
};
template <class T>
using Answer = Result<T, Failure>;
using Status = Answer<Unit>;

inline Failure failure(Code code, std::string message) { return {code, std::move(message)}; }
inline Failure invalid_value(std::string message) { return {Code::invalid_value, std::move(message)}; }

// As the runtime API calls it.
Failure failure_of(const runtime::Error& error);
// What the runtime API alone has, as the driver API calls it.
Code driver_code(Code code);

template <class T>
Status status_of(const runtime::Outcome<T>& outcome) {
  if (outcome) return Unit{};
  return failure_of(outcome.error());
}
template <class T>
Status status_of(const Answer<T>& answer) {
  if (answer) return Unit{};
  return answer.error();
}
// The answer goes to where the program wants it.
template <class T, class Value>
Status tell(T* to, const Answer<Value>& answer) {
  if (!answer) return answer.error();
  *to = *answer;
  return Unit{};
}
inline Code code_of(const Status& status) { return status ? Code::success : status.error().code; }

// After one of these the context is lost: every later call in it says the same.
bool ends_context(Code code);

}  // namespace heddle::cuda
