#include "exec/interp/call_values.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "exec/interp/run.h"
#include "exec/interp/warp.h"

namespace heddle::exec::interp {

namespace {

// Where a parameter of an activation lies; nullptr outside the thread's local memory. A register parameter's
// two slots (b128) are not adjacent for one lane, so registers go through `slots` below.
std::byte* in_frame(Warp& warp, const Activation& activation, const module::Parameter& parameter, int lane) {
  const uint64_t offset = activation.frame[static_cast<std::size_t>(lane)] + parameter.offset;
  return warp.local(lane).at(offset, parameter.size, warp.run().launch.local_bytes);
}

uint64_t* register_slot(Activation& activation, uint32_t reg, int lane) {
  return activation.registers.data() + std::size_t{reg} * warp_size + static_cast<std::size_t>(lane);
}

std::size_t register_size(isa::Type type) { return std::max<std::size_t>(1, isa::info(type).bits / 8); }

// Registers from `reg` on, each of `type`: one, or the elements of a vector. A b128 register takes two slots.
void to_registers(Activation& activation, uint32_t reg, isa::Type type, int lane,
                  std::span<const std::byte> from) {
  const std::size_t step = std::min<std::size_t>(8, register_size(type));
  for (std::size_t at = 0; at < from.size(); at += step, ++reg) {
    uint64_t value = 0;
    std::memcpy(&value, from.data() + at, std::min(step, from.size() - at));
    *register_slot(activation, reg, lane) = value;
  }
}

void from_registers(Activation& activation, uint32_t reg, isa::Type type, int lane, std::span<std::byte> to) {
  const std::size_t step = std::min<std::size_t>(8, register_size(type));
  for (std::size_t at = 0; at < to.size(); at += step, ++reg)
    std::memcpy(to.data() + at, register_slot(activation, reg, lane), std::min(step, to.size() - at));
}

bool is_variable(const Step& call, const module::Operand& o) {
  return o.kind == module::OperandKind::symbol && o.space == module::Space::local &&
         call.image().symbols[o.index].owner != module::none;
}

// Bytes of a .param variable of the caller.
std::span<std::byte> variable(Step& call, const module::Operand& o, int lane) {
  const module::Symbol& symbol = call.image().symbols[o.index];
  std::byte* host =
      call.warp().local(lane).at(call.address_of(o, lane), symbol.size, call.launch().local_bytes);
  return host == nullptr ? std::span<std::byte>() : std::span<std::byte>(host, symbol.size);
}

template <class F>
void each_lane(Mask lanes, F&& f) {
  for (; lanes != 0; lanes &= lanes - 1) f(std::countr_zero(lanes));
}

}  // namespace

CallOperands call_operands(const module::Function& function, const module::Instruction& call) {
  CallOperands out;
  for (uint32_t i = 0; i < call.operand_count; ++i) {
    const module::Operand& o = function.operands[call.first_operand + i];
    switch (o.kind) {
      case module::OperandKind::list: {
        const std::span<const module::Operand> list{function.operands.data() + o.first_child, o.child_count};
        (out.target == nullptr ? out.results : out.params) = list;
        break;
      }
      case module::OperandKind::absent: break;
      case module::OperandKind::table:
      case module::OperandKind::prototype: out.prototype = &o; break;
      default: out.target = &o;
    }
  }
  return out;
}

bool read_argument(Step& call, const module::Operand& argument, int lane, std::span<std::byte> to) {
  std::fill(to.begin(), to.end(), std::byte{0});
  if (is_variable(call, argument)) {
    const std::span<const std::byte> from = variable(call, argument, lane);
    std::copy_n(from.begin(), std::min(from.size(), to.size()), to.begin());
    return !from.empty();
  }
  if (argument.kind == module::OperandKind::reg) {
    from_registers(call.activation(), argument.reg, argument.declared, lane,
                   to.first(std::min(to.size(), register_size(argument.declared))));
    return true;
  }
  if (argument.kind == module::OperandKind::vector) {
    for (const module::Operand& element : call.children(argument)) {
      const std::size_t bytes = std::min(to.size(), register_size(element.type));
      if (!read_argument(call, element, lane, to.first(bytes))) return false;
      to = to.subspan(bytes);
    }
    return true;
  }
  const uint64_t value = call.get_bits(argument, lane);
  std::memcpy(to.data(), &value, std::min<std::size_t>(8, to.size()));
  return true;
}

bool write_result(Step& call, const module::Operand& result, int lane, std::span<const std::byte> from) {
  if (is_variable(call, result)) {
    const std::span<std::byte> to = variable(call, result, lane);
    std::copy_n(from.begin(), std::min(from.size(), to.size()), to.begin());
    return !to.empty();
  }
  if (result.kind == module::OperandKind::reg)
    to_registers(call.activation(), result.reg, result.declared, lane,
                 from.first(std::min(from.size(), register_size(result.declared))));
  if (result.kind == module::OperandKind::vector) {
    for (const module::Operand& element : call.children(result)) {
      const std::size_t bytes = std::min(from.size(), register_size(element.type));
      if (!write_result(call, element, lane, from.first(bytes))) return false;
      from = from.subspan(bytes);
    }
  }
  return true;
}

void bind_arguments(Step& call, Activation& callee) {
  const CallOperands operands = call_operands(call.function(), call.instruction());
  const std::vector<module::Parameter>& params = callee.function->signature.params;
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < std::min(params.size(), operands.params.size()); ++i) {
    bytes.resize(params[i].size);
    each_lane(callee.lanes, [&](int lane) {
      read_argument(call, operands.params[i], lane, bytes);
      if (params[i].in_register)
        to_registers(callee, params[i].reg, params[i].type, lane, bytes);
      else if (std::byte* to = in_frame(call.warp(), callee, params[i], lane))
        std::copy(bytes.begin(), bytes.end(), to);
    });
  }
}

void return_results(Warp& warp, Activation& callee, Mask lanes) {
  Activation& caller = *callee.caller;
  const module::Instruction& instruction = caller.function->code[callee.call_site];
  const CallOperands operands = call_operands(*caller.function, instruction);
  const std::vector<module::Parameter>& results = callee.function->signature.results;
  Step call(warp, caller, instruction, lanes);
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < std::min(results.size(), operands.results.size()); ++i) {
    bytes.resize(results[i].size);
    each_lane(lanes, [&](int lane) {
      if (results[i].in_register)
        from_registers(callee, results[i].reg, results[i].type, lane, bytes);
      else if (const std::byte* from = in_frame(warp, callee, results[i], lane))
        std::copy_n(from, bytes.size(), bytes.begin());
      write_result(call, operands.results[i], lane, bytes);
    });
  }
}

}  // namespace heddle::exec::interp
