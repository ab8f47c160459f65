// Where the values of a function are to an assembler: in registers, or in something that takes none.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/accesses.h"
#include "analysis/registers/code.h"

namespace heddle::analysis::registers {

enum class Place : uint8_t {
  register_,
  constant,  // an immediate operand
  bank,      // the bank of constants with the arguments and the launch's dimensions
  uniform,   // the file of uniform registers
  copy,      // another value
  offset,    // another value and a constant, as addresses add it
  scaled,    // another value, widened, times a constant: part of the addition that uses it
};

struct Value {
  Place place = Place::register_;
  uint32_t of = module::none;  // copy, offset, scaled
  uint32_t definitions = 0;
  uint32_t definition = module::none;  // instruction, of values with one
  uint32_t uses = 0;                   // of values with a register or not, as long as something needs them
  uint32_t other_uses = 0;             // than as an address, or a sum with a constant that is only one
  uint32_t unscaled_uses = 0;          // than in additions of 64 bits
  int64_t constant = 0;                // of offset
  uint32_t last_use = 0;               // instruction
  bool used_elsewhere = false;         // in another block than that of its definition
  bool guarded = false;
};

class Values {
 public:
  Values(const module::Image&, const module::Function&, const Machine&);

  const module::Instruction& at(uint32_t i) const { return function_.code[i]; }
  const isa::SlotValues& words(const module::Instruction& x) const {
    return image_.mnemonics[x.mnemonic].values;
  }
  const module::Operand& operand(const module::Instruction& x, uint32_t i) const {
    return function_.operands[x.first_operand + i];
  }
  template <class Visit>
  void registers_of(const module::Instruction& x, Visit&& visit) const {
    each_register(image_, function_, x, visit);
  }

  const Value& operator[](uint32_t slot) const { return values_[slot]; }
  uint32_t resolved(uint32_t slot) const {
    while (values_[slot].place >= Place::copy) slot = values_[slot].of;
    return slot;
  }
  Place place(uint32_t slot) const { return values_[resolved(slot)].place; }
  bool constant(const module::Operand&) const;
  // Whether the operand is zero, for which there is a register that always is.
  bool zero(const module::Operand&) const;
  bool needed(uint32_t instruction) const { return needed_[instruction]; }
  // Whether the branch that ends a block may part the lanes of a warp.
  bool parts(const module::Block& block) const {
    const uint32_t guard = block.first == block.end ? module::none : at(block.end - 1).guard;
    return guard != module::none && place(guard) == Place::register_;
  }
  // Blocks that lanes may do without the others.
  bool parted(uint32_t block) const { return parted_[block]; }
  const std::vector<uint8_t>& width() const { return width_; }  // by slot

 private:
  void widths();
  void count();
  bool single(uint32_t slot) const { return values_[slot].definitions == 1 && !values_[slot].guarded; }
  uint32_t plus_constant(const module::Instruction&) const;
  void find_address_uses();
  bool fixed(const module::Operand&) const;
  void find_shared_addresses();
  void look_at_use(const module::Operand&, bool reaches_memory, bool only_address, bool sums);
  Place of_operands(const module::Instruction&) const;
  Place of_special(isa::SpecialRegister) const;
  void put(uint32_t slot, Place where, uint32_t of = module::none) {
    values_[slot].place = where;
    values_[slot].of = of;
  }
  void classify(uint32_t i);
  bool unchanged(uint32_t root, uint32_t i, uint32_t sum) const;
  void count_pair_uses();
  bool extends_with_zeros(const module::Instruction&) const;
  bool is_block_index(const module::Instruction&) const;
  bool find_lane_uses();
  bool is_scaled(const module::Instruction&) const;
  bool is_scaled_address(const module::Instruction&) const;
  void drop_what_nobody_reads();
  std::vector<bool> find_parted() const;

  const module::Image& image_;
  const module::Function& function_;
  const Machine& machine_;
  std::vector<Value> values_;
  std::vector<uint8_t> width_;
  std::vector<bool> needed_;
  std::vector<std::vector<uint32_t>> definitions_of_;  // by slot
  std::vector<bool> parted_;
  std::vector<uint32_t> pair_uses_;  // by slot
  std::vector<bool> with_lanes_;     // by slot: an index of a block that lanes use
  std::vector<bool> only_shared_;    // by slot: only an address of shared memory
};

}  // namespace heddle::analysis::registers
