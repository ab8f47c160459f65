// A function body in work: its registers, variables and blocks. One for each call that is lowered in place.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "exec/jit/lower/program_lowering.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "module/image.h"

namespace heddle::math {
struct Function;
}

namespace heddle::exec::jit {

class Lowering;

class FunctionLowering {
 public:
  // `frame`: where the function's frame lies in the thread's local memory. `call`: the site of the call.
  FunctionLowering(ProgramLowering& program, uint32_t function, uint32_t frame,
                   const FunctionLowering* caller, uint32_t call);

  // The body from the builder's place on; afterwards the builder stands where it returns to.
  void lower();

  ProgramLowering& program() { return program_; }
  llvm::IRBuilder<>& ir() { return program_.ir; }
  const module::Function& function() const { return function_; }
  uint32_t site() const { return site_; }  // of the instruction that is lowered
  std::span<const module::Operand> children(const module::Operand& o) const {
    return {function_.operands.data() + o.first_child, o.child_count};
  }

  // ---- registers, by slot and declared type
  llvm::Value* read(uint32_t slot, isa::Type declared);  // as it is kept: float, double or an integer
  void write(uint32_t slot, isa::Type declared, llvm::Value* value);  // of any type of its width
  llvm::Value* read_carry();
  void write_carry(llvm::Value* value);

  // ---- variables
  llvm::Value* symbol_address(uint32_t symbol);  // i64, in the symbol's space
  void fix(uint32_t symbol);                     // keeps a local variable in memory

  // ---- control flow; the builder's block ends, the next instruction finds a new one
  llvm::BasicBlock* block_at(uint32_t instruction);
  void leave();  // ret
  void exit();   // exit
  void trap(uint32_t fault_kind);
  void tells(observe::SyncKind kind, llvm::Value* a = nullptr, llvm::Value* b = nullptr);
  void call(const module::Instruction& instruction, uint32_t callee);
  // Two ways that meet again: neither knows what the other one read or wrote, and behind them nothing is
  // known.
  void choose(llvm::Value* condition, llvm::BasicBlock* yes, llvm::function_ref<void()> lower_yes,
              llvm::BasicBlock* no, llvm::function_ref<void()> lower_no, llvm::BasicBlock* next);
  // A call of the function with this handle, one of `candidates`.
  void call(const module::Instruction& instruction, llvm::Value* handle,
            std::span<const uint32_t> candidates);
  // Whether the body is, or was called from, one of this function.
  bool is_active(uint32_t function) const;

 private:
  struct Write {
    llvm::AllocaInst* place;
    llvm::Value* value;
  };
  llvm::AllocaInst* place(uint32_t slot, isa::Type declared);
  llvm::AllocaInst* make_register(llvm::Type* type);
  void store(llvm::AllocaInst* to, llvm::Value* value);
  llvm::Value* load(llvm::AllocaInst* from);
  uint32_t variable(uint64_t offset, uint64_t bytes, uint32_t align);  // of the frame
  uint32_t variable(uint32_t symbol);
  void begin();
  void lower_instruction(uint32_t index);
  bool observes(observe::Needs need) const { return (program_.meaning.observed & need) != 0; }
  void lower_plain(const module::Instruction& instruction);
  // ---- for who observes values (told_values.cpp)
  using Values = llvm::SmallVector<llvm::Value*, 4>;
  std::span<const Number> told_numbers(const module::Instruction& instruction);
  void read_numbers(Lowering& lowering, std::span<const Number> numbers, bool results, Values& values);
  void tell_values(const module::Instruction& instruction, std::span<const Number> numbers,
                   const Values& values);
  void lower_guarded(const module::Instruction& instruction);
  bool is_variable(const module::Operand& o) const;
  std::vector<llvm::Value*> argument_parts(const module::Operand& argument);
  void bind_arguments(std::span<const module::Operand> arguments, FunctionLowering& callee);
  void call_by_frame(std::span<const module::Operand> results, std::span<const module::Operand> arguments,
                     uint32_t index, FunctionLowering& callee);
  void call_math(const module::Instruction& instruction, const math::Function& function);
  void give_results(std::span<const module::Operand> results, FunctionLowering& callee);

  ProgramLowering& program_;
  const uint32_t index_;
  const module::Function& function_;
  const RegisterUse& register_use_;
  const uint32_t frame_;
  const FunctionLowering* caller_;
  const uint32_t call_;  // site of the call in the caller
  uint32_t site_ = module::none;
  llvm::Instruction* prologue_ = nullptr;  // registers are zeroed before it
  llvm::BasicBlock* back_ = nullptr;       // where ret goes
  std::vector<llvm::BasicBlock*> blocks_;
  std::unordered_map<uint64_t, llvm::AllocaInst*> registers_;    // by slot and bits
  std::map<std::pair<uint64_t, uint64_t>, uint32_t> variables_;  // offset, bytes -> ThreadProgram::variables
  llvm::AllocaInst* carry_ = nullptr;
  // What registers hold here, where that is known: it saves LLVM most of the way to SSA form.
  llvm::DenseMap<llvm::AllocaInst*, llvm::Value*> known_;
  bool deferred_ = false;  // writes wait: whether the guard is a branch or a select is decided later
  std::vector<Write> writes_;
  bool sees_writes_ = false;  // those that wait are read
};

}  // namespace heddle::exec::jit
