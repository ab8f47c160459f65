// The code of one region for one group: fast code, slow code, and the ways between them.
#pragma once

#include <memory>

#include "exec/jit/analysis/live.h"
#include "exec/jit/vectorize/unit.h"

namespace heddle::exec::jit {

// Extensions that fast code takes for affine are tested before: their blocks are split there, so that slow
// code can go on behind the test. To be done before the final analysis.
void split_at_guards(llvm::Function& function, const Patterns& fast);

class RegionEmitter {
 public:
  RegionEmitter(Weaver& weaver, const Region& region, unsigned number);

  // Code for group `group` (i32) at the builder's place; ends at `done`.
  void emit(llvm::Value* group, llvm::BasicBlock* done);
  // A group may begin a region in slow code (all of this kernel's regions are asked).
  static bool may_stay_slow(const Region& region);

 private:
  struct Guard {
    std::vector<const llvm::Instruction*> extensions;
  };
  struct Resume {  // where fast code leaves for slow code
    const llvm::BasicBlock* block = nullptr;
    llvm::BasicBlock* entry = nullptr;  // in slow code: after it took over the values
    llvm::SmallVector<const llvm::Instruction*, 16> values;
  };
  struct Decision {
    llvm::Value *all = nullptr, *none = nullptr;
  };

  // ---- fast
  void emit_fast();
  void fast_terminator(const llvm::BasicBlock& block);
  void fast_return(const llvm::ReturnInst& ret);
  void fast_edge(Unit& unit, const llvm::BasicBlock& from, const llvm::BasicBlock& to);
  Decision decide(const llvm::BranchInst& branch, bool& deferred);
  bool decide_by_scalars(const llvm::ICmpInst& compare, Decision& decision);
  bool is_decided_by_scalars(const llvm::BranchInst& branch) const;
  llvm::Value* no_wrap(const llvm::Instruction& extension);
  // What a branch decides is so short that fast code goes through it under masks where lanes part.
  bool is_short(const llvm::BasicBlock& branch) const;
  bool asks_for_mask(const llvm::BasicBlock& block) const;
  void short_part(const llvm::BasicBlock& branch);
  void short_edge(const llvm::BasicBlock& from, const llvm::BasicBlock& to,
                  llvm::ArrayRef<llvm::Value*> mask);
  llvm::Value* row_begins(const llvm::Instruction& exclusive_or);
  llvm::Value* rows_do_not_wrap(const llvm::Instruction& extension);

  // ---- between
  void leave_for_slow(const llvm::BasicBlock& block, unsigned mode);
  void return_to_fast(unsigned component);
  // What fast code needs to know of a component when it goes on behind it.
  llvm::SmallVector<const llvm::Instruction*, 16> results_of(const Flow::Component& component) const;
  // A bit for each warp of the group that has something to do in slow code.
  llvm::Value* warps_that_leave(const llvm::BasicBlock& block, unsigned mode);
  void next_warp(llvm::BasicBlock* after_the_last);
  llvm::AllocaInst* exchange(const llvm::Value* value, bool out);

  // ---- slow
  void emit_slow();
  void slow_block(const llvm::BasicBlock& block);
  void find_followers();
  bool is_follower(const llvm::BasicBlock& block) const;
  void slow_terminator(const llvm::BasicBlock& block);
  llvm::Value* bits_of_warp(llvm::ArrayRef<llvm::Value*> mask);
  void note_first_thread(const Unit& unit);
  void note_active(llvm::ArrayRef<llvm::Value*> mask);
  // Where lanes of a warp on its own wait (waits.cpp); those that part from here leave for `leave`.
  bool waits(const llvm::Instruction& i) const;
  void wait_slowly(const llvm::Instruction& sleep, llvm::BasicBlock* leave);
  void note_gone(llvm::ArrayRef<llvm::Value*> mask);
  // Loops in which lanes of a warp never part keep the mask that they were entered with.
  const llvm::Loop* steady_loop(const llvm::BasicBlock* block) const;  // the outermost one around it
  const llvm::BasicBlock* last_of(const llvm::Loop& loop) const;
  void steady_block(const llvm::BasicBlock& block, const llvm::Loop& loop);
  void steady_terminator(const llvm::BasicBlock& block, const llvm::Loop& loop);
  // A way from one block to the next, and what the phis there take.
  struct SlowEdge {
    const llvm::BasicBlock *from, *to;
    llvm::SmallVector<std::pair<const llvm::PHINode*, Rep>, 4> values;
  };
  SlowEdge slow_edge_values(const llvm::BasicBlock& from, const llvm::BasicBlock& to);
  void slow_phis(SlowEdge edge, llvm::ArrayRef<llvm::Value*> mask);
  void slow_edge(SlowEdge edge, llvm::ArrayRef<llvm::Value*> mask);
  void slow_edge(const llvm::BasicBlock& from, const llvm::BasicBlock& to, llvm::ArrayRef<llvm::Value*> mask);
  void slow_return(const llvm::ReturnInst& ret);
  // The branch before a part that threads go through one after another, and the part.
  void serial_terminator(const llvm::BasicBlock& block, const SerialPart& part);
  void begin_warp();
  void take_over(const Resume& resume);
  llvm::SmallVector<llvm::Value*, 4> load_mask(llvm::ArrayRef<llvm::AllocaInst*> home);
  void store_mask(llvm::ArrayRef<llvm::AllocaInst*> home, llvm::ArrayRef<llvm::Value*> mask);
  llvm::ArrayRef<llvm::AllocaInst*> mask_home(const llvm::BasicBlock* block, unsigned kind);
  llvm::BasicBlock* after(const llvm::BasicBlock& block);
  llvm::Value* live_place(llvm::Value* warp, unsigned i);
  llvm::Value* zero_mask() const;
  void keep_for_rings(const llvm::CallInst& access);

  Weaver& weaver_;
  llvm::IRBuilder<>& b_;
  const Region& region_;
  const unsigned number_;
  llvm::DenseSet<const llvm::Value*> crossing_;
  std::unique_ptr<Unit> fast_, slow_;
  // In the region's order: a set of pointers has another one in each process, and code would too.
  llvm::SmallVector<const llvm::Instruction*, 16> in_order(const LiveValues& values) const;
  LiveIn live_;
  llvm::DenseMap<const llvm::Instruction*, unsigned> position_;  // in that order
  llvm::DenseMap<const llvm::BasicBlock*, Guard> guards_;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::BasicBlock*> fast_blocks_, slow_blocks_, slow_ends_,
      steady_heads_;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::SmallVector<llvm::AllocaInst*, 4>> masks_[5];
  llvm::DenseMap<const llvm::BasicBlock*, const llvm::BasicBlock*> followers_;
  const llvm::BasicBlock* short_branch_ = nullptr;
  llvm::DenseMap<const llvm::Value*, llvm::AllocaInst*> exchanges_[2];
  std::vector<Resume> resumes_;
  std::vector<std::pair<unsigned, llvm::BasicBlock*>>
      returns_;                                     // component, block of slow code that goes back
  llvm::SmallVector<llvm::BasicBlock*, 4> backs_;   // blocks of fast code, one for each of these
  llvm::Value *group_ = nullptr, *warp_ = nullptr;  // warp within the group
  llvm::AllocaInst *mode_ = nullptr, *resume_ = nullptr, *pending_ = nullptr;
  llvm::BasicBlock *warp_begin_ = nullptr, *warp_end_ = nullptr, *done_ = nullptr;
};

}  // namespace heddle::exec::jit
