#include "runtime/kernel_registers.h"

#include <algorithm>

#include "analysis/registers/estimate.h"
#include "analysis/registers/low_end.h"
#include "arch/allocation.h"

namespace heddle::runtime {

namespace {

const arch::Architecture& arch_of(const Kernel& kernel) {
  return kernel.module().context().device().facts.arch;
}

}  // namespace

uint32_t Kernel::registers() const {
  uint32_t known = registers_.load(std::memory_order_relaxed);
  if (known == 0) {
    const arch::Architecture& a = arch_of(*this);
    const uint32_t estimate = analysis::estimate_registers(module_.image(), function_, a).registers;
    known = std::clamp<uint32_t>(estimate, 1, a.registers.per_thread);
    registers_.store(known, std::memory_order_relaxed);
  }
  return known;
}

uint32_t Kernel::max_threads() const {
  const uint32_t promised = promised_threads(*this);
  if (always_fits(*this, promised)) return promised;
  return std::min(promised, arch::most_threads(arch_of(*this), least_registers(*this)));
}

uint32_t least_registers(const Kernel& kernel) {
  return analysis::least_registers(kernel.registers(), arch_of(kernel));
}

uint32_t promised_threads(const Kernel& kernel) {
  const uint32_t device = arch_of(kernel).launch.max_threads_per_block, own = kernel.needs().max_threads;
  return own == 0 ? device : std::min(device, own);
}

bool always_fits(const Kernel& kernel, uint64_t threads) {
  const arch::Architecture& a = arch_of(kernel);
  uint32_t most = a.registers.per_thread;
  if (const uint32_t told = kernel.function().limits.max_registers; told != 0) most = std::min(most, told);
  return threads <= a.launch.max_threads_per_block &&
         arch::registers_checked_per_block(a, static_cast<uint32_t>(threads), most) <= a.registers.per_block;
}

}  // namespace heddle::runtime
