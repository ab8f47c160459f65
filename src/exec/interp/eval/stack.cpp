// Stack manipulation (PTX ISA 9.7.17). The stack grows upwards in the thread's local memory; ret takes it
// back to where the call found it.
#include <algorithm>
#include <bit>
#include <string>

#include "exec/interp/step.h"
#include "exec/interp/warp.h"

namespace heddle::exec::interp {

void eval_alloca(Step& s) {
  // Without an alignment it is 8 bytes; LLVM writes 0 for that.
  const uint64_t written = s.present(2) ? s.operand(2).value : 0;
  const uint64_t align = written == 0 ? 8 : written;
  s.each([&](int lane) {
    uint64_t& top = s.warp().stack_top(lane);
    const auto size = s.get<uint64_t>(1, lane);
    const uint64_t base = (top + align - 1) / align * align;
    const uint64_t limit = s.launch().local_bytes;
    if (base > limit || size > limit - base)
      return s.fault(FaultKind::stack_overflow, lane,
                     std::to_string(size) + " bytes at byte " + std::to_string(base) +
                         " of the thread's stack, the limit is " + std::to_string(limit));
    top = base + size;
    s.set(0, lane, base);
  });
}

void eval_stacksave(Step& s) {
  s.each([&](int lane) { s.set(0, lane, s.warp().stack_top(lane)); });
}

void eval_stackrestore(Step& s) {
  s.each([&](int lane) {
    // What was saved lies between the activation's own frame and the limit.
    const Activation& activation = s.activation();
    const uint64_t lowest =
        activation.frame[static_cast<std::size_t>(lane)] + activation.function->frame_bytes;
    const auto saved = s.get<uint64_t>(0, lane);
    if (saved < lowest || saved > s.launch().local_bytes)
      return s.fault(FaultKind::stack_overflow, lane, "stackrestore of a value that stacksave did not give");
    s.warp().stack_top(lane) = saved;
  });
}

}  // namespace heddle::exec::interp
