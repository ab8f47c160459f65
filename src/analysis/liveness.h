// Which registers hold a value that is still needed, block by block and instruction by instruction.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "module/image.h"

namespace heddle::analysis {

// A register counts as live where it may be read later and something may have written it before: a register
// written only under a guard is not live from the function's beginning. A write under a guard ends nothing.
class Liveness {
 public:
  Liveness(const module::Image& image, const module::Function& function);
  std::span<const uint32_t> live_in(uint32_t block) const { return live_in_[block]; }  // slots, ascending
  std::vector<uint32_t> live_out(uint32_t block) const;                                // ascending

  // Calls visit(instruction index, slots live behind it, in no order) for a block's instructions, last first.
  // A slot that the instruction writes and nobody reads is not among them.
  template <class Visit>
  void walk(uint32_t block, Visit&& visit) const;

 private:
  struct Uses {
    std::vector<uint32_t> exposed, killed,
        written;  // slots: read before any write, surely written, maybe written
  };
  void collect(std::vector<Uses>& uses) const;
  void solve(const std::vector<Uses>& uses);
  void step(const module::Instruction& instruction, std::vector<uint32_t>& live,
            std::vector<uint32_t>& place) const;

  const module::Image& image_;
  const module::Function& function_;
  std::vector<std::vector<uint32_t>> live_in_;
};

template <class Visit>
void Liveness::walk(uint32_t block, Visit&& visit) const {
  std::vector<uint32_t> live = live_out(block);
  std::vector<uint32_t> place(function_.register_slots, module::none);  // of a slot in `live`
  for (uint32_t i = 0; i < live.size(); ++i) place[live[i]] = i;
  const module::Block& b = function_.blocks[block];
  for (uint32_t i = b.end; i-- > b.first;) {
    visit(i, std::span<const uint32_t>(live));
    step(function_.code[i], live, place);
  }
}

}  // namespace heddle::analysis
