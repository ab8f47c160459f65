// Addresses and the spaces they lie in (PTX ISA 9.7.9.19, 9.7.9.20, 9.7.9.23, 9.7.9.24).
#include <algorithm>

#include "exec/interp/block.h"
#include "exec/interp/cluster.h"
#include "exec/interp/run.h"
#include "exec/interp/step.h"
#include "exec/interp/warp.h"
#include "exec/memory_map.h"

namespace heddle::exec::interp {
namespace {

using isa::Slot;
using isa::Word;
using module::Space;

Space space_of_word(Word word) {
  switch (word) {
    case Word::shared:
    case Word::shared_cta:
    case Word::shared_cluster: return Space::shared;
    case Word::local: return Space::local;
    case Word::param:
    case Word::param_entry: return Space::param;
    case Word::const_: return Space::const_;
    default: return Space::global;
  }
}

// Constants lie at host addresses like global memory: only the module's symbols tell them apart.
bool is_constant(Step& s, uint64_t address) {
  const LoadedModule& module = *s.launch().module;
  const auto& symbols = module.image->symbols;
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    if (symbols[i].space == Space::const_ &&
        address - module.symbol_address[i] < std::max<uint64_t>(symbols[i].size, 1))
      return true;
  }
  return false;
}

bool lies_in(Step& s, Word word, uint64_t address) {
  const Space space = s.space_of(address);
  switch (word) {
    case Word::shared_cta:
    case Word::shared: {
      if (space != Space::shared) return false;
      return s.from_generic(address, Space::shared) >> shared_rank_shift == s.block().rank();
    }
    case Word::shared_cluster: return space == Space::shared;
    case Word::const_: return space == Space::global && is_constant(s, address);
    // The window of a kernel's parameters is part of the global one (9.7.9.19).
    case Word::global: return space == Space::param || (space == Space::global && !is_constant(s, address));
    default: return space == space_of_word(word);
  }
}

// A source address in the shared window; with .shared::cluster it is one, else it is generic.
uint64_t in_window(Step& s, uint64_t address) {
  return s.has(Slot::space) ? address : s.from_generic(address, Space::shared);
}

}  // namespace

void eval_isspacep(Step& s) {
  s.each(
      [&](int lane) { s.set_predicate(0, lane, lies_in(s, s.word(Slot::space), s.get<uint64_t>(1, lane))); });
}

void eval_cvta(Step& s) {
  const Space space = space_of_word(s.word(Slot::space));
  const bool to_space = s.has(Slot::to);
  const uint64_t mask = isa::info(s.type()).bits == 32 ? 0xffffffff : ~uint64_t{0};
  s.each([&](int lane) {
    const uint64_t a = s.get<uint64_t>(1, lane) & mask;
    s.set<uint64_t>(0, lane, (to_space ? s.from_generic(a, space) : s.to_generic(a, space)) & mask);
  });
}

// The same place in the memory of the block with rank b.
void eval_mapa(Step& s) {
  s.each([&](int lane) {
    const uint64_t offset = shared_offset(in_window(s, s.get<uint64_t>(1, lane)));
    const uint64_t mapped = shared_address(s.get<uint32_t>(2, lane), offset);
    s.set<uint64_t>(0, lane, s.has(Slot::space) ? mapped : s.to_generic(mapped, Space::shared));
  });
}

void eval_getctarank(Step& s) {
  s.each([&](int lane) {
    s.set<uint32_t>(0, lane,
                    static_cast<uint32_t>(in_window(s, s.get<uint64_t>(1, lane)) >> shared_rank_shift));
  });
}

}  // namespace heddle::exec::interp
