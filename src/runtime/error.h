// What the runtime answers when something cannot be done: a code that every API can translate, and words.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "arch/limits.h"
#include "exec/fault.h"
#include "support/result.h"

namespace heddle::runtime {

enum class ErrorCode : uint8_t {
  invalid_value,       // an argument that cannot be
  invalid_handle,      // an object that does not exist any more, or belongs elsewhere
  invalid_context,     // the context was destroyed, or lost its device's mode (see injector.h)
  device_lost,         // the device does not answer any more
  no_device,           // there is no such device
  device_unavailable,  // its compute mode forbids another context
  out_of_memory,       // of the device, of a heap, or of the host
  not_found,           // no such kernel or variable
  not_ready,           // the work is not finished
  not_permitted,       // not here: from a host callback, on a stream that is being captured
  not_supported,       // the device cannot
  invalid_image,       // program text that cannot be read, verified or linked
  newer_ptx,           // program text of a version of PTX that is not known yet
  wrong_target,        // a program for another device
  launch_limit,        // more than the device takes: Error::limit says of what
  cooperative_limit,   // a cooperative grid that does not fit on the device at once
  already_registered,  // host memory that is already page-locked
  not_registered,
  peer_enabled,
  peer_not_enabled,
  busy,              // a setting that cannot change any more
  callback,          // what it waited for failed (Task::inherits_errors)
  invalid_kernel,    // something that is no kernel was to be launched
  launch_depth,      // launches in device code: nested too deeply
  sync_depth,        // ... waited for too deep down
  pending_launches,  // ... too many at a time
  fault,             // a kernel's: Error::fault
};

struct Error {
  ErrorCode code = ErrorCode::invalid_value;
  std::string message;  // what failed, the value and the limit
  std::optional<arch::Limit> limit;
  std::shared_ptr<const exec::Fault> fault;
};

template <class T>
using Outcome = Result<T, Error>;
using Done = Outcome<Unit>;

inline Error error(ErrorCode code, std::string message) { return {code, std::move(message), {}, {}}; }
inline Error invalid(std::string message) { return error(ErrorCode::invalid_value, std::move(message)); }
Error fault_error(exec::Fault fault);
// As a kernel's, of what is no kernel.
Error illegal_address(std::string message);
// Of addresses, for messages.
std::string hex(uint64_t value);

}  // namespace heddle::runtime
