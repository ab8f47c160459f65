#include "analysis/registers/low_end.h"

#include <algorithm>

#include "analysis/register_errors.gen.h"
#include "arch/allocation.h"

namespace heddle::analysis {

uint32_t least_registers(uint32_t estimate, const arch::Architecture& a) {
  const auto known = std::ranges::find(registers::errors, a.id, &registers::Error::arch);
  const uint32_t within = known == registers::errors.end() ? registers::error_of_others : known->within_90;
  const uint32_t error = std::max(within, estimate * registers::error_percent / 100);
  return std::max(estimate - std::min(estimate, error), 1u);
}

uint32_t registers_in_block(uint32_t estimate, uint32_t threads, const arch::Architecture& a) {
  const uint32_t fit = arch::most_registers(a, threads);
  return least_registers(estimate, a) <= fit ? std::min(estimate, fit) : estimate;
}

}  // namespace heddle::analysis
