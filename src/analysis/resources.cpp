#include "analysis/resources.h"

#include <algorithm>
#include <vector>

#include "analysis/math_local.gen.h"
#include "module/calls.h"
#include "module/graph.h"

namespace heddle::analysis {

namespace {

constexpr uint64_t frame_unit = 8;  // of which NVIDIA's assembler makes frames

// Variables that calls pass or get.
std::vector<bool> passed(const module::Image& image) {
  std::vector<bool> found(image.symbols.size());
  for (const module::Function& function : image.functions)
    for (const module::Instruction& instruction : function.code) {
      if (instruction.opcode != isa::Opcode::call) continue;
      for (uint32_t i = 0; i < instruction.operand_count; ++i) {
        const module::Operand& list = function.operands[instruction.first_operand + i];
        for (uint32_t k = 0; list.kind == module::OperandKind::list && k < list.child_count; ++k)
          if (const uint32_t symbol = function.operands[list.first_child + k].index; symbol != module::none)
            found[symbol] = true;
      }
    }
  return found;
}

// Variables of functions alone: what calls pass goes through registers with NVIDIA's assembler.
std::vector<uint64_t> frames(const module::Image& image) {
  std::vector<uint64_t> bytes(image.functions.size());
  const std::vector<bool> arguments = passed(image);
  for (const module::Symbol& symbol : image.symbols) {
    if (symbol.kind != module::SymbolKind::memory || symbol.space != module::Space::local) continue;
    const auto number = static_cast<std::size_t>(&symbol - image.symbols.data());
    if (symbol.owner == module::none || arguments[number]) continue;
    const module::Function& owner = image.functions[symbol.owner];
    const uint64_t parameters = owner.signature.result_offset + owner.signature.result_bytes;
    if (!owner.entry && symbol.offset < parameters) continue;
    uint64_t& frame = bytes[symbol.owner];
    frame = (frame + symbol.align - 1) / symbol.align * symbol.align + symbol.size;
  }
  for (uint64_t& frame : bytes) frame = (frame + frame_unit - 1) / frame_unit * frame_unit;
  return bytes;
}

// Longest chain of frames below each function. Functions that call each other share one component, whose
// members count once each: components are numbered callees first.
uint64_t deepest_stack(const module::Image& image, const std::vector<uint32_t>& functions, uint32_t entry) {
  std::vector<uint32_t> number(image.functions.size(), module::none);
  for (uint32_t i = 0; i < functions.size(); ++i) number[functions[i]] = i;
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  for (uint32_t i = 0; i < functions.size(); ++i)
    for (uint32_t callee : image.functions[functions[i]].callees) edges.emplace_back(i, number[callee]);
  const module::Components components =
      module::strongly_connected(module::Graph(static_cast<uint32_t>(functions.size()), edges));
  const std::vector<uint64_t> frame_bytes = frames(image);
  std::vector<uint64_t> own(components.count), below(components.count);
  for (uint32_t i = 0; i < functions.size(); ++i) own[components.of[i]] += frame_bytes[functions[i]];
  std::sort(edges.begin(), edges.end(),
            [&](const auto& a, const auto& b) { return components.of[a.first] < components.of[b.first]; });
  for (const auto& [from, to] : edges) {
    const uint32_t caller = components.of[from], callee = components.of[to];
    if (caller != callee) below[caller] = std::max(below[caller], own[callee] + below[callee]);
  }
  const uint32_t top = components.of[number[entry]];
  return own[top] + below[top];
}

// Calls of math functions that have a slow way, by their names in the image: a call is one for each place.
uint32_t calls_of(const module::Image& image, const std::vector<uint32_t>& functions,
                  const std::vector<bool>& wanted) {
  uint32_t calls = 0;
  for (const uint32_t index : functions)
    for (const module::Operand& operand : image.functions[index].operands)
      calls += operand.kind == module::OperandKind::function && wanted[operand.index] ? 1 : 0;
  return calls;
}

}  // namespace

// Those in single precision are inlined and share one place, those in double precision are called.
uint64_t math_local_bytes(const module::Image& image, uint32_t entry,
                          const arch::Architecture& architecture) {
  const std::vector<uint32_t> functions = module::reachable_functions(image, entry);
  std::vector<bool> slow(image.functions.size());
  for (const uint32_t index : functions)
    slow[index] =
        !image.functions[index].defined && std::ranges::any_of(math_local, [&](const MathLocal& record) {
          return record.name == image.functions[index].name;
        });
  const uint32_t calls = calls_of(image, functions, slow), capability = architecture.capability.number();
  uint64_t single = 0, twice = 0;
  for (const uint32_t index : functions) {
    if (!slow[index]) continue;
    const auto* const record = std::ranges::find_if(math_local, [&](const MathLocal& r) {
      return r.name == image.functions[index].name && capability <= r.until && calls >= r.calls;
    });
    if (record == std::end(math_local)) continue;
    uint64_t& most = record->single ? single : twice;
    most = std::max<uint64_t>(most, record->bytes);
  }
  return single + twice;
}

ThreadResources estimate_thread(const module::Image& image, uint32_t entry) {
  ThreadResources result;
  const std::vector<uint32_t> functions = module::reachable_functions(image, entry);
  for (uint32_t index : functions) {
    const module::Function& function = image.functions[index];
    result.recursive |= function.recursive;
    result.undefined |= !function.defined;
  }
  result.stack_bytes = image.static_local_bytes + deepest_stack(image, functions, entry);
  return result;
}

uint64_t reported_frame(const module::Image& image, uint32_t entry, const arch::Architecture& architecture) {
  return frames(image)[entry] + math_local_bytes(image, entry, architecture);
}

ThreadResources reported_thread(const module::Image& image, uint32_t entry,
                                const arch::Architecture& architecture) {
  ThreadResources result = estimate_thread(image, entry);
  result.stack_bytes += math_local_bytes(image, entry, architecture);
  return result;
}

}  // namespace heddle::analysis
