#include "analysis/registers/estimate.h"

#include <algorithm>

#include "analysis/registers/code.h"
#include "module/calls.h"

namespace heddle::analysis {

namespace {

using arch::Architecture;

// Found by comparing with what NVIDIA's assembler reports (docs/reference/registers.md).
constexpr uint32_t beside = 1;              // registers beyond the values': the stack's pointer
constexpr uint32_t unused = 2;              // above the highest one in use, where they cost no resident warps
constexpr uint32_t of_the_convention = 24;  // what calls may not keep, and what they must

// Registers of a function.
struct Demand {
  uint32_t tight = 0;  // without any to spare
  uint32_t loose = 0;  // as they are given out where none has to be saved
  bool calls = false;
};
enum class Order : uint8_t { quick, thrifty, written };
Demand demand(const module::Image& image, const module::Function& function, const registers::Machine& machine,
              Order order) {
  registers::Code code = registers::lower(image, function, machine);
  registers::predicate(code, machine);
  const auto live = registers::live_in(code);
  if (order != Order::written) registers::schedule(code, live, machine, order == Order::thrifty);
  const uint32_t tight = registers::pressure(code, live).registers + beside;
  const uint32_t loose =
      order == Order::quick ? registers::allocate(code, live).value_or(tight) + unused : tight;
  return {tight, loose, code.calls};
}

// What one function takes when nothing limits it.
uint32_t wanted(const module::Image& image, const module::Function& function,
                const registers::Machine& machine) {
  const auto unrolled = registers::unroll(image, function, machine);
  const module::Function& code = unrolled ? *unrolled : function;
  Demand most = demand(image, code, machine, Order::quick);
  if (most.tight > machine.comfortable) {
    registers::Machine thrifty = machine;
    thrifty.hoists = false;
    for (const Order order : {Order::thrifty, Order::written})
      most.tight = std::min(most.tight, demand(image, code, thrifty, order).tight);
  }
  uint32_t result = 0;
  if (most.loose <= machine.comfortable)
    result = most.loose;
  else if (most.tight <= machine.comfortable)
    result = machine.comfortable;
  else
    result = (most.tight + machine.unit - 1) / machine.unit * machine.unit;
  if (most.calls) result = std::max(result, of_the_convention);
  return std::max(result, machine.least);
}

uint32_t product(const uint32_t (&d)[3]) { return d[0] * d[1] * d[2]; }

// What the kernel's directives leave of the device's registers.
uint32_t allowed(const module::Limits& limits, const Architecture& a, const registers::Machine& machine) {
  uint32_t most = machine.most;
  if (limits.max_registers != 0) most = std::min(most, limits.max_registers);
  const uint32_t required = product(limits.required_threads);
  const uint32_t threads = required != 0 ? required : product(limits.max_threads);
  if (threads != 0) {
    const uint32_t warp = a.launch.warp_size;
    const uint32_t whole = (threads + warp - 1) / warp * warp;
    const uint32_t each =
        std::min(a.registers.per_block, a.registers.per_multiprocessor / std::max(limits.min_blocks, 1u)) /
        whole;
    most = std::min(most, std::max(each / machine.unit * machine.unit, machine.least));
  }
  return most;
}

}  // namespace

RegisterEstimate estimate_registers(const module::Image& image, uint32_t entry, const Architecture& a,
                                    uint32_t limit) {
  const registers::Machine machine = registers::machine_of(a);
  uint32_t needed = 0;
  for (const uint32_t index : module::reachable_functions(image, entry)) {
    const module::Function& function = image.functions[index];
    if (function.defined) needed = std::max(needed, wanted(image, function, machine));
  }
  uint32_t most = allowed(image.functions[entry].limits, a, machine);
  if (limit != 0) most = std::min(most, std::max(limit, machine.least));
  RegisterEstimate result;
  result.registers = std::min(needed, most);
  result.spilled_bytes = (needed - result.registers) * uint32_t{sizeof(uint32_t)};
  return result;
}

}  // namespace heddle::analysis
