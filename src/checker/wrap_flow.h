// Integers that did not fit, and what becomes of them: from the sum, difference or product of a signed type
// whose result is not its number, to where somebody takes the result as a number and it is seen.
//
// PTX does not say of a sum whether it is meant as one of signed numbers (compilers write .s32 for both), and
// its lowest bits are right anyway. So nothing is told of a sum alone, but of one that is compared as a
// signed number, widened with its sign, divided, made a floating-point number or shifted as such; and of that
// only if what comes of it decides a branch, is stored or is part of an address. What a guard switches off or
// a selection does not choose was computed ahead of its time, and means nothing.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "exec/wrap_use.gen.h"
#include "module/image.h"
#include "observe/operands.h"

namespace heddle::checker {

struct WrapEvents {
  enum class End : uint8_t { branch, stored, address };
  uint64_t count = 0;    // lanes that saw it
  observe::Place taken;  // where it was taken as a number, the first time
  observe::Place seen;   // where that was seen
  End end{};
  std::array<uint32_t, 3> block{};
  uint32_t thread = 0;  // of the block
  std::array<int64_t, 3> sources{};
  unsigned source_count = 0;  // 0: they are not known any more
  unsigned bits = 32;
  exec::Wrap wrap{};
};

// Of one launch, all of whose events come from one thread.
class WrapFlow final : public observe::OperandSink {
 public:
  explicit WrapFlow(const module::Image& image) : image_(image), functions_(image.functions.size()) {}
  void executed(const observe::Executed& executed) override;
  void access(const observe::Access& access) override;  // of an instruction, behind executed()
  void sync(const observe::Sync& sync) override;
  const std::map<observe::Place, WrapEvents>& events() const { return events_; }  // by the sum's place

 private:
  // What a register holds, by lane.
  struct Register {
    observe::Mask wrapped = 0;  // its lowest bits are right, and it is not its number
    observe::Mask taken = 0;    // it comes of one that was taken as a number
    // Where either is so: where that came to be, which of values_ it had, and where it was taken.
    std::array<uint32_t, 32> birth{}, number{};
    std::array<observe::Place, 32> taken_at{};
    // Lane `to` holds what lane `of` of the other one does.
    void copy(unsigned to, const Register& from, unsigned of) {
      birth[to] = from.birth[of], number[to] = from.number[of], taken_at[to] = from.taken_at[of];
    }
  };
  struct Birth {
    observe::Place place;
    unsigned bits = 32;
    exec::Wrap wrap{};
  };
  // Of the last of them what was added. Programs that make random numbers wrap all the time.
  struct Values {
    uint32_t number = 0;
    std::array<int64_t, 3> sources{};
  };
  static constexpr std::size_t most_values = 1 << 16;
  struct Source {
    uint32_t slot = 0;
    uint8_t operand = 0;  // of the instruction
    bool is_signed = false, is_address = false;
  };
  struct Instruction {
    bool known = false;
    exec::WrapUse use;
    exec::Wrap wraps = exec::Wrap::none;
    unsigned bits = 0;
    uint32_t birth = module::none;  // into births_
    bool interprets = false, decides = false, stores = false, loads = false, logic_and = false,
         logic_or = false;
    bool low = false;  // of a product, its lower half
    bool carries = false;
    std::vector<Source> sources;
    std::vector<uint32_t> results;
  };
  using Registers = std::unordered_map<uint32_t, Register>;
  struct Key {
    std::array<uint32_t, 3> block{};
    uint32_t warp = 0;
    uint64_t call = 0;
    auto operator<=>(const Key&) const = default;
  };
  Instruction& instruction(observe::Place place);
  observe::Mask wrapped_lanes(const Instruction& i, const observe::Executed& e) const;
  void see(const observe::Executed& e, const Register& r, observe::Mask lanes, WrapEvents::End end);
  void born(Instruction& i, const observe::Executed& e, unsigned lane, Register& result);

  // Of a thread's own memory: a word that holds something of this, by its lane's part of a Register.
  struct Local {
    std::array<uint32_t, 3> block{};
    uint32_t thread = 0;  // of the block
    uint64_t address = 0;
    auto operator<=>(const Local&) const = default;
  };
  // What the last instruction that accesses memory would store, or where it loads to.
  struct Pending {
    observe::Executed executed;
    Register value;
    uint32_t result = module::none;  // slot
  };

  const module::Image& image_;
  std::vector<std::vector<Instruction>> functions_;
  std::map<Key, Registers> registers_;  // only those that hold something of this
  Pending pending_;
  std::map<Local, Register> local_;  // lane 0 of each
  std::vector<Birth> births_;
  std::vector<Values> values_ = std::vector<Values>(most_values);
  uint32_t number_ = 0;
  std::map<observe::Place, WrapEvents> events_;
};

}  // namespace heddle::checker
