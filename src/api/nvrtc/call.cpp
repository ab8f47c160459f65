#include "api/nvrtc/call.h"

#include "api/entry/errors.h"
#include "api/entry/status_call.h"

namespace heddle::nvrtc {

namespace {

constexpr entry::StatusCodes<nvrtcResult> codes{NVRTC_SUCCESS, NVRTC_ERROR_OUT_OF_MEMORY,
                                                NVRTC_ERROR_INTERNAL_ERROR, entry::nvrtc_error_name};

}  // namespace

std::string describe(const Status& status) { return entry::describe(codes, status); }

nvrtcResult run(const entry::Record& record, entry::Body<Status> body, entry::ArgumentList arguments) {
  return entry::run_call<nvrtcResult, Failure>(codes, record, body, arguments);
}

}  // namespace heddle::nvrtc
