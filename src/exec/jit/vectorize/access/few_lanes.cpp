// Under masks of which few lanes can be set, as in the last steps of trees and in what thread 0 does for its
// block: each of those lanes asks whether it is there. A gather or a scatter takes as long for one lane as
// for all, and a load cannot get from a scatter what it has just stored.
#include "exec/jit/passes/costs.h"
#include "exec/jit/vectorize/access/memory.h"

namespace heddle::exec::jit {

using llvm::BasicBlock;
using llvm::Value;

bool Access::is_of_few_lanes() const {
  const bool by_lanes = record_.form == AccessRecord::lanes || record_.form == AccessRecord::found_row ||
                        record_.form == AccessRecord::combed_row;
  const PassSet& passes = weaver_.passes;
  const unsigned most = weaver_.gathers || passes.has(Pass::brief) ? cost::most_lanes_alone
                                                                   : cost::most_lanes_alone_without_gathers;
  return by_lanes && unit_.masked() && passes.has(Pass::few_lanes) && unit_.at_work() <= most;
}

llvm::SmallVector<Value*, 4> Access::load_few_lanes(unsigned j) const {
  llvm::SmallVector<Value*, 4> result(elements_, llvm::Constant::getNullValue(lanes_.vector_type(element_)));
  const auto pointer_of = each_pointer(j, places_by_lane(j, false));
  for (unsigned lane = 0; lane < unit_.lanes_at_work(j); ++lane) {
    BasicBlock *from = b_.GetInsertBlock(), *there = weaver_.block("lane"),
               *done = weaver_.block("lane.done");
    b_.CreateCondBr(b_.CreateExtractElement(unit_.mask(j), lane), there, done);
    b_.SetInsertPoint(there);
    auto loaded = load_elements(pointer_of(lane), one_lane(j, lane));
    for (unsigned e = 0; e < elements_; ++e) loaded[e] = b_.CreateInsertElement(result[e], loaded[e], lane);
    BasicBlock* end = b_.GetInsertBlock();
    b_.CreateBr(done);
    b_.SetInsertPoint(done);
    for (unsigned e = 0; e < elements_; ++e) {
      auto* both = b_.CreatePHI(result[e]->getType(), 2);
      both->addIncoming(loaded[e], end);
      both->addIncoming(result[e], from);
      result[e] = both;
    }
  }
  return result;
}

// Of lanes that store to one place the first wins, so it comes last; else it is the first that may fault.
void Access::store_few_lanes(unsigned j, llvm::ArrayRef<Value*> values) const {
  const auto pointer_of = each_pointer(j, places_by_lane(j, true));
  const unsigned lanes = unit_.lanes_at_work(j);
  for (unsigned number = 0; number < lanes; ++number) {
    const unsigned lane = record_.lanes_apart ? number : lanes - 1 - number;
    BasicBlock *there = weaver_.block("lane"), *done = weaver_.block("lane.done");
    b_.CreateCondBr(b_.CreateExtractElement(unit_.mask(j), lane), there, done);
    b_.SetInsertPoint(there);
    llvm::SmallVector<Value*, 4> stored;
    for (Value* value : values) stored.push_back(b_.CreateExtractElement(value, lane));
    store_elements(stored, pointer_of(lane), one_lane(j, lane));
    b_.CreateBr(done);
    b_.SetInsertPoint(done);
  }
}

}  // namespace heddle::exec::jit
