// Failures that a test asks for, so that programs can try their recovery: docs/reference/fault-injection.md.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>

#include "runtime/error.h"

namespace heddle::runtime {

// Where a failure can be injected.
enum class Site : uint8_t { allocate, launch, copy, operation };

class Injector {
 public:
  // "out-of-memory@allocate#3,invalid-context@launch#10+": the third allocation fails; the tenth launch and
  // every later one finds the context lost. Without #N the first, without @SITE any operation.
  static Outcome<std::unique_ptr<Injector>> parse(std::string_view text);
  // To be called once for every event of the site.
  std::optional<Error> at(Site site);

 private:
  struct Rule {
    ErrorCode code = ErrorCode::invalid_context;
    Site site = Site::operation;
    uint64_t nth = 1;
    bool onward = false;
    std::atomic<uint64_t> seen{0};
  };
  std::deque<Rule> rules_;
};

// After it nothing works any more in the context.
bool ends_context(ErrorCode code);

}  // namespace heddle::runtime
