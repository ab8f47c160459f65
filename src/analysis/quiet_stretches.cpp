#include "analysis/quiet_stretches.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <vector>

#include "isa/isa.h"
#include "module/calls.h"

namespace heddle::analysis {

namespace {

using isa::Opcode;
using module::Operand;
using module::OperandKind;
using module::Space;

std::string_view id_of(const module::Instruction& instruction) { return isa::info(instruction.form).id; }

bool is_barrier(const module::Instruction& instruction) {
  const std::string_view id = id_of(instruction);
  return id == "bar_sync" || id == "bar_red" || id == "bar_red_popc" || id == "bar_arrive";
}

// Writes that a barrier does not end, and waits that are none of its.
bool is_asynchronous(const module::Instruction& instruction) {
  const std::string_view id = id_of(instruction);
  return id.find("async") != id.npos || id.starts_with("mbarrier") || id == "st_bulk" ||
         id.starts_with("tcgen05");
}

bool may_be_shared(const module::Function& function, const Operand& operand) {
  if (operand.kind == OperandKind::address &&
      (operand.space == Space::shared || operand.space == Space::generic))
    return true;
  for (uint32_t i = 0; i < operand.child_count; ++i)
    if (may_be_shared(function, function.operands[operand.first_child + i])) return true;
  return false;
}

bool writes_shared(const module::Function& function, const module::Instruction& instruction) {
  constexpr std::array readers{Opcode::ld,       Opcode::ldu,           Opcode::ldmatrix,
                               Opcode::prefetch, Opcode::applypriority, Opcode::prefetchu};
  if (std::ranges::find(readers, instruction.opcode) != readers.end()) return false;
  if (id_of(instruction).starts_with("wmma_load")) return false;
  for (uint32_t i = 0; i < instruction.operand_count; ++i)
    if (may_be_shared(function, function.operands[instruction.first_operand + i])) return true;
  return false;
}

// All threads of the block wait there: no count of them, and no guard that lets some pass.
bool parts_stretches(const module::Function& function, const module::Instruction& instruction) {
  if (!is_barrier(instruction) || id_of(instruction) == "bar_arrive" || instruction.guard != module::none)
    return false;
  const uint32_t count = instruction.first_operand + (id_of(instruction) == "bar_sync" ? 1U : 2U);
  return function.operands[count].kind == OperandKind::absent;
}

class Callees {
 public:
  Callees(const module::Image& image, uint32_t entry) {
    for (const uint32_t number : module::reachable_functions(image, entry)) {
      if (number == entry) continue;
      const module::Function& function = image.functions[number];
      for (const module::Instruction& instruction : function.code) {
        waits |= is_barrier(instruction) || is_asynchronous(instruction);
        writes |= writes_shared(function, instruction);
      }
    }
  }
  bool waits = false, writes = false;
};

}  // namespace

QuietStretches quiet_stretches(const module::Image& image, uint32_t entry) {
  const module::Function& function = image.functions[entry];
  const Callees callees(image, entry);
  if (callees.waits || std::ranges::any_of(function.code, is_asynchronous)) return {};
  QuietStretches found;
  const std::size_t count = function.code.size();
  found.barriers.resize(count);
  for (std::size_t i = 0; i < count; ++i) found.barriers[i] = parts_stretches(function, function.code[i]);
  // Pieces of code without such a barrier: one more than barriers in each basic block. Those that follow one
  // another without a barrier are one stretch.
  std::vector<uint32_t> first_piece, last_piece, piece_of(count);
  uint32_t pieces = 0;
  for (const module::Block& block : function.blocks) {
    first_piece.push_back(pieces);
    for (uint32_t i = block.first; i < block.end; ++i) {
      piece_of[i] = pieces;
      if (found.barriers[i]) ++pieces;
    }
    last_piece.push_back(pieces++);
  }
  std::vector<uint32_t> parent(pieces);
  std::iota(parent.begin(), parent.end(), 0U);
  const auto root = [&](uint32_t piece) {
    while (parent[piece] != piece) piece = parent[piece] = parent[parent[piece]];
    return piece;
  };
  for (std::size_t b = 0; b < function.blocks.size(); ++b)
    for (const uint32_t next : function.blocks[b].successors)
      parent[root(last_piece[b])] = root(first_piece[next]);
  std::vector<bool> written(pieces);
  for (std::size_t i = 0; i < count; ++i) {
    const module::Instruction& instruction = function.code[i];
    if (writes_shared(function, instruction) || (instruction.opcode == Opcode::call && callees.writes))
      written[root(piece_of[i])] = true;
  }
  found.quiet.resize(count);
  bool any = false;
  for (std::size_t i = 0; i < count; ++i) {
    found.quiet[i] = !found.barriers[i] && !written[root(piece_of[i])];
    any |= found.quiet[i];
  }
  if (!any) return {};
  return found;
}

}  // namespace heddle::analysis
