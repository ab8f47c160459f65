// Control flow (PTX ISA 9.7.12), traps and the like (9.7.19).
#include <array>
#include <string>

#include "exec/interp/call_values.h"
#include "exec/interp/host_function.h"
#include "exec/interp/math_call.h"
#include "exec/interp/run.h"
#include "exec/interp/step.h"
#include "exec/interp/warp.h"
#include "exec/memory_map.h"
#include "module/math_function.h"

namespace heddle::exec::interp {

namespace {

using Targets = std::array<uint32_t, warp_size>;

bool is_assertion(const Run& run, uint32_t target) {
  const module::Function& function = run.image.functions[target];
  return !function.defined && function.name == "__assertfail";
}

// Calls of the lanes in `s`, each to its own function. Those that the host provides are done at once.
void call(Step& s, const Targets& targets) {
  Run& run = s.warp().run();
  Mask guest = 0;
  MathCalls math(s);
  s.each([&](int lane) {
    // As on a device, every thread of the warp whose assertion fails says so; the first one is the fault.
    if (s.faulted() && run.fault->kind != FaultKind::assertion) return;
    const uint32_t target = targets[static_cast<std::size_t>(lane)];
    if (s.faulted() && !is_assertion(run, target)) return;
    const module::Function& function = run.image.functions[target];
    if (function.defined) {
      guest |= Mask{1} << lane;
    } else if (const HostFunction* host = run.host_function[target]) {
      call_host(*host, s, function, lane);
    } else if (const math::Function* of_math = module::math_function(function)) {
      math.call(*of_math, lane);
    } else {
      s.fault(FaultKind::invalid_pc, lane,
              "function '" + function.name + "' has no body, and the host has none");
    }
  });
  math.store();
  if (guest == 0 || s.faulted()) return;
  for (Activation* callee : s.warp().call(guest, targets)) bind_arguments(s, *callee);
}

void leave(Step& s) {
  if (s.activation().caller == nullptr) return s.warp().exit(s.lanes());
  return_results(s.warp(), s.activation(), s.lanes());
  if (!s.faulted()) s.warp().leave(s.lanes());
}

}  // namespace

void eval_bra(Step& s) { s.warp().branch(s.lanes(), static_cast<uint32_t>(s.operand(0).value)); }

void eval_brx_idx(Step& s) {
  const std::vector<uint32_t>& table = s.function().tables[s.operand(1).index];
  Targets targets{};
  s.each([&](int lane) {
    const uint32_t index = s.get<uint32_t>(0, lane);
    if (index < table.size())
      targets[static_cast<std::size_t>(lane)] = table[index];
    else
      s.fault(
          FaultKind::invalid_pc, lane,
          "index " + std::to_string(index) + ", the list has " + std::to_string(table.size()) + " targets");
  });
  if (!s.faulted()) s.warp().branch(s.lanes(), targets);
}

void eval_call_direct(Step& s) {
  Targets targets;
  targets.fill(call_operands(s.function(), s.instruction()).target->index);
  call(s, targets);
}

void eval_call_indirect(Step& s) {
  const module::Operand& pointer = *call_operands(s.function(), s.instruction()).target;
  Targets targets{};
  s.each([&](int lane) {
    const auto handle = s.get<uint64_t>(pointer, lane);
    if (is_code_handle(handle) && function_of_handle(handle) < s.image().functions.size() &&
        !s.image().functions[function_of_handle(handle)].entry)
      targets[static_cast<std::size_t>(lane)] = function_of_handle(handle);
    else
      s.fault(FaultKind::invalid_pc, lane, "the pointer " + std::to_string(handle) + " is no function");
  });
  if (!s.faulted()) call(s, targets);
}

void eval_ret(Step& s) { leave(s); }

void eval_exit(Step& s) { s.warp().exit(s.lanes()); }

void eval_trap(Step& s) {
  s.fault(FaultKind::trap, std::countr_zero(s.lanes()), "the program executed a trap");
}

void eval_brkpt(Step& s) {
  s.fault(FaultKind::trap, std::countr_zero(s.lanes()),
          "the program executed a breakpoint and no debugger is there");
}

// A hint to do something else first; how long is up to the device (PTX ISA 9.7.19.2: between 0 and 2 t).
void eval_nanosleep(Step& s) { s.warp().give_way(); }

// Events of a profiler that is not there.
void eval_pmevent(Step&) {}
void eval_pmevent_mask(Step&) {}

// How many registers a warp may use changes nothing that a program can see.
void eval_setmaxnreg(Step&) {}

}  // namespace heddle::exec::interp
