#include "api/cuda_state/function_facts.h"

#include <algorithm>

#include "analysis/resources.h"
#include "arch/limits.h"
#include "runtime/launch.h"

namespace heddle::cuda {
namespace {

uint32_t registers_of(const Function& function) {
  const runtime::Kernel& kernel = function.kernel();
  const arch::Registers& registers = function.module().context().device().facts().arch.registers;
  const uint32_t wanted = analysis::estimate_thread(kernel.module().image(), kernel.index()).registers;
  return std::clamp<uint32_t>(wanted, 1, registers.per_thread);
}

}  // namespace

FunctionFacts function_facts(const Function& function) {
  const runtime::Kernel& kernel = function.kernel();
  const module::Image& image = kernel.module().image();
  const arch::Device& device = function.module().context().device().facts();
  FunctionFacts facts;
  facts.static_shared = kernel.needs().static_shared;
  for (const module::Symbol& symbol : image.symbols)
    if (symbol.space == module::Space::const_ && symbol.kind == module::SymbolKind::memory)
      facts.constant_bytes += symbol.size;
  facts.local_bytes = kernel.function().frame_bytes;
  facts.max_threads = static_cast<int>(kernel.max_threads());
  facts.registers = static_cast<int>(registers_of(function));
  facts.ptx_version = image.target != nullptr ? static_cast<int>(image.target->sm) : 0;
  facts.binary_version = static_cast<int>(device.capability().number());
  const uint32_t raised = kernel.max_dynamic_shared;
  const uint64_t usual = device.arch.shared.per_block;
  facts.max_dynamic_shared =
      static_cast<int>(raised != 0 ? raised : usual - std::min<uint64_t>(usual, facts.static_shared));
  facts.carveout = kernel.shared_carveout;
  for (std::size_t i = 0; i < 3; ++i)
    facts.required_cluster[i] = static_cast<int>(kernel.function().limits.required_cluster[i]);
  facts.large_cluster_allowed = kernel.large_cluster_allowed;
  return facts;
}

Answer<model::BlockNeeds> block_needs(const Function& function, int threads, uint64_t dynamic_shared) {
  const arch::Device& device = function.module().context().device().facts();
  if (threads <= 0) return invalid_value("a block of " + std::to_string(threads) + " threads");
  if (dynamic_shared > UINT32_MAX)
    return invalid_value(std::to_string(dynamic_shared) + " bytes of dynamic shared memory");
  model::BlockNeeds needs = runtime::block_needs(function.kernel(), static_cast<uint32_t>(threads),
                                                 static_cast<uint32_t>(dynamic_shared));
  // An estimate must not say that a kernel cannot run which can: compilers spill before it comes to that.
  constexpr uint32_t register_step = 8;
  const uint32_t fit =
      device.arch.registers.per_block / static_cast<uint32_t>(threads) / register_step * register_step;
  needs.registers = std::min(registers_of(function), std::max(fit, register_step));
  // "0 blocks" is the answer for more than the kernel or the device takes.
  if (static_cast<uint32_t>(threads) > function.kernel().max_threads())
    needs.threads = device.arch.multiprocessor.max_threads + 1;
  return needs;
}

}  // namespace heddle::cuda
