#include "api/nvjitlink/call.h"

#include "api/entry/linker_errors.h"
#include "api/entry/status_call.h"

namespace heddle::nvjitlink {

namespace {

constexpr entry::StatusCodes<nvJitLinkResult> codes{NVJITLINK_SUCCESS, NVJITLINK_ERROR_INTERNAL,
                                                    NVJITLINK_ERROR_INTERNAL, entry::nvjitlink_error_name};

}  // namespace

std::string describe(const Status& status) { return entry::describe(codes, status); }

nvJitLinkResult run(const entry::Record& record, entry::Body<Status> body, entry::ArgumentList arguments) {
  return entry::run_call<nvJitLinkResult, Failure>(codes, record, body, arguments);
}

}  // namespace heddle::nvjitlink
