#include "exec/jit/launch/incident.h"

#include <algorithm>
#include <cstdio>

#include "analysis/accesses.h"
#include "exec/jit/debug/code_lines.h"
#include "exec/memory_map.h"

namespace heddle::exec::jit {

namespace {

constexpr uint32_t warp_size = 32;

const module::Instruction* instruction_of(const module::Image& image, const Site& site) {
  if (site.function >= image.functions.size()) return nullptr;
  const module::Function& function = image.functions[site.function];
  return site.instruction < function.code.size() ? &function.code[site.instruction] : nullptr;
}

Dim3 thread_at(const Dim3& shape, uint32_t linear) {
  return {linear % shape.x, linear / shape.x % shape.y, linear / shape.x / shape.y};
}

}  // namespace

SiteAccess access_of(const module::Image& image, const Site& site) {
  SiteAccess access;
  const module::Instruction* instruction = instruction_of(image, site);
  if (instruction == nullptr) return access;
  const module::Function& function = image.functions[site.function];
  const isa::SlotValues& words = image.mnemonics[instruction->mnemonic].values;
  uint32_t elements = 1;
  for (uint32_t i = 0; i < instruction->operand_count; ++i) {
    const module::Operand& operand = function.operands[instruction->first_operand + i];
    if (operand.kind == module::OperandKind::vector) elements = operand.child_count;
    if (operand.kind != module::OperandKind::address || access.bytes != 0) continue;
    access.space = operand.space;
    access.bytes = isa::info(words.type()).bits / 8u;
    // What comes first is written: st, red. Atomics read and write.
    access.write = i == 0 || words.has(isa::Slot::op);
    access.read = i != 0 || words.has(isa::Slot::op);
  }
  access.bytes *= elements;
  access.of_cluster = words.has(isa::Slot::space) && words[isa::Slot::space] == isa::Word::shared_cluster;
  return access;
}

namespace {

constexpr int farthest_load = 3;  // instructions between a load and what uses its value

// The last instruction before `index`, in the order of the text, that writes the register.
std::optional<uint32_t> writer_of(const module::Image& image, const module::Function& function, uint32_t slot,
                                  uint32_t index) {
  while (index-- > 0) {
    bool writes = false;
    analysis::each_register(
        image, function, function.code[index],
        [&](const analysis::RegisterAccess& access) { writes |= access.slot == slot && access.write; });
    if (writes) return index;
  }
  return std::nullopt;
}

void find_loads(const module::Image& image, const Site& site, int depth, std::vector<uint32_t>& loads) {
  const module::Function& function = image.functions[site.function];
  analysis::each_register(image, function, function.code[site.instruction],
                          [&](const analysis::RegisterAccess& access) {
                            if (!access.read || access.slot == function.code[site.instruction].guard) return;
                            const auto writer = writer_of(image, function, access.slot, site.instruction);
                            if (!writer) return;
                            const Site made_at{site.function, *writer, site.called_from, site.frame};
                            const SiteAccess from = access_of(image, made_at);
                            if (from.bytes == 0) {
                              if (depth > 1) find_loads(image, made_at, depth - 1, loads);
                            } else if (!from.write && from.space != module::Space::param) {
                              if (std::ranges::find(loads, *writer) == loads.end()) loads.push_back(*writer);
                            }
                          });
}

}  // namespace

std::vector<uint32_t> loads_used_by(const module::Image& image, const CompiledKernel& kernel, uint32_t site) {
  if (site >= kernel.sites.size() || instruction_of(image, kernel.sites[site]) == nullptr) return {};
  const Site& user = kernel.sites[site];
  std::vector<uint32_t> instructions, found;
  find_loads(image, user, farthest_load, instructions);
  for (uint32_t i = 0; i < kernel.sites.size(); ++i)
    if (kernel.sites[i].function == user.function && kernel.sites[i].called_from == user.called_from &&
        std::ranges::find(instructions, kernel.sites[i].instruction) != instructions.end())
      found.push_back(i);
  return found;
}

void add_line(Fault& fault, const module::Image& image, const CompiledKernel& kernel, uint32_t site) {
  if (!fault.file.empty()) return;
  SourceLine line = debug::line_of(image, kernel.sites, site);
  fault.file = std::move(line.file);
  fault.line = line.line;
  fault.column = line.column;
}

Fault make_fault(const Launch& launch, const CompiledKernel& kernel, const Context& context,
                 const Incident& incident) {
  const module::Image& image = *launch.module->image;
  Fault fault;
  fault.kind = incident.kind;
  fault.kernel = fault.function = image.functions[launch.function].name;
  fault.block = {context.block[0], context.block[1], context.block[2]};
  uint32_t thread = incident.thread.value_or(context.first_thread);
  if (kernel.merged_blocks != 1) {
    const auto threads = static_cast<uint32_t>(launch.shape.block.count());
    fault.block.x += thread / threads;
    thread %= threads;
  }
  fault.thread = thread_at(launch.shape.block, thread);
  fault.warp = thread / warp_size;
  fault.lane = thread % warp_size;
  fault.address = incident.address;
  fault.bytes = incident.bytes;
  fault.write = incident.write;
  fault.space = incident.space;
  fault.detail = incident.detail;
  if (incident.site >= kernel.sites.size()) return fault;
  const Site& site = kernel.sites[incident.site];
  if (const module::Instruction* instruction = instruction_of(image, site)) {
    const module::Function& function = image.functions[site.function];
    fault.function = function.name;
    fault.instruction = site.instruction;
    fault.instruction_text = module::instruction_text(image, function, *instruction);
    if (fault.instruction_text.empty() && instruction->mnemonic < image.mnemonics.size())
      fault.instruction_text = image.mnemonics[instruction->mnemonic].text;
  }
  add_line(fault, image, kernel, incident.site);
  return fault;
}

std::string describe_access(const Launch& launch, uint32_t rank, FaultKind kind, module::Space space,
                            uint64_t address, uint32_t bytes, bool write, uint64_t local_bytes) {
  if (kind == FaultKind::misaligned_address) return "the address is no multiple of " + std::to_string(bytes);
  const module::Function& entry = launch.module->image->functions[launch.function];
  const uint64_t blocks = launch.shape.cluster.count(), named = address >> shared_rank_shift;
  switch (space) {
    case module::Space::shared:
      if (kind == FaultKind::illegal_instruction)
        return "an address in block " + std::to_string(named) +
               " of the cluster is none of .shared::cta in block " + std::to_string(rank);
      if (blocks > 1 && named >= blocks) return "the cluster has " + std::to_string(blocks) + " blocks";
      return "the block has " + std::to_string(entry.static_shared_bytes + launch.shape.dynamic_shared) +
             " bytes of shared memory";
    case module::Space::local:
      return "a thread has " + std::to_string(local_bytes) + " bytes of local memory";
    case module::Space::param:
      return write ? "kernel parameters are read-only"
                   : "the kernel has " + std::to_string(launch.params.size()) + " bytes of parameters";
    case module::Space::const_:
      if (write) return "constant memory is read-only";
      break;
    default: break;
  }
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  return "no memory that may be " + std::string(write ? "written" : "read") + " lies at " + text;
}

}  // namespace heddle::exec::jit
