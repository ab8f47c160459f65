#include "api/nvml/call.h"

#include "api/entry/errors.gen.h"
#include "api/entry/status_call.h"
#include "api/nvml/library.h"

namespace heddle::nvml {

namespace {

constexpr entry::StatusCodes<nvmlReturn_t> codes{NVML_SUCCESS, NVML_ERROR_MEMORY, NVML_ERROR_UNKNOWN,
                                                 entry::nvml_error_name};

}  // namespace

std::string describe(const Status& status) { return entry::describe(codes, status); }

Status guarded(entry::Body<Status> body, bool before_init) noexcept {
  if (!before_init && !begun()) return failure(NVML_ERROR_UNINITIALIZED, "nvmlInit was not called");
  return entry::caught(codes, body);
}

}  // namespace heddle::nvml
