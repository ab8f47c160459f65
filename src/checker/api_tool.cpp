#include "checker/api_tool.h"

#include <string>
#include <string_view>

#include "api/entry/errors.gen.h"
#include "checker/place_text.h"
#include "checker/record.h"
#include "support/host_call.h"

namespace heddle::checker {

void ApiTool::ended(const entry::CallFacts& call) {
  if (call.succeeded) return;
  // "cudaErrorInvalidValue: why"
  const std::size_t colon = call.outcome.find(':');
  const std::string name(call.outcome.substr(0, colon));
  // An answer, not a failure: work goes on.
  if (name == "cudaErrorNotReady" || name == "CUDA_ERROR_NOT_READY") return;
  const std::string_view function = call.record.name;
  std::string record = value("api", function) + value("error", name);
  const bool cuda = function.starts_with("cu");
  std::string text = "Program hit " + name + " (error " + std::to_string(call.status) + ")";
  if (const char* words = cuda ? entry::error_text(static_cast<int>(call.status)) : nullptr; words != nullptr)
    text += std::string(" due to \"") + words + '"', record += value("message", words);
  text += std::string(" on ") + (cuda ? "CUDA" : "OpenCL") + " API call to " + std::string(function) + '.';
  std::string detail;
  if (colon != std::string_view::npos) detail = "\n    because" + std::string(call.outcome.substr(colon + 1));
  const std::vector<const void*> stack = host_stack();
  record =
      value("kind", "Api") +
      element("what", value("text", text) + record + value("result", static_cast<uint64_t>(call.status))) +
      host_stack_record(stack, "error");
  reporter_->tell(MessageKind::error, text + host_frames(stack, "at error"), detail, false, 0, 0, record);
}

}  // namespace heddle::checker
