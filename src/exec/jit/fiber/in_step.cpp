#include "exec/jit/fiber/in_step.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "exec/jit/fiber/lane_address.h"
#include "exec/jit/thread/needs.h"
#include "exec/jit/thread/ops.h"
#include "exec/jit/warp/flow.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"

namespace heddle::exec::jit {

namespace {

using llvm::BasicBlock;
using llvm::BitVector;
using llvm::Instruction;
using module::Space;

// Accesses that are alike in all that matters here.
struct Kind {
  Space space = Space::generic;
  bool reads = false, writes = false;  // both: atomically
  uint64_t bytes = 0;
  std::optional<LaneAddress> address;  // nothing: anywhere
  bool operator==(const Kind&) const = default;
};

bool may_meet(const Kind& a, const Kind& b) {
  if (!a.writes && !b.writes) return false;
  // Who uses atomic operations alone does not count on an order of lanes; what takes a lock does not wait for
  // who wants it.
  if (a.reads && a.writes && b.reads && b.writes && a.address && b.address) return false;
  if (a.space != b.space && a.space != Space::generic && b.space != Space::generic) return false;
  return a.space != b.space || !a.address || !b.address ||
         !are_lanes_own(*a.address, a.bytes, *b.address, b.bytes);
}

class Steps {
 public:
  Steps(llvm::Function& function, const ThreadProgram& program, const module::Image& image, const Dim3& block,
        bool is_entry)
      : function_(function),
        program_(program),
        image_(image),
        is_entry_(is_entry),
        flow_(function),
        addresses_(block) {}

  unsigned run() {
    collect();
    if (kinds_.empty()) return 0;
    find_meetings();
    find_pending();
    place();
    place_in_latches();
    llvm::IRBuilder<> ir(function_.getContext());
    for (Instruction* before : points_) {
      ir.SetInsertPoint(before);
      call_op(ir, Op::in_step, ir.getVoidTy(), {});
    }
    return static_cast<unsigned>(points_.size());
  }

 private:
  static constexpr unsigned none = ~0u, anything = 0, most_kinds = 256;
  enum class What : uint8_t { nothing, access, gathers };

  unsigned count() const { return static_cast<unsigned>(flow_.order().size()); }

  // ---- accesses

  static uint64_t bytes_of(const llvm::CallInst& call, Op op) {
    const auto of = [](const llvm::Type* type) { return uint64_t{type->getPrimitiveSizeInBits()} / 8; };
    if (op == Op::store) return of(call.getArgOperand(3)->getType()) * (call.arg_size() - 3);
    if (op != Op::load) return of(call.getArgOperand(4)->getType());
    uint64_t bytes = 0;
    if (const auto* parts = llvm::dyn_cast<llvm::StructType>(call.getType()))
      for (const llvm::Type* part : parts->elements()) bytes += of(part);
    else
      bytes = of(call.getType());
    return bytes;
  }

  // Whether all lanes of the warp that are there must have come before one goes on.
  bool gathers(const llvm::CallInst& call, Op op) const {
    const auto whole = [&](unsigned argument) {
      const auto* members = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(argument));
      return members != nullptr && members->isMinusOne();
    };
    switch (op) {
      case Op::barrier:
      case Op::barrier_reduce:
      case Op::active_mask:
      case Op::in_step: return true;
      case Op::barrier_some: return static_cast<BarrierKind>(immediate(call, 0)) != BarrierKind::arrive;
      case Op::shuffle: return whole(4);
      case Op::vote: return whole(2);
      case Op::ballot:
      case Op::match_any:
      case Op::match_all: return whole(1);
      case Op::warp_reduce: return whole(2);
      case Op::warp_barrier: return whole(0);
      case Op::step: return is_of_a_warp(call, program_.sites, image_);
      default: return false;
    }
  }

  What classify(const Instruction& i, unsigned& kind) {
    kind = none;
    const auto op = op_of(&i);
    if (!op) return What::nothing;
    const auto& call = llvm::cast<llvm::CallInst>(i);
    if (gathers(call, *op)) return What::gathers;
    if (*op == Op::call || *op == Op::step) {
      kind = anything;
      return What::access;
    }
    const bool atomic = *op == Op::atomic || *op == Op::reduce;
    if (*op != Op::load && *op != Op::store && !atomic) return What::nothing;
    const auto space = static_cast<Space>(immediate(call, 1));
    if (space != Space::shared && space != Space::global && space != Space::generic) return What::nothing;
    if (*op == Op::load && (immediate(call, 2) & access_non_coherent) != 0) return What::nothing;
    Kind found{space, atomic || *op == Op::load, *op != Op::load, bytes_of(call, *op),
               addresses_.of(call.getArgOperand(0))};
    const auto known = std::ranges::find(kinds_, found);
    if (known != kinds_.end()) {
      kind = static_cast<unsigned>(known - kinds_.begin());
    } else if (kinds_.size() < most_kinds) {
      kind = static_cast<unsigned>(kinds_.size());
      kinds_.push_back(std::move(found));
    } else {
      kind = anything;
    }
    return What::access;
  }

  void collect() {
    // The first one stands for whatever it may be: what a function does, and an instruction of the reference
    // executor.
    kinds_.push_back({Space::generic, true, true, 0, std::nullopt});
    events_.resize(count());
    bool any = false;
    for (unsigned b = 0; b < count(); ++b)
      for (Instruction& i : *flow_.order()[b]) {
        unsigned kind = none;
        const What what = classify(i, kind);
        if (what == What::nothing) continue;
        events_[b].push_back({&i, kind});
        any |= what == What::access;
      }
    if (!any) return kinds_.clear();
    const auto size = static_cast<unsigned>(kinds_.size());
    meets_.assign(size, BitVector(size));
    for (unsigned a = 0; a < size; ++a)
      for (unsigned b = a; b < size; ++b)
        if (may_meet(kinds_[a], kinds_[b])) meets_[a].set(b), meets_[b].set(a);
    of_block_.assign(count(), BitVector(size));
    for (unsigned b = 0; b < count(); ++b)
      for (const Event& e : events_[b])
        if (e.kind != none) of_block_[b].set(e.kind);
  }

  // ---- where lanes that parted meet again

  // Post-dominators of the blocks from which there is an access to come: lanes that are through are not
  // waited for. A branch whose ways do not meet has none.
  void find_meetings() {
    const unsigned end = count();
    comes_.resize(count());
    for (unsigned b = 0; b < count(); ++b) comes_[b] = of_block_[b].any();
    for (bool changed = true; changed;) {
      changed = false;
      for (unsigned b = count(); b-- > 0;)
        for (const BasicBlock* next : llvm::successors(flow_.order()[b]))
          if (!comes_[b] && comes_[flow_.position(next)]) comes_[b] = changed = true;
    }
    // Backwards from the end behind all of them: in what order blocks are left (Cooper, Harvey and Kennedy,
    // "A simple, fast dominance algorithm").
    std::vector<unsigned> left(count() + 1, none), order;
    std::vector<bool> seen(count(), false);
    std::vector<std::pair<unsigned, bool>> open;
    for (unsigned b = 0; b < count(); ++b)
      if (comes_[b] && ways(b).empty()) open.emplace_back(b, false);
    while (!open.empty()) {
      const auto [b, done] = open.back();
      open.pop_back();
      if (done) {
        left[b] = static_cast<unsigned>(order.size());
        order.push_back(b);
        continue;
      }
      if (seen[b]) continue;
      seen[b] = true;
      open.emplace_back(b, true);
      for (const BasicBlock* from : llvm::predecessors(flow_.order()[b]))
        open.emplace_back(flow_.position(from), false);
    }
    left[end] = static_cast<unsigned>(order.size());
    meeting_.assign(count() + 1, none);
    meeting_[end] = end;
    for (bool changed = true; changed;) {
      changed = false;
      for (const unsigned b : llvm::reverse(order)) {
        unsigned meets = ways(b).empty() ? end : none;
        for (unsigned next : ways(b)) {
          if (meeting_[next] == none) continue;  // not known yet
          if (meets == none) meets = next;
          while (meets != next) {
            unsigned& nearer = left[meets] < left[next] ? meets : next;
            nearer = meeting_[nearer];
          }
        }
        changed |= meets != meeting_[b];
        meeting_[b] = meets;
      }
    }
    at_meeting_.assign(count(), BitVector(static_cast<unsigned>(kinds_.size())));
    for (unsigned b = 0; b < count(); ++b) {
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(flow_.order()[b]->getTerminator());
      const bool parts = branch != nullptr && branch->isConditional() && comes_[b] &&
                         !addresses_.is_uniform(branch->getCondition());
      if (!parts || meeting_[b] == none || meeting_[b] == end) continue;
      add_between(b, meeting_[b]);
    }
  }

  // Where there is an access to come.
  llvm::SmallVector<unsigned, 2> ways(unsigned block) const {
    llvm::SmallVector<unsigned, 2> next;
    for (const BasicBlock* to : llvm::successors(flow_.order()[block]))
      if (comes_[flow_.position(to)]) next.push_back(flow_.position(to));
    return next;
  }

  // What lanes that parted may have done since, as far as others are concerned that come to the meeting
  // first.
  void add_between(unsigned branch, unsigned meeting) {
    BitVector seen(count());
    std::vector<unsigned> open{branch};
    while (!open.empty()) {
      const unsigned b = open.back();
      open.pop_back();
      for (const unsigned next : ways(b)) {
        if (next == meeting || seen[next]) continue;
        seen.set(next);
        at_meeting_[meeting] |= of_block_[next];
        open.push_back(next);
      }
    }
  }

  // ---- what may not have been done yet by all lanes when one comes here

  void find_pending() {
    const auto size = static_cast<unsigned>(kinds_.size());
    out_.assign(count(), BitVector(size));
    for (bool changed = true; changed;) {
      changed = false;
      for (unsigned b = 0; b < count(); ++b) {
        BitVector pending = before(b);
        for (const Event& e : events_[b]) {
          if (e.kind == none)
            pending.reset();
          else
            pending.set(e.kind);
        }
        if (pending == out_[b]) continue;
        out_[b] = std::move(pending);
        changed = true;
      }
    }
  }

  BitVector before(unsigned b) const {
    BitVector pending = at_meeting_[b];
    const BasicBlock* block = flow_.order()[b];
    for (const BasicBlock* from : llvm::predecessors(block)) pending |= out_[flow_.position(from)];
    if (b == 0 && !is_entry_) pending.set(anything);  // its caller's
    return pending;
  }

  // ---- places

  void place() {
    for (unsigned b = 0; b < count(); ++b) {
      BitVector pending = before(b);
      for (const Event& e : events_[b]) {
        if (e.kind == none) {
          pending.reset();
          continue;
        }
        BitVector met = meets_[e.kind];
        met &= pending;
        if (met.any()) {
          if (const llvm::Loop* loop = outside(flow_.order()[b], met)) {
            put(*loop->getLoopPreheader()->getTerminator());
            pending &= of_loop(*loop);
          } else {
            put(*e.instruction);
            pending.reset();
          }
        }
        pending.set(e.kind);
      }
      out_[b] = std::move(pending);
    }
  }

  // The outermost loop around the block in which none of these is.
  const llvm::Loop* outside(const BasicBlock* block, const BitVector& kinds) {
    const llvm::Loop* found = nullptr;
    for (const llvm::Loop* l = flow_.loops().getLoopFor(block); l != nullptr; l = l->getParentLoop()) {
      if (l->getLoopPreheader() == nullptr || of_loop(*l).anyCommon(kinds)) break;
      found = l;
    }
    return found;
  }

  const BitVector& of_loop(const llvm::Loop& loop) {
    BitVector& all = of_loop_[&loop];
    if (all.empty()) {
      all.resize(static_cast<unsigned>(kinds_.size()));
      for (const BasicBlock* block : loop.blocks()) all |= of_block_[flow_.position(block)];
    }
    return all;
  }

  void put(Instruction& before) {
    if (is_point_.insert(&before).second) points_.push_back(&before);
  }

  // Lanes that jump over a place in a loop must not come to it in the next turn while others are there in
  // this one: they wait at the turn's end.
  void place_in_latches() {
    llvm::DenseSet<const llvm::Loop*> done;
    const std::vector<Instruction*> points = points_;
    for (Instruction* point : points) {
      const BasicBlock* block = point->getParent();
      const llvm::Loop* inner = flow_.loops().getLoopFor(block);
      for (const llvm::Loop* loop = inner; loop != nullptr; loop = loop->getParentLoop()) {
        BasicBlock* latch = loop->getLoopLatch();
        if (latch == nullptr || (loop == inner && flow_.dominators().dominates(block, latch))) continue;
        if (done.insert(loop).second) put(*latch->getTerminator());
      }
    }
  }

  struct Event {
    Instruction* instruction = nullptr;
    unsigned kind = none;  // none: all lanes come together here
  };

  llvm::Function& function_;
  const ThreadProgram& program_;
  const module::Image& image_;
  const bool is_entry_;
  const Flow flow_;
  LaneAddresses addresses_;
  std::vector<Kind> kinds_;
  std::vector<BitVector> meets_;
  std::vector<std::vector<Event>> events_;              // of each block in its order
  std::vector<BitVector> of_block_, at_meeting_, out_;  // kinds
  llvm::DenseMap<const llvm::Loop*, BitVector> of_loop_;
  std::vector<bool> comes_;
  std::vector<unsigned> meeting_;
  std::vector<Instruction*> points_;
  llvm::DenseSet<const Instruction*> is_point_;
};

}  // namespace

unsigned keep_in_step(ThreadProgram& program, const module::Image& image, const Dim3& block) {
  // Lanes that want a lock come one after another: there is no step to keep.
  if (block.count() < 2 || has_locks(*program.entry)) return 0;
  unsigned places = Steps(*program.entry, program, image, block, true).run();
  for (const CalledFunction& f : program.functions)
    places += Steps(*f.code, program, image, block, false).run();
  return places;
}

}  // namespace heddle::exec::jit
