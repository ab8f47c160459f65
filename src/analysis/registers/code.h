// A function as an assembler has it before it hands out registers: what PTX says in several instructions and
// the machine does in one is one operation, and what needs no register is gone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/assembler.gen.h"
#include "analysis/predication.h"
#include "arch/device.h"
#include "module/image.h"

namespace heddle::analysis::registers {

// What decides how a target's assembler uses registers (spec/assembler, docs/reference/registers.md).
struct Machine {
  bool uniform = true;        // values that are the same in all lanes have a file of their own
  uint32_t comfortable = 32;  // registers that cost no resident warps: up to here nothing is done to save any
  Rules rules = all_rules.back();
  PredicationLimit predication;
  uint32_t least = 4, most = 255, unit = 8;
  bool hoists = true;     // what never changes is brought into a register in front of loops
  uint32_t overhead = 2;  // registers that the machine and the calling convention keep
  // Math functions are part of the code by now, as a library's are that the compiler has linked; their own
  // registers are not known.
  bool has_functions = false;
  // For the times of a launch, not for its registers: nothing is issued long before it is needed, constants
  // of loops are brought in front of them, those of stores come along with the store. The tables of
  // docs/reference/timing-error.md were made so.
  bool timed = false;
  bool scales = true;  // an addition of 64 bits takes a product with a constant along
};
Machine machine_of(const arch::Architecture&);

enum class Memory : uint8_t { none, load, store, barrier };

struct Operation {
  uint32_t instruction = 0;  // in Function::code
  uint32_t first = 0;        // in Code::values: uses, then definitions
  uint16_t uses = 0, definitions = 0;
  uint16_t latency = 0;     // clocks until what it defines can be read
  uint8_t temporaries = 0;  // registers that it needs besides
  uint8_t issue = 1;        // clocks
  Memory memory = Memory::none;
  uint8_t space = 0;  // of memory operations: what may be the same place
  // Of memory operations: base value, the constant added to it, and bytes; none: not known.
  uint32_t base = module::none;
  int64_t offset = 0;
  uint32_t bytes = 0;
  bool guarded = false;
  bool stays = false;   // has an effect besides its definitions
  bool splits = false;  // branches to a slow path: what follows is another block to the scheduler
};

struct Range {
  uint32_t first = 0, end = 0;
};

struct Code {
  std::vector<Operation> operations;
  std::vector<uint32_t> values;  // numbers of values
  std::vector<uint8_t> width;    // of each value: registers of 32 bits; 0: it has none
  std::vector<Range> blocks;     // of the function's blocks, in `operations`
  std::vector<std::vector<uint32_t>> successors, predecessors;
  std::vector<std::vector<uint32_t>> vectors;  // values that lie side by side, as one access wants them
  std::vector<bool> parts;                     // of each block: whether lanes may part where it ends
  bool calls = false;
  std::span<const uint32_t> uses(const Operation& o) const { return {values.data() + o.first, o.uses}; }
  std::span<const uint32_t> definitions(const Operation& o) const {
    return {values.data() + o.first + o.uses, o.definitions};
  }
};

// A call of a math function that the module leaves to the host.
bool calls_math(const module::Image&, const module::Function&, const module::Instruction&);

// The function with its small loops repeated; nothing when it has none to repeat.
std::optional<module::Function> unroll(const module::Image&, const module::Function&, const Machine&);

class Loops {
 public:
  explicit Loops(const module::Function&);
  // Whether every way to a block goes through another one.
  bool comes_before(uint32_t first, uint32_t block) const;
  // The block in which something that never changes is made for a use in this one: outside of the loops that
  // use it in every round.
  uint32_t home(uint32_t block) const { return home_[block]; }

 private:
  void leave(const module::Function&, uint32_t head);
  std::vector<uint32_t> dominator_, place_, home_;  // `place_` in an order; none: nobody comes there
};

// Blocks that lanes of a warp may do without the others, where the branches part them that end blocks in
// `parts`.
std::vector<bool> diverged(const module::Function&, const std::vector<bool>& parts);

Code lower(const module::Image&, const module::Function&, const Machine&);

// Makes one of loads, and of stores, of neighbouring words of shared memory. The function is the one that was
// lowered.
void join(Code&, const module::Image&, const module::Function&);

// Makes short branches instructions under a predicate. Blocks that are no more are empty and nobody's
// successors.
void predicate(Code&, const Machine&);

// Values that are live where a block begins, ascending.
std::vector<std::vector<uint32_t>> live_in(const Code&);

// Puts the operations of each block into the order in which an assembler issues them. Thrifty: as it does
// after it has found that the other order would cost resident warps.
void schedule(Code&, const std::vector<std::vector<uint32_t>>& live, const Machine&, bool thrifty);

struct Pressure {
  uint32_t registers = 0;           // at the busiest place
  uint32_t busiest = module::none;  // instruction
};
Pressure pressure(const Code&, const std::vector<std::vector<uint32_t>>& live);

// Gives each value registers for as long as it lives, with the alignment and the parity that it asks for.
// Returns how many there are up to the highest one in use; nothing where there are too many values for that.
std::optional<uint32_t> allocate(const Code&, const std::vector<std::vector<uint32_t>>& live);

}  // namespace heddle::analysis::registers
