#include "api/nvvm/call.h"

#include "api/entry/errors.h"
#include "api/entry/status_call.h"

namespace heddle::nvvm {

namespace {

constexpr entry::StatusCodes<nvvmResult> codes{NVVM_SUCCESS, NVVM_ERROR_OUT_OF_MEMORY, NVVM_ERROR_COMPILATION,
                                               entry::nvvm_error_name};

}  // namespace

std::string describe(const Status& status) { return entry::describe(codes, status); }

nvvmResult run(const entry::Record& record, entry::Body<Status> body, entry::ArgumentList arguments) {
  return entry::run_call<nvvmResult, Failure>(codes, record, body, arguments);
}

}  // namespace heddle::nvvm
