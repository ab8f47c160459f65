// One random instruction of a random program: a form of the instruction tables, words that its module may
// use, and operands out of a fixed set of registers.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/isa.h"
#include "ptx/random_program.h"

namespace heddle::ptx::testing {

// Registers that hold random values: `name` followed by 0 to count - 1.
struct RegisterPool {
  std::string_view name;
  isa::Type type;
  unsigned count;
};

struct Setting {  // what holds for the whole program
  isa::Version version;
  const isa::TargetInfo* target;
  RandomProgramOptions options;
  uint32_t threads;
  std::vector<RegisterPool> pools;
  bool allows(const isa::Needs& needs) const;
  bool has(isa::Opcode opcode, std::string_view form) const;
};

class RandomInstructions {
 public:
  enum class Kind : uint8_t { plain, memory, collective };

  RandomInstructions(const Setting& setting, const std::function<uint32_t(uint32_t)>& choose);

  // Code with its line ends, or nothing when no instruction came out of some tries. `guard` is "" or "@%p1 ".
  std::string plain(const std::string& guard) { return write(Kind::plain, guard); }
  // Needs %in, %own (64 bits), %slot (32 bits), the variables sh, lo and co, and %m0 to %m3 for itself.
  std::string memory(const std::string& guard) { return write(Kind::memory, guard); }
  // For places that all threads of the block reach together.
  std::string collective() { return write(Kind::collective, ""); }

  // "" when there is none. `bits`: with a register of this width and no other.
  std::string register_for(isa::Type type, bool relaxed = false, unsigned bits = 0);
  std::string register_of(std::string_view pool);

 private:
  static bool is(Kind kind, const isa::FormInfo& form);
  std::string write(Kind kind, const std::string& guard);
  std::string attempt(Kind kind, const isa::FormInfo& form, const std::string& guard);
  bool words_allowed(const isa::FormInfo& form) const;
  bool memory_allowed(const isa::FormInfo& form, uint32_t& bytes) const;
  std::string address(const isa::FormInfo& form, uint32_t bytes, std::string& before);
  std::string operands(const isa::FormInfo& form, const std::string& address);
  std::string operand(const isa::FormInfo& form, std::size_t index);
  std::string braced(unsigned count, isa::Type type, bool relaxed, bool write, bool may_sink, bool tile);
  std::string immediate(isa::Type type);
  std::string fresh(isa::Type type, bool relaxed, bool write, unsigned bits = 0);
  unsigned width(std::string_view name) const;

  const Setting& setting_;
  const std::function<uint32_t(uint32_t)>& choose_;
  std::vector<const isa::FormInfo*> forms_[3];
  isa::SlotValues words_;
  std::vector<std::string> written_;  // registers that this instruction writes
  bool in_braces_ = false;
  bool integers_ = true, floats_ = true;  // registers that may stand where an operand has no type but a size
};

}  // namespace heddle::ptx::testing
