// The control flow of a thread function, and what divergence does to it.
//
// Where the threads of a unit may take different ways (a divergent branch), everything up to the branch's
// immediate post-dominator is masked: a component. Overlapping components are one. Fast code leaves at the
// divergent branch for slow code, which runs the component under masks, and comes back at its end.
#pragma once

#include <optional>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"

namespace heddle::exec::jit {

class Flow {
 public:
  explicit Flow(llvm::Function& function);

  llvm::Function& function() const { return function_; }
  // Loops in one piece, topological otherwise: a loop's latch is its last block.
  const std::vector<llvm::BasicBlock*>& order() const { return order_; }
  unsigned position(const llvm::BasicBlock* block) const { return position_.lookup(block); }
  const llvm::LoopInfo& loops() const { return loops_; }
  const llvm::DominatorTree& dominators() const { return dominators_; }
  bool is_back_edge(const llvm::BasicBlock* from, const llvm::BasicBlock* to) const;
  llvm::BasicBlock* return_block() const { return return_block_; }

  // ---- divergence, for one unit: the pattern analysis calls mark and components until nothing changes
  bool is_divergent(const llvm::BasicBlock* block) const { return divergent_.contains(block); }
  bool mark_divergent(const llvm::BasicBlock* block) { return divergent_.insert(block).second; }
  void find_components();

  struct Component {
    llvm::DenseSet<const llvm::BasicBlock*> blocks;
    // Where fast code goes on; nullptr: nowhere, slow code runs to the function's end.
    llvm::BasicBlock* end = nullptr;
  };
  const std::vector<Component>& components() const { return components_; }
  unsigned component_of_branch(const llvm::BasicBlock* divergent) const;  // index in components()
  bool in_component(const llvm::BasicBlock* block) const;
  bool ends_component(const llvm::BasicBlock* block) const { return ends_.contains(block); }
  // Threads that parted may come here by different ways.
  bool is_join(const llvm::BasicBlock* block) const { return joins_.contains(block); }
  // What threads that part here may come to before they meet again, and where that is (nullptr: nowhere).
  llvm::DenseSet<const llvm::BasicBlock*> masked_by(const llvm::BasicBlock* branch) const;
  const llvm::BasicBlock* meeting_of(const llvm::BasicBlock* branch) const;
  // Threads may leave this loop in different iterations.
  bool is_divergent_loop(const llvm::Loop* loop) const { return divergent_loops_.contains(loop); }

 private:
  void lay_out(const llvm::Loop* loop, llvm::BasicBlock* entry);
  void find_joins(const llvm::BasicBlock* branch);

  llvm::Function& function_;
  llvm::DominatorTree dominators_;
  llvm::LoopInfo loops_;
  llvm::PostDominatorTree post_dominators_;
  std::vector<llvm::BasicBlock*> order_;
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> position_;
  llvm::BasicBlock* return_block_ = nullptr;
  llvm::DenseSet<const llvm::BasicBlock*> divergent_;
  std::vector<Component> components_;
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> component_of_branch_;
  llvm::DenseSet<const llvm::BasicBlock*> ends_, joins_;
  llvm::DenseSet<const llvm::Loop*> divergent_loops_;
};

}  // namespace heddle::exec::jit
