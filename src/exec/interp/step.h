// One instruction for the active lanes of one warp: all that an eval function sees. An eval reads its sources
// for every lane before it writes any destination of another (lockstep is part of the meaning): use `each`
// for lane-wise instructions, and the lane loops by hand where lanes look at each other (shfl, vote, match,
// mma).
//
// One eval function per form id of spec/isa: `void eval_<id>(Step&)`, found by tools/gen by that text and
// declared in the generated exec/interp/evals.gen.h; find_eval gives nullptr for a form without one. Nothing
// here knows an opcode.
#pragma once

#include <array>
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

class Warp;         // program counters, divergence, call stacks: warp.h
class Block;        // shared memory, barriers, warps: block.h
struct Activation;  // one call of a function, with its registers: warp.h

// A 128-bit value (b128 registers, 16-byte accesses).
struct Wide {
  uint64_t low = 0, high = 0;
  bool operator==(const Wide&) const = default;
};

// What a value of a type looks like in a register's 64-bit slot.
struct Fit {
  uint64_t mask = ~uint64_t{0};
  uint8_t bits = 64;
  bool is_signed = false;
};
extern const std::array<Fit, isa::type_count> type_fits;  // by isa::Type

class Step {
 public:
  Step(Warp& warp, Activation& activation, const module::Instruction& instruction, Mask lanes);

  // ---- the instruction -----------------------------------------------------------------------------------
  const module::Instruction& instruction() const { return instruction_; }
  const module::Function& function() const { return function_; }
  const module::Operand& operand(int i) const { return operands_[i]; }
  const module::Operand& operand(int i, int lane) const {  // of the instruction at which the lane stands
    return mixed_ == nullptr ? operands_[i] : mixed_[lane].operands[i];
  }
  std::span<const module::Operand> children(const module::Operand& o) const {
    return {function_.operands.data() + o.first_child, o.child_count};
  }
  // The registers of an operand: the elements of a braced vector, or the one that stands there alone.
  std::span<const module::Operand> parts(const module::Operand& o) const {
    if (o.kind == module::OperandKind::vector) return children(o);
    return {&o, 1};
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
  template <class F>
  void each_from_last(F&& f) const {
    for (Mask rest = lanes_; rest != 0;) {
      const int lane = std::bit_width(rest) - 1;
      rest &= ~(Mask{1} << lane);
      f(lane);
    }
  }

  // ---- lanes that look at each other
  // ----------------------------------------------------------------------- The .sync instructions with a
  // membermask begin with `if (!s.collect(i)) return;`, those that the whole warp must execute
  // (mma.sync.aligned, ldmatrix, ...) with `if (!s.collect_warp()) return;`. When the members are not all
  // here yet, the answer is false and the lanes wait; the eval runs again, once for each set of members, when
  // the last one arrives: lanes() are then all of them. With independent thread scheduling they may stand at
  // different instructions of the same mnemonic, or in different activations: read and write operands by
  // their index (get<T>(i, lane)), not through operand(i). Earlier devices wait for nobody: lanes() are the
  // active ones.
  bool collect(int membermask);
  bool collect_warp();
  // An eval whose result depends on what other threads do (atomics, volatile, relaxed and acquire loads,
  // test_wait, clocks) says so: a loop around it then gives way early to those that it may be waiting for.
  void polls();
  void leaves_another_value();  // in memory
  // An atomic operation says so to who watches.
  void changes();
  void compared(int lane, bool equal);  // a compare and swap found what it compared with
  // What orders threads says so before it does (observe::SyncKind). The operands are those of a and b, -1:
  // there is none.
  void tells(observe::SyncKind kind, int a = -1, int b = -1);
  void tells(observe::SyncKind kind, Mask lanes, uint32_t a, uint32_t b);

  // ---- values: T is any trivially copyable type of at most 8 bytes, or Wide
  // -------------------------------- A source: register (low bytes), immediate, special register, address of
  // a symbol, function handle. Negation (-a) and components (.b0, .h1 of video operands) are left to the
  // eval.
  template <class T>
  T get(const module::Operand& o, int lane) const {
    if constexpr (std::is_same_v<T, Wide>)
      return get_wide(o, lane);
    else
      return from_bits<T>(get_bits(o, lane));
  }
  template <class T>
  T get(int i, int lane) const {
    return get<T>(operand(i, lane), lane);
  }
  bool get_predicate(int i, int lane) const { return get_predicate(operand(i, lane), lane); }
  bool get_predicate(const module::Operand& o, int lane) const {  // applies !p
    return ((get_bits(o, lane) & 1) != 0) != o.negated;
  }
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
    set(operand(i, lane), lane, value);
  }
  void set_predicate(int i, int lane, bool value) { set_bits(operand(i, lane), lane, value ? 1 : 0); }
  // Condition code of the extended-precision instructions (add.cc, addc): one a lane.
  bool carry(int lane) const;
  void set_carry(int lane, bool value);

  uint64_t get_bits(const module::Operand& o, int lane) const {
    if (o.kind == module::OperandKind::reg) return registers(lane)[slot(o.reg, lane)];
    return other_bits(o, lane);
  }
  Wide get_wide(const module::Operand& o, int lane) const;
  void set_bits(const module::Operand& o, int lane, uint64_t bits) {
    if (o.kind == module::OperandKind::reg) registers(lane)[slot(o.reg, lane)] = fit(o, bits);
  }
  void set_wide(const module::Operand& o, int lane, Wide value);

  // ---- memory
  // ---------------------------------------------------------------------------------------------- Where an
  // address operand points for a lane, in `space` (generic addresses are already sorted into their window).
  // Addresses in .shared are a block's rank in the cluster and an offset in its memory (shared_address); in
  // .local offsets in the thread's; in .param offsets in the thread's local memory, or from
  // windows.param_base on in the kernel's parameters.
  struct Place {
    module::Space space = module::Space::global;
    uint64_t address = 0;       // as the program sees it in that space
    std::byte* host = nullptr;  // nullptr after a fault
  };
  // Resolves, checks range, alignment (to `bytes`) and permission. On failure the step has faulted and host
  // is nullptr.
  Place place(const module::Operand& address, int lane, uint32_t bytes, bool write);
  Place place(uint64_t address, module::Space space, int lane, uint32_t bytes, bool write);
  uint64_t address_of(const module::Operand& address, int lane) const {  // no check
    if (address.is_pointer64 && address.index == module::none)
      return registers(lane)[slot(address.reg, lane)] + address.value;
    return other_address(address, lane);
  }
  module::Space space_of(uint64_t generic_address) const;        // isspacep, generic accesses
  uint64_t to_generic(uint64_t address, module::Space) const;    // cvta
  uint64_t from_generic(uint64_t address, module::Space) const;  // cvta.to

  // The handle that a texture, sampler or surface operand stands for: what is bound to a symbol, a register's
  // value, or what the caller gave for a parameter of an opaque type (PTX ISA 5.3).
  uint64_t handle(const module::Operand& reference, int lane);

  // ---- faults
  void fault(FaultKind kind, int lane, std::string detail = {});
  bool faulted() const;
  // The lanes wait for others, or others do it for them: this step did nothing (see collect).
  bool handed_on() const { return handed_on_; }

  // ---- the world
  Warp& warp() { return warp_; }
  Activation& activation() { return activation_; }
  Block& block();
  const Launch& launch() const;
  const module::Image& image() const;

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
  struct Source {  // of one lane, where lanes stand at different instructions
    const module::Operand* operands;
    uint64_t* registers;
  };
  friend class Warp;  // which makes steps of mixed lanes

  static std::size_t slot(uint32_t reg, int lane) {
    return std::size_t{reg} * warp_size + static_cast<std::size_t>(lane);
  }
  uint64_t* registers(int lane) const { return mixed_ == nullptr ? registers_ : mixed_[lane].registers; }
  uint64_t other_bits(const module::Operand& o, int lane) const;
  uint64_t other_address(const module::Operand& o, int lane) const;
  uint64_t symbol_address(uint32_t symbol, int lane) const;
  static uint64_t fit(const module::Operand& o, uint64_t bits) {
    const Fit& type = type_fits[static_cast<std::size_t>(o.type)];
    bits &= type.mask;
    return o.type == o.declared ? bits : extend(o, type, bits);
  }
  static uint64_t extend(const module::Operand& o, const Fit& type, uint64_t bits);
  Place fail(FaultKind kind, int lane, uint64_t address, module::Space space, uint32_t bytes, bool write,
             std::string detail);

  Warp& warp_;
  Activation& activation_;
  const module::Function& function_;
  const module::Instruction& instruction_;
  const isa::SlotValues& words_;
  const module::Operand* operands_;
  uint64_t* registers_;
  const Source* mixed_ = nullptr;
  bool collected_ = false;
  bool handed_on_ = false;
  Mask lanes_;
};

using Eval = void (*)(Step&);

}  // namespace heddle::exec::interp
