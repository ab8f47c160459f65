// Emits the instructions of a region for one unit: a group (fast code) or a warp under masks (slow code).
#pragma once

#include "exec/jit/ir/ops.h"
#include "exec/jit/vectorize/weaver.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace heddle::exec::jit {

class Unit {
 public:
  Unit(Weaver& weaver, const Region& region, const llvm::DenseSet<const llvm::Value*>& crossing, bool slow);

  const Patterns& patterns() const { return patterns_; }
  const Flow& flow() const { return flow_; }
  unsigned vectors() const { return vectors_; }
  bool slow() const { return slow_; }
  bool masked() const { return !mask_.empty(); }  // slow code always, fast code in short parts
  // The threads of the block, and the lanes of a vector, behind which none is ever active under a mask.
  unsigned at_work() const { return at_work_; }
  unsigned lanes_at_work(unsigned j) const;

  // ---- values. Ask for operands before opening blocks of your own: what was asked for is kept for the rest
  // of the program's block.
  Rep get(const llvm::Value* value);
  void define(const llvm::Instruction* instruction, Rep rep);
  void define_element(const llvm::Instruction* aggregate, unsigned element, Rep rep);
  // What was asked for in a block that does not dominate what follows is forgotten again.
  using Known = llvm::DenseMap<const llvm::Value*, Rep>;
  const Known& known() const { return known_; }
  void forget_but(const Known& known) { known_ = known; }
  void begin_block() { known_.clear(), elements_.clear(); }
  // Where a value that crosses blocks lives: one alloca a part; SROA makes SSA of them.
  llvm::ArrayRef<llvm::AllocaInst*> home(const llvm::Value* value);
  // Homes are cleared before this instruction, which all ways into slow code come through.
  void clear_homes_before(llvm::Instruction* place) { clear_ = place; }
  // Those that the block fills: what was there is not used again, and LLVM need not follow it any further.
  void clear_homes(const llvm::BasicBlock& block);
  bool has_home(const llvm::Value* value) const { return crossing_.contains(value); }
  Rep convert(const Rep& rep, const Pattern& to);  // to a pattern that says less

  void emit(const llvm::Instruction& instruction);

  // ---- masks: of a vector, nullptr where there is none
  llvm::Value* mask(unsigned j) const { return masked() ? mask_[j] : nullptr; }
  void drop_mask() { mask_.clear(); }
  void set_mask(llvm::ArrayRef<llvm::Value*> mask) { mask_.assign(mask.begin(), mask.end()); }
  llvm::ArrayRef<llvm::Value*> masks() const { return mask_; }
  llvm::Value* bits(llvm::Value* mask) const;  // as an integer
  llvm::Value* any(llvm::ArrayRef<llvm::Value*> masks) const;
  llvm::Value* any_of(unsigned j) const;  // a lane of the vector is active; without masks: true
  llvm::Value* full_mask() const;

  // ---- where the unit stands
  // Its number: of the group, or of the warp in the block, and its first vector in the block (both i32).
  void set_place(llvm::Value* number, llvm::Value* first_vector) {
    number_ = number, first_vector_ = first_vector;
  }
  llvm::Value* first_vector() const { return first_vector_; }
  llvm::Value* first_thread() const;
  llvm::Value* thread_of(unsigned j, llvm::Value* lane) const;  // i32
  llvm::Value* warp_number(unsigned warp) const;                // of the block
  unsigned warps() const { return vectors_ / weaver_.geometry.warp_vectors(); }

  Weaver& weaver() { return weaver_; }

 private:
  void emit_operation(const llvm::CallInst& call, Op op);
  void emit_identity(const llvm::CallInst& call, Op op);
  void emit_slot(const llvm::CallInst& call, Op op);
  void emit_scalars(const llvm::Instruction& i, const Pattern& pattern);
  void emit_xored(const llvm::Instruction& i, const Pattern& pattern);
  void emit_vectors(const llvm::Instruction& i);
  void emit_math(const llvm::CallInst& call, Op op);
  void emit_call(const llvm::CallInst& call);
  void emit_table_load(const llvm::LoadInst& load);
  llvm::Value* unseen(llvm::Value* vector) const;
  llvm::Value* harmless(const llvm::Instruction& i, unsigned operand, llvm::Value* value,
                        llvm::Value* active) const;
  llvm::Value* divisor(const llvm::Instruction& division, const Rep& rep, unsigned j) const;
  llvm::Value* vector_form(const llvm::Instruction& i, unsigned j, llvm::ArrayRef<Rep> operands);

  Weaver& weaver_;
  llvm::IRBuilder<>& b_;
  LaneBuilder& lanes_;
  const Flow& flow_;
  const Patterns& patterns_;
  const llvm::DenseSet<const llvm::Value*>& crossing_;
  const bool slow_;
  const unsigned vectors_, at_work_;
  llvm::Value *number_ = nullptr, *first_vector_ = nullptr;
  llvm::Instruction* clear_ = nullptr;
  llvm::SmallVector<llvm::Value*, 4> mask_;
  Known known_;
  llvm::DenseMap<const llvm::Value*, llvm::SmallVector<Rep, 4>> elements_;
  llvm::DenseMap<const llvm::Value*, llvm::SmallVector<llvm::AllocaInst*, 4>> homes_;
};

// Families of operations, each in its file.
void emit_load(Unit& unit, const llvm::CallInst& call);
void emit_store(Unit& unit, const llvm::CallInst& call);
void emit_prefetch(Unit& unit, const llvm::CallInst& call);
void emit_atomic(Unit& unit, const llvm::CallInst& call, bool result);
void emit_collective(Unit& unit, const llvm::CallInst& call, Op op);
void emit_rows_apart(Unit& unit, const llvm::CallInst& call);
void emit_step(Unit& unit, const llvm::CallInst& call);
// Of warps on their own (waits.cpp). The first gives an i32: whether to part from lanes that do not wait.
llvm::Value* emit_wait(Unit& unit, const llvm::Instruction& sleep);
void emit_arrival(Unit& unit, const llvm::CallInst& call);
void emit_observed(Unit& unit, const llvm::CallInst& call, Op op);
void emit_observed_value(Unit& unit, const llvm::CallInst& call);
// A step that the matrix unit does; false: nothing is emitted.
bool emit_matrix(Unit& unit, const llvm::CallInst& call, const matrix::Form& form);

}  // namespace heddle::exec::jit
