#include "api/opencl/code.h"

namespace heddle::opencl {

namespace {

// What the device could not take (OpenCL 3.0, clEnqueueNDRangeKernel).
cl_int code_of(arch::Limit limit) {
  switch (limit) {
    case arch::Limit::empty: return CL_INVALID_GLOBAL_WORK_SIZE;
    case arch::Limit::block_dim: return CL_INVALID_WORK_ITEM_SIZE;
    case arch::Limit::block_threads:
    case arch::Limit::launch_bounds: return CL_INVALID_WORK_GROUP_SIZE;
    case arch::Limit::grid_dim: return CL_INVALID_GLOBAL_WORK_SIZE;
    default: return CL_OUT_OF_RESOURCES;
  }
}

cl_int code_of(const runtime::Error& error) {
  using runtime::ErrorCode;
  switch (error.code) {
    case ErrorCode::invalid_value:
    case ErrorCode::invalid_handle:
    case ErrorCode::not_found:
    case ErrorCode::already_registered:
    case ErrorCode::not_registered: return CL_INVALID_VALUE;
    case ErrorCode::invalid_context: return CL_INVALID_CONTEXT;
    case ErrorCode::device_lost: return CL_DEVICE_NOT_AVAILABLE;
    case ErrorCode::device_unavailable: return CL_DEVICE_NOT_AVAILABLE;
    case ErrorCode::no_device: return CL_DEVICE_NOT_FOUND;
    case ErrorCode::out_of_memory: return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    case ErrorCode::invalid_image:
    case ErrorCode::newer_ptx:
    case ErrorCode::wrong_target: return CL_INVALID_BINARY;
    case ErrorCode::launch_limit: return error.limit ? code_of(*error.limit) : CL_OUT_OF_RESOURCES;
    case ErrorCode::callback: return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    case ErrorCode::not_permitted:
    case ErrorCode::not_supported:
    case ErrorCode::busy: return CL_INVALID_OPERATION;
    default: return CL_OUT_OF_RESOURCES;
  }
}

}  // namespace

Failure failure_of(const runtime::Error& error) { return {code_of(error), error.message}; }

std::string describe(const Status& status) {
  if (status.ok()) return "CL_SUCCESS";
  const Failure& why = status.error();
  const char* name = error_name(why.code);
  std::string text = name != nullptr ? name : "error " + std::to_string(why.code);
  return why.message.empty() ? text : text + ": " + why.message;
}

}  // namespace heddle::opencl
