#include "runtime/executors.h"

#include <string>
#include <string_view>

#include "exec/interp/executor.h"
#include "runtime/fast_executor.h"

namespace heddle::runtime {

Outcome<std::unique_ptr<exec::Executor>> executor_from_environment(const Environment& environment) {
  const char* text = environment("HEDDLE_EXECUTOR");
  const std::string_view name = text == nullptr ? "" : text;
  if (name == "interp") {
#if HEDDLE_JIT
    // A setting without meaning is told whichever executor it is for.
    if (auto options = fast_options(environment); !options) return options.error();
#endif
    return exec::interp::make_executor();
  }
  if (!name.empty() && name != "jit")
    return invalid("HEDDLE_EXECUTOR: '" + std::string(name) + "' is neither jit nor interp");
#if HEDDLE_JIT
  return fast_executor(environment);
#else
  if (!name.empty()) return invalid("HEDDLE_EXECUTOR: this Heddle was built without the executor jit");
  return exec::interp::make_executor();
#endif
}

std::unique_ptr<exec::Executor> default_executor() {
  auto made = executor_from_environment([](const char*) -> const char* { return nullptr; });
  return made ? std::move(*made) : exec::interp::make_executor();
}

}  // namespace heddle::runtime
