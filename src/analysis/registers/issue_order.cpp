#include "analysis/registers/issue_order.h"

#include <algorithm>

namespace heddle::analysis {

namespace {

// From capability 5.0 on assemblers were seen to join words (profiler/joined_accesses.h).
bool joins(const arch::Architecture& a) { return a.capability >= arch::Capability{5, 0}; }

registers::Code ordered(const module::Image& image, const module::Function& function,
                        const registers::Machine& machine, bool joined, bool thrifty) {
  registers::Code code = registers::lower(image, function, machine);
  if (joined) registers::join(code, image, function);
  registers::schedule(code, registers::live_in(code), machine, thrifty);
  return code;
}

}  // namespace

bool IssueOrder::repeats() const {
  return std::ranges::any_of(copies, [](uint32_t n) { return n > 1; });
}

IssueOrder issue_order(const module::Image& image, const module::Function& function,
                       const arch::Architecture& a, bool repeated) {
  registers::Machine machine = registers::machine_of(a);
  machine.has_functions = true;
  machine.timed = true;
  machine.scales = a.capability >= arch::Capability{7, 0};
  machine.uniform = false;  // an instruction there takes its turn as every other
  const auto unrolled = repeated ? registers::unroll(image, function, machine) : std::nullopt;
  const module::Function& source = unrolled ? *unrolled : function;
  IssueOrder result;
  result.code = ordered(image, source, machine, joins(a), false);
  const auto live = registers::live_in(result.code);
  if (registers::pressure(result.code, live).registers + machine.overhead > machine.comfortable) {
    machine.hoists = false;
    result.code = ordered(image, source, machine, joins(a), true);
  }
  for (uint32_t b = 0; b < function.blocks.size(); ++b) {
    const module::Block &block = function.blocks[b], &repeat = source.blocks[b];
    const uint32_t size = block.end - block.first;
    // Of all copies but the last the jump back is missing.
    const uint32_t copies = size < 2 ? 1 : (repeat.end - repeat.first - size) / (size - 1) + 1;
    result.copies.push_back(copies);
    for (uint32_t copy = 0; copy < copies; ++copy)
      for (uint32_t i = block.first; i < block.end - (copy + 1 == copies ? 0 : 1); ++i)
        result.origins.push_back({i, copy});
  }
  return result;
}

}  // namespace heddle::analysis
