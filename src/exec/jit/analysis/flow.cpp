#include "exec/jit/analysis/flow.h"

#include <algorithm>
#include <functional>
#include <set>

#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

namespace heddle::exec::jit {

using llvm::BasicBlock;
using llvm::Loop;

Flow::Flow(llvm::Function& function)
    : function_(function), dominators_(function), loops_(dominators_), post_dominators_(function) {
  lay_out(nullptr, &function.getEntryBlock());
  for (unsigned i = 0; i < order_.size(); ++i) position_[order_[i]] = i;
  for (BasicBlock* block : order_)
    if (llvm::isa<llvm::ReturnInst>(block->getTerminator())) return_block_ = block;
}

// Reverse post-order over one loop's own blocks, inner loops as single nodes.
void Flow::lay_out(const Loop* loop, BasicBlock* entry) {
  auto within = [&](const Loop* inner) {  // the child of `loop` that holds `inner`
    while (inner->getParentLoop() != loop) inner = inner->getParentLoop();
    return inner;
  };
  auto node = [&](BasicBlock* block) {
    const Loop* inner = loops_.getLoopFor(block);
    return inner == loop ? block : within(inner)->getHeader();
  };
  std::vector<BasicBlock*> post_order;
  llvm::DenseSet<BasicBlock*> seen;
  std::function<void(BasicBlock*)> visit = [&](BasicBlock* block) {
    if (!seen.insert(block).second) return;
    const Loop* inner = loops_.getLoopFor(block);
    llvm::SmallVector<BasicBlock*, 8> next;
    if (inner == loop)
      next.append(llvm::succ_begin(block), llvm::succ_end(block));
    else
      within(inner)->getExitBlocks(next);
    for (BasicBlock* successor : next) {
      if (loop != nullptr && (!loop->contains(successor) || successor == loop->getHeader())) continue;
      visit(node(successor));
    }
    post_order.push_back(block);
  };
  visit(node(entry));
  for (BasicBlock* block : llvm::reverse(post_order)) {
    const Loop* inner = loops_.getLoopFor(block);
    if (inner == loop)
      order_.push_back(block);
    else
      lay_out(within(inner), block);
  }
}

bool Flow::is_back_edge(const BasicBlock* from, const BasicBlock* to) const {
  const Loop* loop = loops_.getLoopFor(to);
  return loop != nullptr && loop->getHeader() == to && loop->contains(from);
}

const BasicBlock* Flow::meeting_of(const BasicBlock* branch) const {
  const auto* node = post_dominators_.getNode(branch);
  return node != nullptr && node->getIDom() != nullptr ? node->getIDom()->getBlock() : nullptr;
}

llvm::DenseSet<const BasicBlock*> Flow::masked_by(const BasicBlock* branch) const {
  const BasicBlock* end = meeting_of(branch);
  llvm::DenseSet<const BasicBlock*> reached;
  std::vector<const BasicBlock*> work(llvm::succ_begin(branch), llvm::succ_end(branch));
  while (!work.empty()) {
    const BasicBlock* block = work.back();
    work.pop_back();
    if (block == end || !reached.insert(block).second) continue;
    work.insert(work.end(), llvm::succ_begin(block), llvm::succ_end(block));
  }
  return reached;
}

// What both ways of a branch lead to, up to where all meet again.
void Flow::find_joins(const BasicBlock* branch) {
  const BasicBlock* end = meeting_of(branch);
  llvm::DenseMap<const BasicBlock*, const BasicBlock*> reached;  // by which way first
  for (const BasicBlock* way : llvm::successors(branch)) {
    llvm::DenseSet<const BasicBlock*> seen;
    std::vector<const BasicBlock*> work{way};
    while (!work.empty()) {
      const BasicBlock* block = work.back();
      work.pop_back();
      if (block == branch || !seen.insert(block).second) continue;
      const auto [known, first] = reached.try_emplace(block, way);
      if (!first && known->second != way) joins_.insert(block);
      if (block != end) work.insert(work.end(), llvm::succ_begin(block), llvm::succ_end(block));
    }
  }
}

void Flow::find_components() {
  components_.clear(), component_of_branch_.clear(), ends_.clear(), joins_.clear(), divergent_loops_.clear();
  // Large kernels have thousands of divergent branches: what each is asked for is looked up.
  llvm::DenseMap<const Loop*, llvm::SmallVector<BasicBlock*, 8>> exits;
  llvm::DenseMap<const BasicBlock*, unsigned> component_of;
  for (BasicBlock* branch : order_) {
    if (!divergent_.contains(branch)) continue;
    find_joins(branch);
    llvm::DenseSet<const BasicBlock*> masked = masked_by(branch);
    for (const Loop* loop = loops_.getLoopFor(branch); loop != nullptr; loop = loop->getParentLoop()) {
      const auto [exiting, fresh] = exits.try_emplace(loop);
      if (fresh) loop->getExitingBlocks(exiting->second);
      for (BasicBlock* block : exiting->second)
        if (block == branch || masked.contains(block)) divergent_loops_.insert(loop);
    }
    masked.insert(branch);  // it shares masks with what it decides
    // One component with all that overlap. Those before have no block in common.
    unsigned target = static_cast<unsigned>(components_.size());
    std::set<unsigned> overlapping;
    for (const BasicBlock* block : masked)
      if (const auto known = component_of.find(block); known != component_of.end())
        overlapping.insert(known->second);
    for (const BasicBlock* block : masked) component_of[block] = target;
    components_.push_back({std::move(masked), nullptr});
    component_of_branch_[branch] = target;
    for (const unsigned other : overlapping) {
      auto& blocks = components_[other].blocks;
      for (const BasicBlock* block : blocks) component_of[block] = target;
      components_[target].blocks.insert(blocks.begin(), blocks.end());
      blocks.clear();
      for (auto& entry : component_of_branch_)
        if (entry.second == other) entry.second = target;
    }
  }
  // The end: the first block after all of it that every way out leads to.
  for (Component& component : components_) {
    if (component.blocks.empty()) continue;
    BasicBlock* end = nullptr;
    for (const BasicBlock* block : component.blocks)
      if (divergent_.contains(block)) {
        const auto* node = post_dominators_.getNode(block);
        for (node = node == nullptr ? nullptr : node->getIDom();
             node != nullptr && node->getBlock() != nullptr; node = node->getIDom()) {
          if (component.blocks.contains(node->getBlock())) continue;
          if (end == nullptr || post_dominators_.dominates(node->getBlock(), end)) end = node->getBlock();
          break;
        }
        if (node == nullptr || node->getBlock() == nullptr) {
          end = nullptr;
          break;
        }
      }
    unsigned last = 0;
    for (const BasicBlock* block : component.blocks) last = std::max(last, position_.lookup(block));
    if (end == return_block_ || (end != nullptr && position_.lookup(end) <= last)) end = nullptr;
    component.end = end;
    if (end != nullptr) ends_.insert(end);
  }
}

unsigned Flow::component_of_branch(const BasicBlock* divergent) const {
  return component_of_branch_.lookup(divergent);
}

bool Flow::in_component(const BasicBlock* block) const {
  return llvm::any_of(components_, [&](const Component& c) { return c.blocks.contains(block); });
}

}  // namespace heddle::exec::jit
