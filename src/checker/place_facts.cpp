#include "checker/place_facts.h"

#include <algorithm>

#include "analysis/accesses.h"
#include "exec/told_access.h"
#include "isa/isa.h"

namespace heddle::checker {

namespace {

using isa::Slot;
using isa::Word;

// The blocks of a loop: those from which its head is reached without passing it (the natural loop).
std::vector<bool> blocks_of_loop(const module::Function& function, uint32_t head, uint32_t latch) {
  std::vector<bool> inside(function.blocks.size());
  inside[head] = true;
  std::vector<uint32_t> open{latch};
  while (!open.empty()) {
    const uint32_t block = open.back();
    open.pop_back();
    if (inside[block]) continue;
    inside[block] = true;
    for (const uint32_t before : function.blocks[block].predecessors) open.push_back(before);
  }
  return inside;
}

class PollingCheck {
 public:
  PollingCheck(const module::Image& image, const module::Function& function, uint32_t instruction)
      : image_(image), function_(function), instruction_(instruction) {}

  bool polls() const {
    const uint32_t block = function_.block_of[instruction_];
    for (uint32_t latch = 0; latch < function_.blocks.size(); ++latch)
      for (const uint32_t head : function_.blocks[latch].successors) {
        if (function_.blocks[head].order > function_.blocks[latch].order) continue;
        const std::vector<bool> inside = blocks_of_loop(function_, head, latch);
        if (inside[block] && same_address(inside) && decides(inside)) return true;
      }
    return false;
  }

 private:
  template <class F>
  void each_inside(const std::vector<bool>& inside, F&& f) const {
    for (uint32_t b = 0; b < inside.size(); ++b)
      if (inside[b])
        for (uint32_t i = function_.blocks[b].first; i < function_.blocks[b].end; ++i) f(i);
  }

  // The registers of the address are written nowhere in the loop, or only from such.
  bool same_address(const std::vector<bool>& inside) const {
    std::vector<uint32_t> bases;
    const module::Instruction& access = function_.code[instruction_];
    for (uint32_t i = 0; i < access.operand_count; ++i) {
      const module::Operand& o = function_.operands[access.first_operand + i];
      if (o.kind == module::OperandKind::address && o.reg != module::none) bases.push_back(o.reg);
    }
    for (unsigned depth = 0; depth < 8 && !bases.empty(); ++depth) {
      std::vector<uint32_t> next;
      bool unknown = false;
      each_inside(inside, [&](uint32_t i) {
        bool writes_base = false;
        std::vector<uint32_t> read;
        analysis::each_register(image_, function_, function_.code[i], [&](analysis::RegisterAccess a) {
          if (a.write && std::ranges::find(bases, a.slot) != bases.end()) {
            writes_base = true;
            unknown |= a.read;
          }
          if (a.read) read.push_back(a.slot);
        });
        if (!writes_base) return;
        for (const uint32_t slot : read) {
          if (std::ranges::find(bases, slot) != bases.end()) unknown = true;  // it moves on
          next.push_back(slot);
        }
      });
      if (unknown) return false;
      bases = std::move(next);
    }
    return bases.empty();
  }

  // Whether what it reads decides if the loop goes on.
  bool decides(const std::vector<bool>& inside) const {
    std::vector<bool> depends(function_.register_slots);
    analysis::each_register(image_, function_, function_.code[instruction_], [&](analysis::RegisterAccess a) {
      if (a.write) depends[a.slot] = true;
    });
    for (bool changed = true; changed;) {
      changed = false;
      each_inside(inside, [&](uint32_t i) {
        bool from = false;
        analysis::each_register(image_, function_, function_.code[i],
                                [&](analysis::RegisterAccess a) { from |= a.read && depends[a.slot]; });
        if (!from || i == instruction_) return;
        analysis::each_register(image_, function_, function_.code[i], [&](analysis::RegisterAccess a) {
          if (!a.write || depends[a.slot]) return;
          depends[a.slot] = true;
          changed = true;
        });
      });
    }
    bool found = false;
    for (uint32_t b = 0; b < inside.size() && !found; ++b) {
      if (!inside[b]) continue;
      const module::Block& block = function_.blocks[b];
      const bool leaves = std::ranges::any_of(block.successors, [&](uint32_t s) { return !inside[s]; });
      const module::Instruction& last = function_.code[block.end - 1];
      if (leaves && last.guard != module::none) found = depends[last.guard];
    }
    return found;
  }

  const module::Image& image_;
  const module::Function& function_;
  const uint32_t instruction_;
};

// Whether some instruction of the function reads what this one writes.
bool is_read(const module::Image& image, const module::Function& function, uint32_t instruction) {
  std::vector<uint32_t> written;
  analysis::each_register(image, function, function.code[instruction], [&](analysis::RegisterAccess a) {
    if (a.write) written.push_back(a.slot);
  });
  if (written.empty()) return false;
  for (const module::Instruction& other : function.code) {
    bool reads = false;
    analysis::each_register(image, function, other, [&](analysis::RegisterAccess a) {
      reads |= a.read && std::ranges::find(written, a.slot) != written.end();
    });
    if (reads) return true;
  }
  return false;
}

bool is_mbarrier(isa::Form form) {
  const std::string_view id = isa::info(form).id;
  return id.starts_with("mbarrier") || id == "cp_async_mbarrier_arrive";
}

}  // namespace

PlaceFacts facts_of(const module::Image& image, observe::Place place) {
  const module::Function& function = image.functions[place.function];
  const module::Instruction& instruction = function.code[place.instruction];
  const isa::SlotValues& words = image.mnemonics[instruction.mnemonic].values;
  PlaceFacts facts{.image = &image, .place = place};
  const std::string_view id = isa::info(instruction.form).id;
  facts.is_volatile = words.has(Slot::volatile_);
  facts.asynchronous = id.starts_with("cp_async");
  facts.bulk = facts.asynchronous && id.find("bulk") != id.npos;
  facts.ends_copies = id == "cp_async_mbarrier_arrive";
  const Word sem = words[Slot::sem];
  if (is_mbarrier(instruction.form)) {
    facts.atomic = facts.strong = facts.acquires = facts.releases = true;
    facts.asynchronous = false;
    facts.scope =
        words[Slot::scope] == Word::cluster ? observe::FenceScope::cluster : observe::FenceScope::block;
    return facts;
  }
  facts.atomic = id.starts_with("atom") || id.starts_with("red");
  facts.strong = facts.atomic || facts.is_volatile || words.has(Slot::sem) || words.has(Slot::mmio);
  facts.acquires = sem == Word::acquire || sem == Word::acq_rel;
  facts.releases = sem == Word::release || sem == Word::acq_rel;
  if (facts.strong) {
    facts.compares = facts.atomic && (id.ends_with("cas") || words[Slot::op] == Word::cas);
    // Without a scope an atomic operation is the device's (PTX ISA 9.7.13.5), a volatile access the system's.
    const Word scope = words[Slot::scope];
    facts.scope = facts.atomic && scope == Word::none ? observe::FenceScope::device : exec::scope_of(scope);
    facts.unread = facts.atomic && !is_read(image, function, place.instruction);
    facts.polls = !id.starts_with("red") && PollingCheck(image, function, place.instruction).polls();
  }
  return facts;
}

uint32_t Places::image_number(const std::shared_ptr<const module::Image>& image) {
  const auto [found, fresh] = numbers_.try_emplace(image.get(), static_cast<uint32_t>(images_.size()));
  if (fresh) images_.push_back({image, std::vector<std::vector<PlaceId>>(image->functions.size())});
  return found->second;
}

PlaceId Places::add(uint32_t image_number, observe::Place place, PlaceId& known) {
  if (facts_.size() > most) return most;  // the last one stands for all that come after
  facts_.push_back(facts_of(*images_[image_number].image, place));
  return known = static_cast<PlaceId>(facts_.size() - 1);
}

}  // namespace heddle::checker
