#include "libs/common/call.h"

#include <new>

#include "libs/common/level_log.h"
#include "libs/common/log.h"
#include "libs/common/stub.h"

namespace heddle::libs {
namespace {

std::string outcome(const Codes& codes, int code, const std::string& words) {
  const char* name = codes.name(code);
  std::string text = name != nullptr ? name : std::to_string(code);
  if (!words.empty()) text += ": " + words;
  return text;
}

}  // namespace

int code_of(const Codes& codes, const Refusal& refusal) {
  if (refusal.code != 0) return refusal.code;
  switch (refusal.why) {
    case Why::not_initialized: return codes.not_initialized;
    case Why::alloc_failed: return codes.alloc_failed;
    case Why::invalid_value: return codes.invalid_value;
    case Why::execution_failed: return codes.execution_failed;
    case Why::internal_error: return codes.internal_error;
    case Why::not_supported: return codes.not_supported;
  }
  return codes.internal_error;
}

void refuse(Why why, std::string words) { throw Refusal{why, std::move(words), 0}; }
void refuse_null(const char* parameter) { refuse(Why::invalid_value, std::string(parameter) + " is NULL"); }
void refuse_code(int code, std::string words) { throw Refusal{Why::internal_error, std::move(words), code}; }

int run(const Codes& codes, const entry::Record& record, entry::Body<void> body,
        entry::ArgumentList arguments) noexcept {
  int code = 0;
  std::string words;
  try {
    body();
  } catch (Refusal& refusal) {
    code = code_of(codes, refusal);
    words = std::move(refusal.words);
  } catch (const std::bad_alloc&) {
    code = codes.alloc_failed;
  } catch (...) {
    code = codes.internal_error;
  }
  if (entry::tracing() || logging() || level_logging()) [[unlikely]] {
    try {
      const std::string text = outcome(codes, code, words);
      if (entry::tracing()) entry::trace(record, text, code == 0, arguments);
      if (logging()) log(entry::call_text(record, text, code == 0, arguments), code == 0);
      if (level_logging())
        if (LevelLog* const log = level_log(codes); log != nullptr)
          log->told(record.name, entry::call_text(record, text, code == 0, arguments), code == 0);
    } catch (...) {  // memory for words alone
    }
  }
  return code;
}

uint64_t stub(const Codes* codes, const char* name) {
  const entry::Record record{name, ""};
  entry::trace_stub(record);
  if (codes == nullptr) return 0;
  return static_cast<uint64_t>(
      run(*codes, record, [] { refuse(Why::not_supported, "not implemented"); }, {}));
}

}  // namespace heddle::libs
