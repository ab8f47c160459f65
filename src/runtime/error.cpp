#include "runtime/error.h"

#include <cstdio>

namespace heddle::runtime {

Error fault_error(exec::Fault fault) {
  Error result = error(ErrorCode::fault, fault.message());
  result.fault = std::make_shared<const exec::Fault>(std::move(fault));
  return result;
}

Error illegal_address(std::string message) {
  exec::Fault fault;
  fault.kind = exec::FaultKind::illegal_address;
  fault.detail = message;
  Error result = fault_error(std::move(fault));
  result.message = std::move(message);
  return result;
}

std::string hex(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace heddle::runtime
