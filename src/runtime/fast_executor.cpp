#include "runtime/fast_executor.h"

#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "cache/disk.h"
#include "exec/interp/executor.h"
#include "exec/interp/lanes.h"
#include "exec/jit/executor.h"

namespace heddle::runtime {

namespace {

constexpr unsigned most_threads = 4096;

bool list_has(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (list.substr(0, comma) == word) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

}  // namespace

Outcome<exec::jit::Options> fast_options(const Environment& environment) {
  const auto value = [&](const char* name) -> std::string_view {
    const char* text = environment(name);
    return text == nullptr ? std::string_view() : text;
  };
  exec::jit::Options options;
  options.cpu = value("HEDDLE_JIT_CPU");
  options.cache_directory = cache::cache_directory(environment);
  auto bytes = cache::cache_size(environment);
  if (!bytes) return invalid(bytes.error().message);
  options.cache_bytes = *bytes;
  if (const std::string_view text = value("HEDDLE_THREADS"); !text.empty()) {
    const auto result = std::from_chars(text.data(), text.data() + text.size(), options.threads);
    if (result.ec != std::errc() || result.ptr != text.data() + text.size() || options.threads == 0 ||
        options.threads > most_threads)
      return invalid("HEDDLE_THREADS: '" + std::string(text) + "' is no number from 1 to " +
                     std::to_string(most_threads));
  }
  if (const std::string_view tier = value("HEDDLE_JIT_TIER"); !tier.empty()) {
    if (tier != "quick" && tier != "best")
      return invalid("HEDDLE_JIT_TIER: '" + std::string(tier) + "' is neither quick nor best");
    options.tier = tier == "quick" ? exec::jit::Tier::quick : exec::jit::Tier::best;
  }
  const std::string_view small = value("HEDDLE_JIT_SMALL");
  if (!small.empty() && small != "reference" && small != "code")
    return invalid("HEDDLE_JIT_SMALL: '" + std::string(small) + "' is neither reference nor code");
  if (const std::string_view vectors = value("HEDDLE_JIT_VECTORS"); !vectors.empty()) {
    if (vectors != "0" && vectors != "1")
      return invalid("HEDDLE_JIT_VECTORS: '" + std::string(vectors) + "' is neither 0 nor 1");
    options.vectors = vectors == "1";
  }
  auto disabled = exec::jit::read_passes_to_disable(value("HEDDLE_JIT_DISABLE"));
  if (!disabled) return invalid("HEDDLE_JIT_DISABLE: " + disabled.error());
  options.disabled = *disabled;
  auto listeners = exec::jit::debug::read_listeners(value("HEDDLE_JIT_DEBUG"));
  if (!listeners) return invalid("HEDDLE_JIT_DEBUG: " + listeners.error());
  options.listeners = *listeners;
  // Who says how code shall be, or wants to be told of it, wants to see code.
  const bool asks = options.tier || !options.vectors || !options.disabled.empty() ||
                    options.listeners.any() || !options.cpu.empty();
  options.small_by_reference = small == "reference" || (small.empty() && !asks);
  if (list_has(value("HEDDLE_TRACE"), "passes"))
    options.tell_times = [](const std::string& lines) { std::fprintf(stderr, "heddle: %s", lines.c_str()); };
  if (list_has(value("HEDDLE_TRACE"), "jit"))
    options.trace = [](const std::string& line) { std::fprintf(stderr, "heddle: %s\n", line.c_str()); };
  if (value("HEDDLE_QUIET") != "1")
    options.tell = [](const std::string& line) { std::fprintf(stderr, "heddle: %s\n", line.c_str()); };
  return options;
}

Outcome<std::unique_ptr<exec::Executor>> fast_executor(const Environment& environment) {
  auto options = fast_options(environment);
  if (!options) return options.error();
  // What the fast executor leaves to the other one takes as many threads as its own launches.
  auto reference = exec::interp::make_executor(options->threads);
  auto executor = exec::jit::make_executor(std::move(*options), std::move(reference),
                                           exec::interp::make_reference_lanes_factory());
  if (!executor) return invalid(executor.error());
  return std::move(*executor);
}

}  // namespace heddle::runtime
