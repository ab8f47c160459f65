#include "runtime/injector.h"

#include <array>
#include <charconv>
#include <string>

namespace heddle::runtime {

namespace {

struct Kind {
  std::string_view name;
  ErrorCode code;
  std::string_view message;
};
constexpr std::array kinds{
    Kind{"out-of-memory", ErrorCode::out_of_memory, "out of memory"},
    // OpenCL Programming Guide 2.4: a mode switch may take the memory of the primary surface back.
    Kind{"invalid-context", ErrorCode::invalid_context, "the context was lost in a mode switch"},
    Kind{"device-lost", ErrorCode::device_lost, "the device was lost"},
};
struct SiteName {
  std::string_view name;
  Site site;
};
constexpr std::array sites{SiteName{"allocate", Site::allocate}, SiteName{"launch", Site::launch},
                           SiteName{"copy", Site::copy}, SiteName{"operation", Site::operation}};

}  // namespace

Outcome<std::unique_ptr<Injector>> Injector::parse(std::string_view text) {
  auto injector = std::make_unique<Injector>();
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string_view word = text.substr(0, comma);
    const std::string whole(word);
    text.remove_prefix(std::min(comma + 1, text.size()));
    if (word.empty()) continue;
    const auto bad = [&whole](const std::string& why) { return invalid("'" + whole + "': " + why); };
    Rule& rule = injector->rules_.emplace_back();
    if (word.ends_with('+')) {
      rule.onward = true;
      word.remove_suffix(1);
    }
    if (const std::size_t hash = word.find('#'); hash != word.npos) {
      const std::string_view number = word.substr(hash + 1);
      const auto result = std::from_chars(number.data(), number.data() + number.size(), rule.nth);
      if (result.ec != std::errc() || result.ptr != number.data() + number.size() || rule.nth == 0)
        return bad("'" + std::string(number) + "' is no count from 1");
      word = word.substr(0, hash);
    }
    if (const std::size_t at = word.find('@'); at != word.npos) {
      const SiteName* found = nullptr;
      for (const SiteName& site : sites)
        if (site.name == word.substr(at + 1)) found = &site;
      if (found == nullptr) return bad("a place is allocate, launch, copy or operation");
      rule.site = found->site;
      word = word.substr(0, at);
    }
    const Kind* found = nullptr;
    for (const Kind& kind : kinds)
      if (kind.name == word) found = &kind;
    if (found == nullptr) return bad("a failure is out-of-memory, invalid-context or device-lost");
    rule.code = found->code;
  }
  return injector;
}

std::optional<Error> Injector::at(Site site) {
  std::optional<Error> failure;
  for (Rule& rule : rules_) {
    if (rule.site != site && rule.site != Site::operation) continue;
    const uint64_t nth = rule.seen.fetch_add(1, std::memory_order_relaxed) + 1;
    if (failure || (rule.onward ? nth < rule.nth : nth != rule.nth)) continue;
    for (const Kind& kind : kinds)
      if (kind.code == rule.code) failure = error(kind.code, std::string(kind.message) + " (injected)");
  }
  return failure;
}

bool ends_context(ErrorCode code) {
  return code == ErrorCode::invalid_context || code == ErrorCode::device_lost || code == ErrorCode::fault;
}

}  // namespace heddle::runtime
