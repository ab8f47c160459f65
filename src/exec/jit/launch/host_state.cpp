#include "exec/jit/launch/host_state.h"

#include <cstring>

#include "exec/jit/launch/landing.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace heddle::exec::jit {

#if defined(__x86_64__)

namespace {

// Where the mask registers of AVX-512 lie in the saved state; 0: nowhere. Intel SDM 1, 13.4 to 13.5:
// component 5 of the standard format, which Linux uses for signal frames; the legacy area tells of it at byte
// 464.
uint32_t find_mask_offset() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(0xd, 5, &a, &b, &c, &d) == 0 || a < 64) return 0;
  return b;
}
const uint32_t mask_offset = find_mask_offset();

// Intel SDM 3, 6.15: the error code of a page fault.
constexpr int number_of_page_fault = 14, page_fault_wrote = 2;

constexpr uint32_t software_bytes = 464, header = 512;
constexpr uint32_t extended_magic = 0x46505853;  // FP_XSTATE_MAGIC1

}  // namespace

void read_machine_state(const ucontext_t& state, Trap& trap) {
  const auto& g = state.uc_mcontext.gregs;
  trap.pc = static_cast<uintptr_t>(g[REG_RIP]);
  trap.stack = static_cast<uintptr_t>(g[REG_RSP]);
  constexpr int order[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                             REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  for (int i = 0; i < 16; ++i) trap.registers[i] = static_cast<uint64_t>(g[order[i]]);
  if (number_of_page_fault == g[REG_TRAPNO]) {
    trap.knows_direction = true;
    trap.wrote = (g[REG_ERR] & page_fault_wrote) != 0;
  }
  trap.has_masks = false;
  const auto* saved = reinterpret_cast<const std::byte*>(state.uc_mcontext.fpregs);
  if (saved == nullptr || mask_offset == 0) return;
  uint32_t magic = 0;
  std::memcpy(&magic, saved + software_bytes, sizeof magic);
  if (magic != extended_magic) return;
  uint64_t present = 0;  // components that are not in their initial state
  std::memcpy(&present, saved + header, sizeof present);
  trap.has_masks = true;
  if ((present >> 5 & 1) != 0)
    std::memcpy(trap.masks, saved + mask_offset, sizeof trap.masks);
  else
    std::memset(trap.masks, 0, sizeof trap.masks);
}

#elif defined(__aarch64__)

void read_machine_state(const ucontext_t& state, Trap& trap) {
  trap.pc = state.uc_mcontext.pc;
  trap.stack = state.uc_mcontext.sp;
  trap.has_masks = false;
}

#else

void read_machine_state(const ucontext_t&, Trap& trap) { trap.pc = trap.stack = 0; }

#endif

}  // namespace heddle::exec::jit
