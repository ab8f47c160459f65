#include "runtime/error.h"

namespace heddle::runtime {

Error fault_error(exec::Fault fault) {
  Error result = error(ErrorCode::fault, fault.message());
  result.fault = std::make_shared<const exec::Fault>(std::move(fault));
  return result;
}

}  // namespace heddle::runtime
