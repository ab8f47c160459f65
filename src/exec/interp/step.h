// One instruction for the active lanes of one warp: all that an eval function sees. An eval reads its sources
// for every lane before it writes any destination of another (lockstep is part of the meaning): use `each`
// for lane-wise instructions, and the lane loops by hand where lanes look at each other (shfl, vote, match,
// mma).
//
// One eval function per form id of spec/isa: `void eval_<id>(Step&)`, declared in the generated
// exec/interp/evals.gen.h; a form without one does not link. Nothing here knows an opcode.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "exec/fault.h"
#include "exec/launch.h"
#include "isa/isa.h"
#include "module/image.h"

namespace heddle::exec::interp {

inline constexpr int warp_size = 32;
using Mask = uint32_t;

class Warp;   // registers, program counters, reconvergence: warp.h
class Block;  // shared memory, barriers, warps: block.h

// A 128-bit value (b128 registers, 16-byte accesses).
struct Wide {
  uint64_t low = 0, high = 0;
  bool operator==(const Wide&) const = default;
};

class Step {
 public:
  Step(Warp& warp, const module::Function& function, const module::Instruction& instruction,
       const isa::SlotValues& words, Mask lanes);

  // ---- the instruction -----------------------------------------------------------------------------------
  const module::Instruction& instruction() const { return instruction_; }
  const module::Function& function() const { return function_; }
  const module::Operand& operand(int i) const { return operands_[i]; }
  std::span<const module::Operand> children(const module::Operand& o) const {
    return {function_.operands.data() + o.first_child, o.child_count};
  }
  bool present(int i) const {
    return i < instruction_.operand_count && operands_[i].kind != module::OperandKind::absent &&
           operands_[i].kind != module::OperandKind::sink;
  }
  const isa::SlotValues& words() const { return words_; }
  isa::Word word(isa::Slot s) const { return words_[s]; }
  bool has(isa::Slot s) const { return words_.has(s); }
  isa::Type type(isa::Slot s = isa::Slot::type) const { return words_.type(s); }

  // ---- lanes
  Mask lanes() const { return lanes_; }  // active, guard already applied
  bool active(int lane) const { return lanes_ >> lane & 1; }
  template <class F>
  void each(F&& f) const {  // f(lane) for each active lane, ascending
    for (Mask rest = lanes_; rest != 0; rest &= rest - 1) f(std::countr_zero(rest));
  }

  // ---- values: T is any trivially copyable type of at most 8 bytes, or Wide
  // A source: register (low bytes), immediate, special register, address
  // of a symbol, function handle.
  template <class T>
  T get(const module::Operand& o, int lane) const {
    if constexpr (std::is_same_v<T, Wide>)
      return get_wide(o, lane);
    else
      return from_bits<T>(get_bits(o, lane));
  }
  template <class T>
  T get(int i, int lane) const {
    return get<T>(operands_[i], lane);
  }
  bool get_predicate(int i, int lane) const;  // applies !p
  // A destination: written with zero extension to the register's 64-bit slot, after sign or zero extension to
  // the register's declared type as the operand's type says (ld, cvt and st are relaxed). A sink or absent
  // operand takes nothing.
  template <class T>
  void set(const module::Operand& o, int lane, T value) {
    if constexpr (std::is_same_v<T, Wide>)
      set_wide(o, lane, value);
    else
      set_bits(o, lane, to_bits(value));
  }
  template <class T>
  void set(int i, int lane, T value) {
    set(operands_[i], lane, value);
  }
  void set_predicate(int i, int lane, bool value);
  // Condition code of the extended-precision instructions (add.cc, addc): one a lane.
  bool carry(int lane) const;
  void set_carry(int lane, bool value);

  uint64_t get_bits(const module::Operand& o, int lane) const;
  Wide get_wide(const module::Operand& o, int lane) const;
  void set_bits(const module::Operand& o, int lane, uint64_t bits);
  void set_wide(const module::Operand& o, int lane, Wide value);

  // ---- memory
  // Where
  // an address operand points for a lane, in `space` (generic addresses are already sorted into their
  // window).
  struct Place {
    module::Space space = module::Space::global;
    uint64_t address = 0;       // as the program sees it in that space
    std::byte* host = nullptr;  // nullptr after a fault
  };
  // Resolves, checks range, alignment (to `bytes`) and permission. On failure the step has faulted and host
  // is nullptr.
  Place place(const module::Operand& address, int lane, uint32_t bytes, bool write);
  Place place(uint64_t address, module::Space space, int lane, uint32_t bytes, bool write);
  uint64_t address_of(const module::Operand& address, int lane) const;  // no check
  module::Space space_of(uint64_t generic_address) const;               // isspacep, generic accesses
  uint64_t to_generic(uint64_t address, module::Space) const;           // cvta
  uint64_t from_generic(uint64_t address, module::Space) const;         // cvta.to

  // ---- faults
  void fault(FaultKind kind, int lane, std::string detail = {});
  bool faulted() const;

  // ---- the world
  Warp& warp() { return warp_; }
  Block& block();
  const Launch& launch() const;

 private:
  template <class T>
  static uint64_t to_bits(T value) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
  }
  template <class T>
  static T from_bits(uint64_t bits) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    return value;
  }
  Warp& warp_;
  const module::Function& function_;
  const module::Instruction& instruction_;
  const isa::SlotValues& words_;
  const module::Operand* operands_;
  Mask lanes_;
};

using Eval = void (*)(Step&);

}  // namespace heddle::exec::interp
