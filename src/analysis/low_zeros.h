// How many low bits of registers are known to be 0: how addresses are aligned.
#pragma once

#include <cstdint>
#include <vector>

#include "module/image.h"

namespace heddle::analysis {

class LowZeros {
 public:
  LowZeros(const module::Image& image, const module::Function& function);
  unsigned of_register(uint32_t slot) const { return zeros_[slot]; }
  unsigned of_address(const module::Operand& operand) const;
  static unsigned of_number(uint64_t value);

 private:
  unsigned of_symbol(uint32_t index) const;
  unsigned of(const module::Operand& operand) const;
  unsigned result_of(const module::Instruction& instruction) const;
  unsigned of_product(const module::Operand& a, const module::Operand& b,
                      const module::Instruction& instruction) const;
  void find_sums();

  const module::Image& image_;
  const module::Function& function_;
  std::vector<uint8_t> zeros_;  // by slot
  // By instruction: of one with which a register is what it was at its block's beginning and a constant,
  // however many steps that took, the constant; 0: it is another.
  std::vector<uint64_t> added_;
};

}  // namespace heddle::analysis
