// What the assembler of capabilities 1.x makes of PTX that those of later ones do not: 32-bit addresses,
// operands in shared memory, registers for its addresses. Read from published disassemblies of programs that
// NVIDIA's compilers made for 1.0 (spec/timing/machines.toml, g80).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "module/image.h"
#include "timing/program.h"

namespace heddle::timing {

class Lower1x {
 public:
  // How many instructions of the function write and read each slot; both stay.
  Lower1x(const module::Function&, const Machine&, const std::vector<uint32_t>& writers,
          const std::vector<uint32_t>& readers);

  // An instruction behind the one before. `body` has those before, and the registers of this one.
  void lower(const module::Instruction&, Operation&, Body& body);

 private:
  void take_integers(const module::Instruction&, Operation&) const;
  void take_special_register(const module::Instruction&, Operation&) const;
  void take_address(const module::Instruction&, Operation&, const Body&);
  void take_shared_operand(const module::Instruction&, Operation&, Body&);
  void forget(const module::Instruction&, const Operation&, const Body&);

  uint32_t fill(uint32_t slot);
  const module::Operand* address_of(const module::Instruction&) const;
  const module::Operand& operand(const module::Instruction&, uint32_t number) const;
  std::string_view opcode(const module::Instruction&) const;
  bool is_arithmetic(const Operation&) const;
  void become_integer(Operation&) const;

  static constexpr uint32_t none_ = ~0U;
  const module::Function& function_;
  const Machine& m_;
  const std::vector<uint32_t>&writers_, &readers_;
  std::vector<uint32_t> shared_loads_;  // by slot: the load that could be an operand
  std::vector<uint32_t> addresses_;  // the slots whose values address registers have, the last used in front
};

}  // namespace heddle::timing
