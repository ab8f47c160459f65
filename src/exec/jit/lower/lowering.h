// One PTX instruction on its way to LLVM IR: all that a lower function sees.
//
// One lower function per form id of spec/isa, `void lower_<id>(Lowering&)`, found by tools/gen by that text,
// like the evals of the reference executor; a form without one becomes a `step` operation by itself (the
// reference evaluates it for the warp). A lower function emits for one thread; it never looks at lanes.
//
// Guards are not its business: a guarded instruction is lowered in a branch of its own, or, when
// `lower_<id>` only computes (its destinations are registers and it calls no operation with an effect), its
// results are selected.
#pragma once

#include <span>
#include <string_view>

#include "exec/jit/ir/ops.h"
#include "exec/jit/ir/program.h"
#include "isa/isa.h"
#include "llvm/IR/IRBuilder.h"
#include "module/image.h"

namespace heddle::exec::jit {

class FunctionLowering;  // a function body in work: function_lowering.h

// Of the buffer that its parameters lie in.
inline uint64_t parameter_bytes(const module::Function& function) {
  const auto& params = function.signature.params;
  return params.empty() ? 0 : params.back().offset + params.back().size;
}

class Lowering {
 public:
  Lowering(FunctionLowering& function, const module::Instruction& instruction);

  llvm::IRBuilder<>& ir();
  llvm::LLVMContext& context();
  const Meaning& meaning() const;

  // ---- the instruction, as in exec/interp/step.h
  const module::Instruction& instruction() const { return instruction_; }
  const module::Function& function() const;
  const module::Image& image() const;
  const module::Operand& operand(int i) const { return operands_[i]; }
  std::span<const module::Operand> children(const module::Operand& o) const;
  std::span<const module::Operand> parts(const module::Operand& o) const;  // of a vector, or itself
  bool present(int i) const;
  const isa::SlotValues& words() const;
  isa::Word word(isa::Slot s) const { return words()[s]; }
  bool has(isa::Slot s) const { return words().has(s); }
  isa::Type type(isa::Slot s = isa::Slot::type) const { return words().type(s); }

  // ---- types
  llvm::Type* value_type(isa::Type type);  // i1, iN, float for f32, double for f64, iN for all else
  llvm::IntegerType* integer(unsigned bits);

  // ---- values. A source of its operand's type: register, immediate, special register, address of a symbol,
  // function handle. Negation (-a) and components (.b0, .h1 of video operands) are left to the caller.
  llvm::Value* get(const module::Operand& o);  // float and double as such
  llvm::Value* get(int i) { return get(operand(i)); }
  llvm::Value* get_bits(const module::Operand& o);  // as an integer of the operand's width
  llvm::Value* get_bits(int i) { return get_bits(operand(i)); }
  llvm::Value* get_predicate(const module::Operand& o);  // i1, applies !p
  llvm::Value* get_predicate(int i) { return get_predicate(operand(i)); }
  // A destination, of the operand's type or as bits of its width; sign or zero extended to the register's
  // declared type. A sink or absent operand takes nothing.
  void set(const module::Operand& o, llvm::Value* value);
  void set(int i, llvm::Value* value) { set(operand(i), value); }
  // Condition code of the extended-precision instructions.
  llvm::Value* carry();  // i1
  void set_carry(llvm::Value* value);

  // ---- memory: the address of an address operand, i64, in its space
  llvm::Value* address(const module::Operand& o);
  llvm::Value* address(int i) { return address(operand(i)); }

  // ---- operations
  llvm::CallInst* op(Op op, llvm::Type* result, llvm::ArrayRef<llvm::Value*> arguments);
  llvm::Value* imm(uint64_t value, unsigned bits = 32);
  // What orders threads says so before it does; a and b are i32, nullptr: 0.
  void tells(observe::SyncKind kind, llvm::Value* a = nullptr, llvm::Value* b = nullptr);
  bool tells_compared() const;  // of compare and swaps, which changed memory
  void step();                  // leaves this instruction to the reference executor
  // The program cannot be lowered, or not for vectors: Needs. What is emitted after that does not count.
  void need_reference(std::string_view reason);
  void need_independent_warps();
  void need_independent_threads();

  FunctionLowering& body() { return function_; }

 private:
  void observe_access(Op op, llvm::Type* result, llvm::ArrayRef<llvm::Value*> arguments);
  bool is_spared(llvm::ArrayRef<llvm::Value*> access) const;

  FunctionLowering& function_;
  const module::Instruction& instruction_;
  const module::Operand* operands_;
};

using LowerFunction = void (*)(Lowering&);

}  // namespace heddle::exec::jit
