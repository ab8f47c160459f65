// Slow code of a part that threads go through one after another (serial.h): scalar code in a loop over the
// active lanes of the warp. What comes in and goes out lies in arrays, one element a lane.
#include <cstddef>

#include "exec/jit/abi/context.h"
#include "exec/jit/vectorize/access/memory.h"
#include "exec/jit/vectorize/region.h"
#include "llvm/ADT/MapVector.h"

namespace heddle::exec::jit {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

namespace {

class SerialLoop {
 public:
  SerialLoop(Weaver& weaver, Unit& unit, const SerialPart& part)
      : weaver_(weaver), b_(weaver.builder), unit_(unit), part_(part) {}

  // Both ways of the branch, where both lead into the part, by `condition`. `lanes`: an i32, a bit a lane.
  void emit(Value* lanes, Value* conditions) {
    spill_inputs();
    for (const llvm::PHINode& phi : part_.end->phis()) outputs_[&phi] = lane_array(phi.getType());
    BasicBlock *from = b_.GetInsertBlock(), *loop = weaver_.block("thread"), *done = weaver_.block("threads");
    end_ = weaver_.block("thread.end");
    Value* first = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, lanes, b_.getTrue());
    b_.CreateCondBr(b_.CreateICmpNE(lanes, b_.getInt32(0)), loop, done);
    b_.SetInsertPoint(loop);
    auto* rest = b_.CreatePHI(b_.getInt32Ty(), 2);
    rest->addIncoming(lanes, from);
    // Which lane is next is known before this one's loop has ended, whose last branch is mispredicted.
    auto* lane = b_.CreatePHI(b_.getInt32Ty(), 2);
    lane->addIncoming(first, from);
    Value* next = b_.CreateAnd(rest, b_.CreateSub(rest, b_.getInt32(1)));
    Value* next_lane = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, next, b_.getTrue());
    weaver_.store_context_field(lane, offsetof(Context, lane));
    for (const auto& [value, source] : inputs_) values_[value] = of_lane(source, value->getType(), lane);
    for (const BasicBlock* block : part_.blocks) blocks_[block] = weaver_.block("alone." + block->getName());
    for (const llvm::PHINode& phi : part_.end->phis())
      results_.push_back(llvm::PHINode::Create(phi.getType(), 4, "", end_));
    enter(lane, conditions);
    for (const BasicBlock* block : part_.blocks) copy_block(*block);
    for (const auto& [original, made] : phis_)
      for (unsigned n = 0; n < original->getNumIncomingValues(); ++n)
        if (const BasicBlock* before = original->getIncomingBlock(n); before != part_.branch)
          made->addIncoming(value_of(original->getIncomingValue(n)), ends_[before]);
    b_.SetInsertPoint(end_);
    unsigned n = 0;
    for (const llvm::PHINode& phi : part_.end->phis()) {
      Value* result = results_[n++];
      if (phi.getType()->isIntegerTy(1)) result = b_.CreateZExt(result, b_.getInt8Ty());
      b_.CreateStore(result, b_.CreateInBoundsGEP(stored_type(phi.getType()), outputs_[&phi], lane));
    }
    rest->addIncoming(next, end_);
    lane->addIncoming(next_lane, end_);
    b_.CreateCondBr(b_.CreateICmpNE(next, b_.getInt32(0)), loop, done)
        ->setMetadata(llvm::LLVMContext::MD_loop, weaver_.no_unroll());
    b_.SetInsertPoint(done);
  }

  Value* output(const llvm::PHINode& phi, unsigned vector) {
    llvm::Type* type = stored_type(phi.getType());
    Value* place = b_.CreateConstInBoundsGEP1_32(type, outputs_[&phi], vector * weaver_.geometry.lanes);
    Value* lanes = b_.CreateLoad(weaver_.lanes.vector_type(type), place);
    return phi.getType()->isIntegerTy(1) ? b_.CreateTrunc(lanes, weaver_.lanes.vector_type(phi.getType()))
                                         : lanes;
  }

 private:
  struct Source {  // of a value for each lane
    Rep rep;
    llvm::AllocaInst* array = nullptr;
  };

  llvm::Type* stored_type(llvm::Type* type) { return type->isIntegerTy(1) ? b_.getInt8Ty() : type; }

  llvm::AllocaInst* lane_array(llvm::Type* type) {
    auto* array = weaver_.make_alloca(llvm::ArrayType::get(stored_type(type), 32), "lanes");
    array->setAlignment(llvm::Align(64));
    return array;
  }

  void spill(const Value* value) {
    const auto* i = llvm::dyn_cast<Instruction>(value);
    if (i == nullptr || inputs_.contains(i)) return;
    if (llvm::is_contained(part_.blocks, i->getParent()) && !is_known_before(*i)) return;
    Source source{unit_.get(i), nullptr};
    if (source.rep.pattern.kind != Pattern::affine) {
      source.array = lane_array(i->getType());
      llvm::Type* type = stored_type(i->getType());
      for (unsigned j = 0; j < unit_.vectors(); ++j) {
        Value* lanes = weaver_.lanes.vector(source.rep, j);
        if (i->getType()->isIntegerTy(1)) lanes = b_.CreateZExt(lanes, weaver_.lanes.vector_type(type));
        b_.CreateStore(lanes, b_.CreateConstInBoundsGEP1_32(type, source.array, j * weaver_.geometry.lanes));
      }
    }
    inputs_.insert({i, source});
  }

  void spill_inputs() {
    for (const BasicBlock* block : part_.blocks)
      for (const Instruction& i : *block)
        if (is_known_before(i)) unit_.emit(i);
    for (const BasicBlock* block : part_.blocks)
      for (const Instruction& i : *block)
        if (!is_known_before(i) && !is_op(&i, Op::prefetch))
          for (const Value* operand : i.operands()) spill(operand);
    for (const llvm::PHINode& phi : part_.end->phis())
      for (unsigned n = 0; n < phi.getNumIncomingValues(); ++n)
        if (llvm::is_contained(part_.blocks, phi.getIncomingBlock(n))) spill(phi.getIncomingValue(n));
  }

  Value* of_lane(const Source& source, llvm::Type* type, Value* lane) {
    if (source.array != nullptr) {
      Value* stored =
          b_.CreateLoad(stored_type(type), b_.CreateInBoundsGEP(stored_type(type), source.array, lane));
      return type->isIntegerTy(1) ? b_.CreateTrunc(stored, type) : stored;
    }
    const Pattern& p = source.rep.pattern;
    Value* base = source.rep.parts[0];
    if (p.uniform()) return base;
    const auto add = [&](Value* sum, Value* number, int64_t step) {
      Value* factor = llvm::ConstantInt::get(type, static_cast<uint64_t>(step), true);
      return step == 0 ? sum : b_.CreateAdd(sum, b_.CreateMul(b_.CreateZExtOrTrunc(number, type), factor));
    };
    const unsigned lanes = weaver_.geometry.lanes;
    if (p.vector_step == p.lane_step * static_cast<int64_t>(lanes)) return add(base, lane, p.lane_step);
    base = add(base, b_.CreateURem(lane, b_.getInt32(lanes)), p.lane_step);
    return add(base, b_.CreateUDiv(lane, b_.getInt32(lanes)), p.vector_step);
  }

  Value* value_of(const Value* value) {
    if (llvm::isa<llvm::Constant>(value)) return const_cast<Value*>(value);
    return values_.lookup(value);
  }

  // From the branch before the part: what its phis take.
  void enter(Value* lane, Value* conditions) {
    const auto* branch = llvm::cast<llvm::BranchInst>(part_.branch->getTerminator());
    BasicBlock *yes = blocks_.lookup(branch->getSuccessor(0)), *no = blocks_.lookup(branch->getSuccessor(1));
    BasicBlock* here = b_.GetInsertBlock();
    for (const BasicBlock* block : part_.blocks)
      for (const llvm::PHINode& phi : block->phis()) {
        auto* made = llvm::PHINode::Create(phi.getType(), phi.getNumIncomingValues(), "", blocks_[block]);
        phis_.emplace_back(&phi, made);
        values_[&phi] = made;
        for (unsigned n = 0; n < phi.getNumIncomingValues(); ++n)
          if (phi.getIncomingBlock(n) == part_.branch)
            made->addIncoming(value_of(phi.getIncomingValue(n)), here);
      }
    if (yes != nullptr && no != nullptr && yes != no) {
      Value* bit = b_.CreateAnd(b_.CreateLShr(conditions, lane), b_.getInt32(1));
      b_.CreateCondBr(b_.CreateICmpNE(bit, b_.getInt32(0)), yes, no);
    } else {
      b_.CreateBr(yes != nullptr ? yes : no);
    }
  }

  void copy_block(const BasicBlock& block) {
    b_.SetInsertPoint(blocks_[&block]);
    for (const Instruction& i : block) {
      if (llvm::isa<llvm::PHINode, llvm::DbgInfoIntrinsic>(i) || i.isTerminator()) continue;
      if (is_known_before(i) || is_op(&i, Op::prefetch)) continue;
      weaver_.come_from(i, AccessLanes::of_noted());
      if (is_op(&i, Op::load)) {
        const auto& call = llvm::cast<llvm::CallInst>(i);
        const Value* address = call.getArgOperand(0);
        const Rep known{unit_.patterns().of(address), {}};
        values_[&i] = Access(unit_, call, known, call.getType(), 1).load_alone(value_of(address));
        continue;
      }
      Instruction* copy = i.clone();
      copy->setDebugLoc({});
      copy->dropUnknownNonDebugMetadata();
      for (unsigned o = 0; o < i.getNumOperands(); ++o)
        if (!llvm::isa<llvm::Constant>(i.getOperand(o))) copy->setOperand(o, value_of(i.getOperand(o)));
      values_[&i] = b_.Insert(copy);
    }
    ends_[&block] = b_.GetInsertBlock();
    const auto* branch = llvm::cast<llvm::BranchInst>(block.getTerminator());
    const auto target = [&](unsigned n) {
      const BasicBlock* to = branch->getSuccessor(n);
      return to == part_.end ? end_ : blocks_.lookup(to);
    };
    bool ends = false;
    for (const BasicBlock* to : branch->successors()) ends |= to == part_.end;
    if (ends) {
      unsigned n = 0;
      for (const llvm::PHINode& phi : part_.end->phis())
        results_[n++]->addIncoming(value_of(phi.getIncomingValueForBlock(&block)), ends_[&block]);
      if (branch->isConditional() && branch->getSuccessor(0) == branch->getSuccessor(1)) {
        b_.CreateBr(end_);
        return;
      }
    }
    Instruction* made = branch->isUnconditional()
                            ? b_.CreateBr(target(0))
                            : b_.CreateCondBr(value_of(branch->getCondition()), target(0), target(1));
    // Threads leave after a number of turns of their own: what is left over of several at a time would be a
    // second branch to mispredict (transform/rolled_loops.h).
    const Flow& flow = unit_.flow();
    for (const BasicBlock* to : branch->successors())
      if (flow.is_back_edge(&block, to) && flow.is_divergent_loop(flow.loops().getLoopFor(to)))
        made->setMetadata(llvm::LLVMContext::MD_loop, weaver_.no_unroll_at_run_time());
  }

  Weaver& weaver_;
  llvm::IRBuilder<>& b_;
  Unit& unit_;
  const SerialPart& part_;
  BasicBlock* end_ = nullptr;  // of one thread
  llvm::MapVector<const Instruction*, Source> inputs_;
  llvm::DenseMap<const llvm::PHINode*, llvm::AllocaInst*> outputs_;
  llvm::SmallVector<llvm::PHINode*, 4> results_;  // in the order of the end's phis
  llvm::DenseMap<const Value*, Value*> values_;
  llvm::DenseMap<const BasicBlock*, BasicBlock*> blocks_, ends_;  // copies: first, last
  std::vector<std::pair<const llvm::PHINode*, llvm::PHINode*>> phis_;
};

}  // namespace

void RegionEmitter::serial_terminator(const BasicBlock& block, const SerialPart& part) {
  const auto* branch = llvm::cast<llvm::BranchInst>(block.getTerminator());
  const Rep condition = slow_->get(branch->getCondition());
  const llvm::SmallVector<Value*, 4> mask(slow_->masks());
  llvm::SmallVector<Value*, 4> ways[2], inside(mask.size(), zero_mask());
  for (unsigned i = 0; i < mask.size(); ++i) {
    Value* taken = weaver_.lanes.vector(condition, i);
    ways[0].push_back(b_.CreateSelect(mask[i], taken, zero_mask()));
    ways[1].push_back(b_.CreateSelect(mask[i], b_.CreateNot(taken), zero_mask()));
  }
  for (unsigned way = 0; way < 2; ++way) {
    if (branch->getSuccessor(way) == part.end) {
      slow_edge(block, *part.end, ways[way]);
      continue;
    }
    for (unsigned i = 0; i < mask.size(); ++i) inside[i] = b_.CreateOr(inside[i], ways[way][i]);
  }
  SerialLoop loop(weaver_, *slow_, part);
  loop.emit(bits_of_warp(inside), bits_of_warp(ways[0]));
  for (const llvm::PHINode& phi : part.end->phis()) {
    const auto home = slow_->home(&phi);
    const bool varies = slow_->patterns().of(&phi).kind == Pattern::vector;
    // All that comes out of the part is the same value from before it, where it does not vary.
    const Value* same = nullptr;
    for (const BasicBlock* from : part.blocks)
      if (const int n = phi.getBasicBlockIndex(from); n >= 0)
        same = phi.getIncomingValue(static_cast<unsigned>(n));
    if (llvm::isa<llvm::UndefValue>(same)) continue;
    const Rep rep = varies ? Rep{} : slow_->convert(slow_->get(same), slow_->patterns().of(&phi));
    for (unsigned i = 0; i < home.size(); ++i) {
      Value* old = b_.CreateLoad(home[i]->getAllocatedType(), home[i]);
      if (varies) {
        b_.CreateStore(b_.CreateSelect(inside[i], loop.output(phi, i), old), home[i]);
        continue;
      }
      Value* takes =
          rep.pattern.kind == Pattern::affine ? slow_->any(inside) : slow_->any({inside[i % inside.size()]});
      b_.CreateStore(b_.CreateSelect(takes, rep.parts[i], old), home[i]);
    }
  }
  const auto home = mask_home(part.end, 0);
  llvm::SmallVector<Value*, 4> sum = load_mask(home);
  for (unsigned i = 0; i < sum.size(); ++i) sum[i] = b_.CreateOr(sum[i], inside[i]);
  store_mask(home, sum);
}

}  // namespace heddle::exec::jit
