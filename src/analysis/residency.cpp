#include "analysis/residency.h"

#include <algorithm>

#include "analysis/registers/low_end.h"
#include "arch/allocation.h"
#include "module/calls.h"

namespace heddle::analysis {

namespace {

using arch::Architecture;

uint32_t by_registers(const Architecture& a, uint32_t threads, uint32_t registers) {
  if (!a.has(arch::Feature::registers_by_warp))
    return a.registers.per_multiprocessor / arch::registers_per_block(a, threads, registers);
  // The register file has parts; a warp's registers lie in one of them.
  const uint32_t parts = a.registers.warp_granularity;
  const uint32_t of_a_part = a.registers.per_multiprocessor / parts / arch::registers_per_warp(a, registers);
  return of_a_part * parts / arch::warps_per_block(a, threads);
}

uint32_t by_shared(const Architecture& a, const module::Function& entry, uint32_t dynamic_shared) {
  const uint64_t arguments =
      a.has(arch::Feature::parameters_in_shared) ? entry.signature.param_bytes : uint64_t{0};
  const uint64_t bytes = entry.static_shared_bytes + uint64_t{dynamic_shared} + arguments;
  if (bytes >= a.shared.per_multiprocessor) return 1;
  const uint32_t taken = arch::shared_per_block(a, static_cast<uint32_t>(bytes));
  return taken == 0 ? ~0u : a.shared.per_multiprocessor / taken;
}

}  // namespace

bool reads_place(const module::Image& image, uint32_t entry) {
  for (const uint32_t function : module::reachable_functions(image, entry))
    for (const module::Operand& o : image.functions[function].operands)
      if (o.kind == module::OperandKind::special &&
          (o.special == isa::SpecialRegister::warpid || o.special == isa::SpecialRegister::smid))
        return true;
  return false;
}

uint32_t resident_blocks(const Architecture& a, const module::Function& entry, uint32_t registers,
                         uint32_t threads, uint32_t dynamic_shared) {
  const uint32_t counted = registers_in_block(registers, threads, a);
  const uint32_t blocks =
      std::min({a.multiprocessor.max_blocks, a.multiprocessor.max_warps / arch::warps_per_block(a, threads),
                by_registers(a, threads, counted), by_shared(a, entry, dynamic_shared)});
  return std::max(blocks, 1u);
}

uint32_t resident_blocks(const module::Image& image, uint32_t entry, const Architecture& a, uint32_t threads,
                         uint32_t dynamic_shared) {
  const uint32_t registers = estimate_registers(image, entry, a).registers;
  return resident_blocks(a, image.functions[entry], std::max(registers, 1u), threads, dynamic_shared);
}

}  // namespace heddle::analysis
