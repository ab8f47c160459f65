#include "math/math.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <unordered_map>

#include "math/level.h"
#include "support/host_level.h"

namespace heddle::math {

namespace {

Codes choose() {
  if (host_level() == HostLevel::plain) return plain::codes();
  Codes chosen = fma::codes();
  if (host_level() == HostLevel::avx512) chosen.widths[3] = avx512::codes().widths[3];
  return chosen;
}

const Codes& codes() {
  static const Codes chosen = choose();
  return chosen;
}

constexpr std::string_view symbol_prefix = "heddle_math_";

constexpr std::string_view flushing_suffix = "_flushing";

const Codes::OfWidth& of_width(unsigned width) {
  static constexpr Codes::OfWidth none;
  switch (width) {
    case 0: return codes().widths[0];
    case 128: return codes().widths[1];
    case 256: return codes().widths[2];
    case 512: return codes().widths[3];
    default: return none;
  }
}

}  // namespace

unsigned Function::source_count() const {
  return static_cast<unsigned>(std::ranges::find(sources, Value::none) - sources.begin());
}

const Function* find(std::string_view name) {
  static const auto* index = [] {
    auto* made = new std::unordered_map<std::string_view, const Function*>;
    for (const Function& f : functions()) made->emplace(f.name, &f);
    return made;
  }();
  const auto found = index->find(name);
  return found == index->end() ? nullptr : found->second;
}

const void* code(Id id, unsigned width, bool flushing) {
  const Codes::OfWidth& all = of_width(width);
  const void* const* wanted = flushing ? all.flushing : all.code;
  return wanted == nullptr ? nullptr : wanted[static_cast<std::size_t>(id)];
}

bool run(Id id, unsigned width, const void* const* sources, void* const* results, std::size_t count) {
  const OnArrays* all = of_width(width).on_arrays;
  if (all == nullptr) return false;
  all[static_cast<std::size_t>(id)](sources, results, count);
  return true;
}

void evaluate(Id id, std::span<const uint64_t> sources, std::span<uint64_t> results) {
  codes().on_bits[static_cast<std::size_t>(id)](sources.data(), results.data());
}

std::string code_symbol(Id id, unsigned width, bool flushing) {
  return std::string(symbol_prefix) + std::to_string(static_cast<unsigned>(id)) + "_" +
         std::to_string(width) + std::string(flushing ? flushing_suffix : "");
}

const void* find_code(std::string_view symbol) {
  if (!symbol.starts_with(symbol_prefix)) return nullptr;
  symbol.remove_prefix(symbol_prefix.size());
  const bool flushing = symbol.ends_with(flushing_suffix);
  if (flushing) symbol.remove_suffix(flushing_suffix.size());
  unsigned id = 0, width = 0;
  const char* end = symbol.data() + symbol.size();
  const auto first = std::from_chars(symbol.data(), end, id);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '_' || id >= function_count)
    return nullptr;
  const auto second = std::from_chars(first.ptr + 1, end, width);
  if (second.ec != std::errc() || second.ptr != end) return nullptr;
  return code(static_cast<Id>(id), width, flushing);
}

}  // namespace heddle::math
