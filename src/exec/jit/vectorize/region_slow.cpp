// Slow code: one warp, blocks in one line, each under the mask of the lanes that come there.
#include <cstddef>
#include <utility>

#include "exec/jit/abi/context.h"
#include "exec/jit/vectorize/region.h"
#include "llvm/IR/CFG.h"

namespace heddle::exec::jit {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

Value* RegionEmitter::zero_mask() const {
  return llvm::Constant::getNullValue(weaver_.lanes.vector_type(b_.getInt1Ty()));
}

Value* RegionEmitter::live_place(Value* warp, unsigned i) {
  const unsigned count = weaver_.geometry.warp_vectors();
  Value* number = b_.CreateAdd(b_.CreateMul(warp, b_.getInt32(count)), b_.getInt32(i));
  return b_.CreateInBoundsGEP(weaver_.lanes.vector_type(b_.getInt1Ty()), weaver_.live, number);
}

// 0: lanes that come; 1: lanes that go round a loop again; 2: lanes at the terminator, where fast code comes
// in; 3: lanes in a steady loop; 4: lanes that come in a short part of fast code.
llvm::ArrayRef<llvm::AllocaInst*> RegionEmitter::mask_home(const BasicBlock* block, unsigned kind) {
  auto& home = masks_[kind][block];
  if (home.empty())
    for (unsigned i = 0; i < weaver_.geometry.warp_vectors(); ++i)
      home.push_back(weaver_.make_alloca(weaver_.lanes.vector_type(b_.getInt1Ty()), "mask"));
  return home;
}

llvm::SmallVector<Value*, 4> RegionEmitter::load_mask(llvm::ArrayRef<llvm::AllocaInst*> home) {
  llvm::SmallVector<Value*, 4> mask;
  for (llvm::AllocaInst* part : home) mask.push_back(b_.CreateLoad(part->getAllocatedType(), part));
  return mask;
}

void RegionEmitter::store_mask(llvm::ArrayRef<llvm::AllocaInst*> home, llvm::ArrayRef<Value*> mask) {
  for (unsigned i = 0; i < home.size(); ++i) b_.CreateStore(mask[i], home[i]);
}

void RegionEmitter::emit_slow() {
  const auto& order = region_.slow_flow->order();
  find_followers();
  for (const BasicBlock* block : order)
    if (!is_follower(*block)) slow_blocks_[block] = weaver_.block("slow." + block->getName());
  for (const Resume& resume : resumes_)
    slow_ends_[resume.block] = weaver_.block("end." + resume.block->getName());
  begin_warp();
  for (const BasicBlock* block : order) slow_block(*block);
  for (const auto& [component, block] : returns_) {
    b_.SetInsertPoint(block);
    return_to_fast(component);
  }
  b_.SetInsertPoint(warp_end_);
  next_warp(done_);
}

void RegionEmitter::begin_warp() {
  const Geometry& g = weaver_.geometry;
  const unsigned count = g.warp_vectors();
  b_.SetInsertPoint(warp_begin_);
  warp_ = b_.getInt32(0);
  if (pending_ != nullptr)
    warp_ = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, b_.CreateLoad(b_.getInt32Ty(), pending_),
                                     b_.getTrue());
  Value* number =
      b_.CreateAdd(b_.CreateMul(group_, b_.getInt32(g.group_warps()), "", true, true), warp_, "", true, true);
  slow_->set_place(number, b_.CreateMul(number, b_.getInt32(count), "", true, true));
  note_first_thread(*slow_);
  const llvm::SmallVector<Value*, 4> nothing(count, zero_mask());
  for (const BasicBlock* block : region_.slow_flow->order()) {
    if (region_.is_serial(block) || is_follower(*block)) continue;
    store_mask(mask_home(block, 0), nothing);
    const llvm::Loop* loop = region_.slow_flow->loops().getLoopFor(block);
    if (loop != nullptr && loop->getHeader() == block) store_mask(mask_home(block, 1), nothing);
  }
  BasicBlock* start = weaver_.block("slow.start");
  auto* choice =
      b_.CreateSwitch(b_.CreateLoad(b_.getInt32Ty(), resume_), start, static_cast<unsigned>(resumes_.size()));
  for (unsigned r = 0; r < resumes_.size(); ++r) choice->addCase(b_.getInt32(r + 1), resumes_[r].entry);
  slow_->clear_homes_before(choice);
  for (const Resume& resume : resumes_) {
    b_.SetInsertPoint(resume.entry);
    take_over(resume);
    const llvm::SmallVector<Value*, 4> everyone(count, slow_->full_mask());
    store_mask(mask_home(resume.block, 2), everyone);
    if (const llvm::Loop* steady = steady_loop(resume.block)) {
      store_mask(mask_home(steady->getHeader(), 3), everyone);
      note_active(everyone);
    }
    b_.CreateBr(slow_ends_[resume.block]);
  }
  // From the region's beginning.
  b_.SetInsertPoint(start);
  llvm::SmallVector<Value*, 4> mask;
  for (unsigned i = 0; i < count; ++i) {
    if (number_ != 0) {
      mask.push_back(weaver_.live == nullptr
                         ? slow_->full_mask()
                         : b_.CreateLoad(weaver_.lanes.vector_type(b_.getInt1Ty()), live_place(number, i)));
    } else if (g.has_tail()) {
      Value* threads = weaver_.lanes.spread(b_.CreateAdd(slow_->first_thread(), b_.getInt32(i * g.lanes)), 1);
      mask.push_back(b_.CreateICmpULT(threads, llvm::ConstantInt::get(threads->getType(), g.threads())));
    } else {
      mask.push_back(slow_->full_mask());
    }
  }
  // A warp that is not there never comes to the end of a region, where it would be said that it is gone.
  if (number_ == 0 && g.has_tail() && weaver_.live != nullptr)
    for (unsigned i = 0; i < count; ++i) b_.CreateStore(mask[i], live_place(number, i));
  const BasicBlock* entry = region_.slow_flow->order().front();
  store_mask(mask_home(entry, 0), mask);
  b_.CreateCondBr(slow_->any(mask), slow_blocks_[entry], warp_end_);
}

void RegionEmitter::slow_block(const BasicBlock& block) {
  if (is_follower(block)) return;  // came with the one before it
  b_.SetInsertPoint(slow_blocks_[&block]);
  if (region_.is_serial(&block)) {  // done behind the branch before it
    b_.CreateBr(after(block));
    return;
  }
  // Fast code takes over where a component ends, if it was fast code that left.
  for (unsigned c = 0; c < region_.fast_flow->components().size(); ++c) {
    if (region_.fast_flow->components()[c].end != &block || region_.fast_flow->components()[c].blocks.empty())
      continue;
    if (fast_blocks_.empty()) continue;
    BasicBlock *back = weaver_.block("meet"), *stay = weaver_.block("stay");
    b_.CreateCondBr(b_.CreateICmpEQ(b_.CreateLoad(b_.getInt32Ty(), mode_), b_.getInt32(c + 1)), back, stay);
    returns_.emplace_back(c, back);
    b_.SetInsertPoint(stay);
  }
  if (const llvm::Loop* steady = steady_loop(&block)) return steady_block(block, *steady);
  llvm::SmallVector<const BasicBlock*, 4> chain = {&block};
  while (const BasicBlock* next = followers_.lookup(chain.back())) chain.push_back(next);
  slow_->begin_block();
  for (const BasicBlock* link : chain) slow_->clear_homes(*link);
  auto mask = load_mask(mask_home(&block, 0));
  const llvm::SmallVector<Value*, 4> nothing(mask.size(), zero_mask());
  store_mask(mask_home(&block, 0), nothing);
  BasicBlock* body = weaver_.block("body");
  b_.CreateCondBr(slow_->any(mask), body, after(*chain.back()));
  b_.SetInsertPoint(body);
  slow_->set_mask(mask);
  bool noted = false;
  for (const BasicBlock* link : chain) {
    if (!noted && llvm::any_of(*link, [](const Instruction& i) {
          return is_op(&i, Op::load) || is_op(&i, Op::store);
        })) {
      note_active(slow_->masks());
      noted = true;
    }
    for (const Instruction& i : *link)
      if (waits(i))
        wait_slowly(i, after(*chain.back()));
      else if (!llvm::isa<llvm::PHINode>(i) && !i.isTerminator())
        slow_->emit(i);
    if (BasicBlock* end = slow_ends_.lookup(link)) {
      store_mask(mask_home(link, 2), slow_->masks());
      b_.CreateBr(end);
      b_.SetInsertPoint(end);
      slow_->begin_block();
      slow_->set_mask(load_mask(mask_home(link, 2)));
      noted = false;
    }
    if (link != chain.back()) slow_phis(slow_edge_values(*link, *followers_.lookup(link)), slow_->masks());
  }
  slow_terminator(*chain.back());
}

// A block whose lanes are those of the one before it, all of them and no others, goes on under its mask.
void RegionEmitter::find_followers() {
  const Flow& flow = *region_.slow_flow;
  llvm::DenseSet<const BasicBlock*> ends;  // where fast code may take over
  for (const Flow::Component& component : region_.fast_flow->components()) ends.insert(component.end);
  for (const BasicBlock* block : flow.order()) {
    const BasicBlock* next = block->getSingleSuccessor();
    if (next == nullptr || next->getSinglePredecessor() != block || ends.contains(next)) continue;
    if (flow.position(next) != flow.position(block) + 1) continue;
    if (flow.loops().getLoopFor(next) != flow.loops().getLoopFor(block)) continue;
    if (region_.is_serial(next) || region_.is_serial(block) || steady_loop(block) != nullptr) continue;
    followers_[block] = next;
  }
}

bool RegionEmitter::is_follower(const BasicBlock& block) const {
  const BasicBlock* before = block.getSinglePredecessor();
  return before != nullptr && followers_.lookup(before) == &block;
}

// An i32, lane 0 of the first vector lowest.
Value* RegionEmitter::bits_of_warp(llvm::ArrayRef<Value*> mask) {
  Value* all = nullptr;
  for (unsigned i = 0; i < mask.size(); ++i) {
    Value* part = b_.CreateZExt(slow_->bits(mask[i]), b_.getInt32Ty());
    if (i != 0) part = b_.CreateShl(part, i * weaver_.geometry.lanes);
    all = all == nullptr ? part : b_.CreateOr(all, part);
  }
  return all;
}

// For faults. Where a warp is the block, the kernel has said it once.
void RegionEmitter::note_first_thread(const Unit& unit) {
  if (!weaver_.geometry.has_one_warp())
    weaver_.store_context_field(unit.first_thread(), offsetof(Context, first_thread));
}

void RegionEmitter::note_active(llvm::ArrayRef<Value*> mask) {
  weaver_.store_context_field(bits_of_warp(mask), offsetof(Context, active));
}

const llvm::Loop* RegionEmitter::steady_loop(const BasicBlock* block) const {
  const Flow& flow = *region_.slow_flow;
  const llvm::Loop* steady = nullptr;
  for (const llvm::Loop* loop = flow.loops().getLoopFor(block); loop != nullptr;
       loop = loop->getParentLoop()) {
    const bool parts = llvm::any_of(loop->blocks(), [&](const BasicBlock* b) {
      return flow.is_divergent(b) || !llvm::isa<llvm::BranchInst>(b->getTerminator());
    });
    if (!parts) steady = loop;
  }
  return steady;
}

const BasicBlock* RegionEmitter::last_of(const llvm::Loop& loop) const {
  const BasicBlock* last = loop.getHeader();
  for (const BasicBlock* inside : loop.blocks())
    if (region_.slow_flow->position(inside) > region_.slow_flow->position(last)) last = inside;
  return last;
}

// The loop's mask lies with its header (kind 3): lanes come in through the header, or where fast code left.
void RegionEmitter::steady_block(const BasicBlock& block, const llvm::Loop& loop) {
  const auto home = mask_home(loop.getHeader(), 3);
  if (&block == loop.getHeader()) {
    // slow_blocks_ of the header is the way in; the loop itself begins behind it.
    auto mask = load_mask(mask_home(&block, 0));
    const llvm::SmallVector<Value*, 4> nothing(mask.size(), zero_mask());
    store_mask(mask_home(&block, 0), nothing);
    BasicBlock* enter = weaver_.block("enter");
    b_.CreateCondBr(slow_->any(mask), enter, after(*last_of(loop)));
    b_.SetInsertPoint(enter);
    store_mask(home, mask);
    note_active(mask);
    BasicBlock*& head = steady_heads_[&block];
    if (head == nullptr) head = weaver_.block("steady");
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
  }
  slow_->begin_block();
  slow_->set_mask(load_mask(home));
  const BasicBlock* last = last_of(loop);
  for (const Instruction& i : block)
    if (waits(i))
      wait_slowly(i, after(*last));
    else if (!llvm::isa<llvm::PHINode>(i) && !i.isTerminator())
      slow_->emit(i);
  if (BasicBlock* end = slow_ends_.lookup(&block)) {
    b_.CreateBr(end);
    b_.SetInsertPoint(end);
    slow_->begin_block();
    slow_->set_mask(load_mask(home));
  }
  steady_terminator(block, loop);
}

void RegionEmitter::steady_terminator(const BasicBlock& block, const llvm::Loop& loop) {
  const auto* branch = llvm::cast<llvm::BranchInst>(block.getTerminator());
  const BasicBlock* last = last_of(loop);
  const auto go = [&](const BasicBlock* to) {
    if (!loop.contains(to)) {
      slow_edge(block, *to, slow_->masks());
      b_.CreateBr(after(*last));
      return;
    }
    fast_edge(*slow_, block, *to);
    BasicBlock* target = slow_blocks_[to];
    if (to == loop.getHeader()) {
      BasicBlock*& head = steady_heads_[to];
      if (head == nullptr) head = weaver_.block("steady");
      target = head;
    }
    b_.CreateBr(target);
  };
  if (branch->isUnconditional()) return go(branch->getSuccessor(0));
  BasicBlock *yes = weaver_.block("yes"), *no = weaver_.block("no");
  b_.CreateCondBr(slow_->get(branch->getCondition()).parts[0], yes, no);
  const Unit::Known known = slow_->known();
  b_.SetInsertPoint(yes);
  go(branch->getSuccessor(0));
  slow_->forget_but(known);
  b_.SetInsertPoint(no);
  go(branch->getSuccessor(1));
}

// What comes after a block in slow code: the next one, but first the loops that end here go round.
BasicBlock* RegionEmitter::after(const BasicBlock& block) {
  const Flow& flow = *region_.slow_flow;
  const unsigned position = flow.position(&block);
  BasicBlock* next =
      position + 1 < flow.order().size() ? slow_blocks_[flow.order()[position + 1]] : warp_end_;
  llvm::SmallVector<const llvm::Loop*, 4> ending;
  for (const llvm::Loop* loop = flow.loops().getLoopFor(&block); loop != nullptr;
       loop = loop->getParentLoop())
    if ((position + 1 == flow.order().size() || !loop->contains(flow.order()[position + 1])) &&
        !region_.is_serial(loop->getHeader()))
      ending.push_back(loop);
  if (ending.empty()) return next;
  // Built back to front, outermost loop last.
  const auto place = b_.saveIP();
  BasicBlock* target = next;
  for (const llvm::Loop* loop : llvm::reverse(ending)) {
    BasicBlock *test = weaver_.block("again?"), *again = weaver_.block("again");
    b_.SetInsertPoint(test);
    auto round = load_mask(mask_home(loop->getHeader(), 1));
    b_.CreateCondBr(slow_->any(round), again, target);
    b_.SetInsertPoint(again);
    store_mask(mask_home(loop->getHeader(), 0), round);
    const llvm::SmallVector<Value*, 4> nothing(round.size(), zero_mask());
    store_mask(mask_home(loop->getHeader(), 1), nothing);
    b_.CreateBr(slow_blocks_[loop->getHeader()]);
    target = test;
  }
  b_.restoreIP(place);
  return target;
}

RegionEmitter::SlowEdge RegionEmitter::slow_edge_values(const BasicBlock& from, const BasicBlock& to) {
  SlowEdge edge{&from, &to, {}};
  for (const llvm::PHINode& phi : to.phis()) {
    const Value* value = phi.getIncomingValueForBlock(&from);
    if (llvm::isa<llvm::UndefValue>(value)) continue;
    edge.values.emplace_back(&phi, slow_->convert(slow_->get(value), slow_->patterns().of(&phi)));
  }
  return edge;
}

void RegionEmitter::slow_phis(SlowEdge edge, llvm::ArrayRef<Value*> mask) {
  Value* any = nullptr;
  for (auto& [phi, rep] : edge.values) {
    const auto home = slow_->home(phi);
    for (unsigned i = 0; i < home.size(); ++i) {
      Value* old = b_.CreateLoad(home[i]->getAllocatedType(), home[i]);
      Value* takes = nullptr;
      if (rep.pattern.kind == Pattern::vector) {
        takes = mask[i];
      } else if (rep.pattern.kind != Pattern::affine) {
        takes = slow_->any({mask[i % mask.size()]});
      } else {
        if (any == nullptr) any = slow_->any(mask);
        takes = any;
      }
      rep.parts[i] = b_.CreateSelect(takes, rep.parts[i], old);
    }
  }
  for (auto& [phi, rep] : edge.values) {
    const auto home = slow_->home(phi);
    for (unsigned i = 0; i < home.size(); ++i) b_.CreateStore(rep.parts[i], home[i]);
  }
}

void RegionEmitter::slow_edge(SlowEdge edge, llvm::ArrayRef<Value*> mask) {
  slow_phis(edge, mask);
  if (weaver_.on_their_own && llvm::isa<llvm::ReturnInst>(edge.to->getFirstNonPHI())) note_gone(mask);
  const auto home = mask_home(edge.to, region_.slow_flow->is_back_edge(edge.from, edge.to) ? 1 : 0);
  llvm::SmallVector<Value*, 4> sum = load_mask(home);
  for (unsigned i = 0; i < sum.size(); ++i) sum[i] = b_.CreateOr(sum[i], mask[i]);
  store_mask(home, sum);
}

void RegionEmitter::slow_edge(const BasicBlock& from, const BasicBlock& to, llvm::ArrayRef<Value*> mask) {
  slow_edge(slow_edge_values(from, to), mask);
}

void RegionEmitter::slow_terminator(const BasicBlock& block) {
  const Instruction* terminator = block.getTerminator();
  if (const auto* ret = llvm::dyn_cast<llvm::ReturnInst>(terminator)) return slow_return(*ret);
  if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(terminator)) {
    if (branch->isUnconditional()) {
      slow_edge(block, *branch->getSuccessor(0), slow_->masks());
    } else if (const SerialPart* part = region_.part_behind(&block)) {
      serial_terminator(block, *part);
    } else {
      const Rep condition = slow_->get(branch->getCondition());
      llvm::SmallVector<Value*, 4> yes, no;
      for (unsigned i = 0; i < slow_->vectors(); ++i) {
        Value* taken = weaver_.lanes.vector(condition, i);
        Value* mask = slow_->masks()[i];
        yes.push_back(b_.CreateSelect(mask, taken, zero_mask()));
        no.push_back(b_.CreateSelect(mask, b_.CreateNot(taken), zero_mask()));
      }
      // Both read before either writes: a way back into a loop changes what all lanes share, and lanes that
      // leave take it as it was.
      SlowEdge one = slow_edge_values(block, *branch->getSuccessor(0)),
               other = slow_edge_values(block, *branch->getSuccessor(1));
      slow_edge(std::move(one), yes);
      slow_edge(std::move(other), no);
    }
  }
  BasicBlock* next = after(block);
  b_.CreateBr(next);
}

void RegionEmitter::slow_return(const llvm::ReturnInst& ret) {
  const bool over = region_.is_certain() && region_.outcomes[0] == region_end;
  if (region_.is_certain() && !over) {
    for (unsigned i = 0; i < slow_->vectors(); ++i)
      if (weaver_.live != nullptr) b_.CreateStore(slow_->masks()[i], live_place(slow_->warp_number(0), i));
  } else if (!over) {
    const Rep next = slow_->get(ret.getReturnValue());
    Value* region = nullptr;
    for (unsigned i = 0; i < slow_->vectors(); ++i) {
      Value* ids = weaver_.lanes.vector(next, i);
      Value* stays = b_.CreateICmpNE(ids, llvm::ConstantInt::get(ids->getType(), region_end));
      stays = b_.CreateSelect(slow_->masks()[i], stays, zero_mask());
      if (weaver_.live != nullptr) b_.CreateStore(stays, live_place(slow_->warp_number(0), i));
      Value* id = b_.CreateIntMaxReduce(
          b_.CreateSelect(stays, ids, llvm::Constant::getNullValue(ids->getType())), false);
      region = region == nullptr ? id : b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, region, id);
    }
    Value* known = b_.CreateLoad(b_.getInt32Ty(), weaver_.next_region);
    b_.CreateStore(b_.CreateSelect(b_.CreateICmpEQ(region, b_.getInt32(region_end)), known, region),
                   weaver_.next_region);
  }
  if (!over && weaver_.sticky != nullptr)
    b_.CreateStore(b_.getInt8(1), b_.CreateInBoundsGEP(b_.getInt8Ty(), weaver_.sticky, group_));
  b_.CreateBr(warp_end_);
}

}  // namespace heddle::exec::jit
