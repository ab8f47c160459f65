#include "exec/jit/fiber/in_step.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "exec/jit/analysis/flow.h"
#include "exec/jit/analysis/needs.h"
#include "exec/jit/fiber/lane_address.h"
#include "exec/jit/ir/ops.h"
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
  // Of atomic operations: not 0 where the order of those of the same number makes no difference.
  uint32_t in_any_order = 0;
  uint64_t bytes = 0;
  std::optional<LaneAddress> address;  // nothing: anywhere
  bool operator==(const Kind&) const = default;
};

// Sums come out the same in any order, if nobody looks at what was there before. Lanes that retry a
// comparison change memory one after another, whichever way.
uint32_t order_of(const llvm::CallInst& atomic, Op op) {
  const auto kind = static_cast<AtomicKind>(immediate(atomic, 3));
  const uint32_t number = static_cast<uint32_t>(kind) + 1;
  if (kind == AtomicKind::compare_exchange) return number;
  const bool commutes = kind != AtomicKind::exchange && kind != AtomicKind::increment &&
                        kind != AtomicKind::decrement && atomic.getArgOperand(4)->getType()->isIntegerTy();
  return commutes && (op == Op::reduce || atomic.use_empty()) ? number : 0;
}

bool may_meet(const Kind& a, const Kind& b) {
  if (!a.writes && !b.writes) return false;
  if (a.in_any_order != 0 && a.in_any_order == b.in_any_order) return false;
  if (a.space != b.space && a.space != Space::generic && b.space != Space::generic) return false;
  return a.space != b.space || !a.address || !b.address ||
         !are_lanes_own(*a.address, a.bytes, *b.address, b.bytes);
}

class Steps {
 public:
  // Which functions may take locks, or be called under one.
  struct Locks {
    bool callers = false, called = false;
  };
  Steps(llvm::Function& function, const ThreadProgram& program, const module::Image& image, const Dim3& block,
        bool is_entry, Locks locks)
      : function_(function),
        program_(program),
        image_(image),
        is_entry_(is_entry),
        locks_(locks),
        flow_(function),
        addresses_(block) {}

  unsigned run() {
    collect();
    if (kinds_.empty()) return 0;
    find_meetings();
    find_pending();
    find_locked();
    place();
    while (find_disorder()) place();
    place_in_latches();
    llvm::IRBuilder<> ir(function_.getContext());
    for (Instruction* before : points_) {
      ir.SetInsertPoint(before);
      ir.SetCurrentDebugLocation(place_near(*before));
      llvm::CallInst* step = call_op(ir, Op::in_step, ir.getVoidTy(), {});
      if (is_last_first_.contains(before))
        step->addFnAttr(llvm::Attribute::get(function_.getContext(), last_first));
    }
    return static_cast<unsigned>(points_.size());
  }

 private:
  static constexpr unsigned none = ~0u, anything = 0, most_kinds = 256;
  enum class What : uint8_t { nothing, access, gathers, parts };
  // In which order the lanes of a warp must come to an access.
  enum class Order : uint8_t { any, first_first, last_first };
  struct Event {
    Instruction* instruction = nullptr;
    unsigned kind = none;  // none: all lanes come together here
    Order order = Order::any;
    bool parts = false;  // of kind `none`: not all, but the lanes that it names
    bool waits() const { return kind == none; }
  };

  unsigned count() const { return static_cast<unsigned>(flow_.order().size()); }

  // Lanes that wait are told apart by the place of what they wait before. A jump that a pass made has none:
  // then that of what comes before it, in its block or in those that lead there.
  llvm::DebugLoc place_near(const Instruction& point) const {
    const Instruction* from = &point;
    for (const BasicBlock* block = point.getParent(); block != nullptr;) {
      for (const Instruction* i = from; i != nullptr; i = i->getPrevNode())
        if (i->getDebugLoc() && i->getDebugLoc().getLine() != 0) return i->getDebugLoc();
      const auto* node = flow_.dominators().getNode(const_cast<BasicBlock*>(block));
      const auto* above = node != nullptr ? node->getIDom() : nullptr;
      block = above != nullptr ? above->getBlock() : nullptr;
      if (block != nullptr) from = block->getTerminator();
    }
    for (const Instruction& i : llvm::instructions(function_))
      if (i.getDebugLoc() && i.getDebugLoc().getLine() != 0) return i.getDebugLoc();
    return {};
  }

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
      case Op::barrier_some: {
        const auto kind = static_cast<BarrierKind>(immediate(call, 0));
        return kind != BarrierKind::arrive && !is_of_cluster(kind);
      }
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

  // Of what does not gather all.
  static bool waits_for_named(Op op) {
    switch (op) {
      case Op::shuffle:
      case Op::vote:
      case Op::ballot:
      case Op::match_any:
      case Op::match_all:
      case Op::warp_reduce:
      case Op::warp_barrier: return true;
      default: return false;
    }
  }

  What classify(const Instruction& i, unsigned& kind, Order& order) {
    kind = none;
    order = Order::any;
    const auto op = op_of(&i);
    if (!op) return What::nothing;
    const auto& call = llvm::cast<llvm::CallInst>(i);
    if (gathers(call, *op)) return What::gathers;
    if (waits_for_named(*op)) return What::parts;
    if (*op == Op::call || *op == Op::step) {
      kind = anything;
      return What::access;
    }
    const bool atomic = *op == Op::atomic || *op == Op::reduce;
    if (*op != Op::load && *op != Op::store && !atomic) return What::nothing;
    const auto space = static_cast<Space>(immediate(call, 1));
    if (space != Space::shared && space != Space::global && space != Space::generic) return What::nothing;
    if (*op == Op::load && (immediate(call, 2) & access_non_coherent) != 0) return What::nothing;
    Kind found{.space = space,
               .reads = atomic || *op == Op::load,
               .writes = *op != Op::load,
               .in_any_order = atomic ? order_of(call, *op) : 0,
               .bytes = bytes_of(call, *op),
               .address = addresses_.of(call.getArgOperand(0))};
    if (atomic && found.in_any_order == 0) {
      order = Order::first_first;
    } else if (*op == Op::store && may_meet(found, found) &&
               !std::all_of(call.arg_begin() + 3, call.arg_end(),
                            [&](const llvm::Use& value) { return addresses_.is_uniform(value); })) {
      order = Order::last_first;
    }
    mixes_orders_ |= order == Order::last_first;
    has_ordered_ |= order != Order::any;
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
    kinds_.push_back({.reads = true, .writes = true, .address = std::nullopt});
    mixes_orders_ = !program_.functions.empty();
    events_.resize(count());
    in_disorder_.assign(count(), false);
    bool any = false;
    for (unsigned b = 0; b < count(); ++b)
      for (Instruction& i : *flow_.order()[b]) {
        unsigned kind = none;
        Order order = Order::any;
        const What what = classify(i, kind, order);
        if (what == What::nothing) continue;
        events_[b].push_back({&i, kind, order, what == What::parts});
        any |= what == What::access;
        has_parts_ |= what == What::parts;
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
    BitVector& between = between_[meeting];
    between.resize(count());
    between |= seen;
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
          if (e.kind != none)
            pending.set(e.kind);
          else if (!e.parts)
            pending.reset();
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

  // ---- where lanes come one after another

  // From a loop that tries for a lock on, until all lanes come together: who has the lock does not wait for
  // who wants it.
  void find_locked() {
    wants_lock_.assign(count(), false);
    for (const llvm::Loop* loop : find_lock_loops(flow_.loops(), flow_.dominators()))
      for (const BasicBlock* block : loop->blocks()) wants_lock_[flow_.position(block)] = true;
    locked_out_.assign(count(), false);
    for (bool changed = true; changed;) {
      changed = false;
      for (unsigned b = 0; b < count(); ++b) {
        bool locked = locked_before(b);
        for (const Event& e : events_[b]) locked = locked_behind(locked, b, e);
        if (locked == locked_out_[b]) continue;
        locked_out_[b] = changed = true;
      }
    }
  }

  bool locked_before(unsigned b) const {
    if (wants_lock_[b] || (b == 0 && !is_entry_ && (locks_.callers || locks_.called))) return true;
    return llvm::any_of(llvm::predecessors(flow_.order()[b]),
                        [&](const BasicBlock* from) { return locked_out_[flow_.position(from)]; });
  }

  bool locked_behind(bool locked, unsigned b, const Event& e) const {
    if (e.parts) return locked;
    if (e.kind == none) return wants_lock_[b] || (locked && !is_waited_for(*e.instruction));
    return locked || (locks_.called && is_op(e.instruction, Op::call));
  }

  // Not only by those that happen to come.
  static bool is_waited_for(const Instruction& i) {
    return !is_op(&i, Op::active_mask) && !is_op(&i, Op::in_step) && !is_op(&i, Op::step);
  }

  // ---- where the order of lanes is not that of their numbers

  // Who parted and waited meanwhile comes behind who did not, until all come together. True: there is more of
  // it than was known, since places were put in.
  bool find_disorder() {
    if (!has_ordered_ || (between_.empty() && !has_parts_)) return false;
    const auto known = in_disorder_;
    in_disorder_.assign(count(), false);
    std::vector<bool> waits(count()), behind(count());
    for (unsigned b = 0; b < count(); ++b)
      waits[b] = is_point_.contains(flow_.order()[b]->getTerminator()) ||
                 llvm::any_of(events_[b],
                              [&](const Event& e) { return e.waits() || is_point_.contains(e.instruction); });
    for (const auto& [meeting, blocks] : between_)
      in_disorder_[meeting] =
          llvm::any_of(blocks.set_bits(), [&](unsigned b) { return static_cast<bool>(waits[b]); });
    for (bool changed = true; changed;) {
      changed = false;
      for (unsigned b = 0; b < count(); ++b) {
        for (const BasicBlock* from : llvm::predecessors(flow_.order()[b]))
          if (behind[flow_.position(from)]) in_disorder_[b] = true;
        if (behind[b] || !is_disorder_behind(b)) continue;
        behind[b] = changed = true;
      }
    }
    return in_disorder_ != known;
  }

  bool is_disorder_behind(unsigned b) const {
    if (is_point_.contains(flow_.order()[b]->getTerminator())) return false;
    bool disorder = in_disorder_[b];
    for (const Event& e : events_[b]) disorder = e.parts || (disorder && !is_together(e));
    return disorder;
  }
  // All lanes that are on their way come together there.
  bool is_together(const Event& e) const {
    return (e.kind == none && !e.parts) || is_point_.contains(e.instruction);
  }

  // ---- places

  void place() {
    for (unsigned b = 0; b < count(); ++b) {
      BitVector pending = before(b);
      bool locked = locked_before(b);
      // Of the lanes here, if it is known.
      Order order = mixes_orders_ || in_disorder_[b] ? Order::any : Order::first_first;
      for (const Event& e : events_[b]) {
        const bool is_locked = locked;
        locked = locked_behind(locked, b, e);
        if (is_point_.contains(e.instruction)) {
          pending.reset();
          order = is_last_first_.contains(e.instruction) ? Order::last_first : Order::first_first;
        }
        if (e.kind == none) {
          if (!e.parts) pending.reset();
          order = e.parts ? Order::any : Order::first_first;
          continue;
        }
        BitVector met = meets_[e.kind];
        met &= pending;
        if (met.any()) {
          const llvm::Loop* loop = outside(flow_.order()[b], met);
          BasicBlock* preheader = loop != nullptr ? loop->getLoopPreheader() : nullptr;
          if (preheader != nullptr && !locked_out_[flow_.position(preheader)]) {
            put(*preheader->getTerminator());
            pending &= of_loop(*loop);
          } else if (!is_locked) {
            put(*e.instruction);
            pending.reset();
            order = Order::first_first;
          }
        }
        if (e.order != Order::any && e.order != order && !is_locked) {
          put(*e.instruction);
          pending.reset();
          order = e.order;
          if (order == Order::last_first) is_last_first_.insert(e.instruction);
        }
        pending.set(e.kind);
        if (is_op(e.instruction, Op::call)) order = Order::any;
      }
      if (is_point_.contains(flow_.order()[b]->getTerminator())) pending.reset();
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
        if (latch == nullptr || locked_out_[flow_.position(latch)] ||
            (loop == inner && flow_.dominators().dominates(block, latch)))
          continue;
        if (done.insert(loop).second) put(*latch->getTerminator());
      }
    }
  }

  llvm::Function& function_;
  const ThreadProgram& program_;
  const module::Image& image_;
  const bool is_entry_;
  const Locks locks_;
  const Flow flow_;
  LaneAddresses addresses_;
  std::vector<Kind> kinds_;
  std::vector<BitVector> meets_;
  std::vector<std::vector<Event>> events_;              // of each block in its order
  std::vector<BitVector> of_block_, at_meeting_, out_;  // kinds
  llvm::DenseMap<const llvm::Loop*, BitVector> of_loop_;
  llvm::DenseMap<unsigned, BitVector> between_;  // by the block where lanes meet: where they may have been
  std::vector<bool> comes_, wants_lock_, locked_out_, in_disorder_;
  std::vector<unsigned> meeting_;
  std::vector<Instruction*> points_;
  llvm::DenseSet<const Instruction*> is_point_, is_last_first_;
  bool mixes_orders_ = false, has_ordered_ = false, has_parts_ = false;
};

}  // namespace

unsigned keep_in_step(ThreadProgram& program, const module::Image& image, const Dim3& block) {
  if (block.count() < 2) return 0;
  const auto has_locks = [](llvm::Function& function) {
    const Flow flow(function);
    return !find_lock_loops(flow.loops(), flow.dominators()).empty();
  };
  const Steps::Locks locks{
      has_locks(*program.entry),
      llvm::any_of(program.functions, [&](const CalledFunction& f) { return has_locks(*f.code); })};
  unsigned places = Steps(*program.entry, program, image, block, true, locks).run();
  for (const CalledFunction& f : program.functions)
    places += Steps(*f.code, program, image, block, false, locks).run();
  return places;
}

}  // namespace heddle::exec::jit
