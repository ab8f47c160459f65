// Slots for the registers of one function, given out at first use: declaring %r<100000> costs nothing.
// Registers of a closed scope leave their slots to later ones of their width, so that a function made of a
// thousand inlined pieces of assembly does not carry a thousand times their scratch registers. Later ones are
// those of blocks that open after the scope has closed: control cannot jump from one such block into another
// (a label is known in its own block only, PTX ISA 4.4), while registers of the blocks around live on through
// jumps backward, wherever they are first used. A slot thus holds predicates, or up to 32, 64 or 128 bits, in
// all of its function.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "module/image.h"

namespace heddle::module {

class Registers {
 public:
  void begin() { *this = Registers(); }
  // `depth` is that of the scope that declares it.
  uint32_t add(std::string_view name, isa::Type type, uint32_t depth);
  void close(uint32_t depth);  // the registers of that scope end
  const RegisterInfo& info(uint32_t index) const { return registers_[index]; }
  std::vector<RegisterInfo> take() { return std::move(registers_); }
  uint32_t slots() const { return slots_; }

 private:
  std::vector<RegisterInfo> registers_;
  std::vector<std::vector<uint32_t>> of_scope_;       // by depth: indices of registers
  using Free = std::array<std::vector<uint32_t>, 4>;  // slots by width
  std::vector<Free> free_;  // by depth: what blocks that were in that scope have left
  uint32_t slots_ = 0;
};

}  // namespace heddle::module
