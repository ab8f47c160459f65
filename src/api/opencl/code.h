// Why a call failed, as OpenCL numbers it, and in words.
#pragma once

#include <string>
#include <utility>

#include "api/opencl/headers.h"
#include "runtime/error.h"
#include "support/result.h"

namespace heddle::opencl {

struct Failure {
  cl_int code = CL_INVALID_VALUE;
  std::string message;  // what failed, the value and the limit
};
template <class T>
using Answer = Result<T, Failure>;
using Status = Answer<Unit>;

inline Failure failure(cl_int code, std::string message) { return {code, std::move(message)}; }
inline Failure invalid_value(std::string message) { return {CL_INVALID_VALUE, std::move(message)}; }

// The runtime's error as OpenCL calls it. A kernel's fault leaves a device whose resources are gone
// (CL_OUT_OF_RESOURCES, which GPU drivers return, too); a mode switch an invalid context (OpenCL Programming
// Guide 2.4).
Failure failure_of(const runtime::Error& error);

// "CL_INVALID_VALUE"; nullptr where there is no such code. Generated from spec/opencl/errors.toml.
const char* error_name(cl_int code);
// For HEDDLE_TRACE: the code's name, and why.
std::string describe(const Status& status);

}  // namespace heddle::opencl
