// What a capability says about its assembler.
#include <algorithm>

#include "analysis/registers/code.h"

namespace heddle::analysis::registers {

Machine machine_of(const arch::Architecture& a) {
  using arch::Feature;
  Machine machine;
  machine.rules = all_rules.front();
  for (const Rules& rules : all_rules)
    if (a.capability.number() >= rules.from) machine.rules = rules;
  machine.predication = predication_limit(a.capability);
  machine.uniform = a.has(Feature::uniform_registers);
  machine.unit = a.has(Feature::registers_by_eights) ? 8 : 1;
  machine.least = a.has(Feature::registers_by_eights) ? 4 : 2;
  machine.most = a.registers.per_thread;
  const uint32_t full = a.registers.per_multiprocessor / a.multiprocessor.max_threads;
  machine.comfortable = std::min(full / machine.unit * machine.unit, machine.most);
  return machine;
}

}  // namespace heddle::analysis::registers
