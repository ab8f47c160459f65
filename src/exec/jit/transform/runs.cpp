#include "exec/jit/transform/runs.h"

#include <algorithm>
#include <bit>

#include "exec/jit/analysis/run_order.h"
#include "exec/jit/passes/costs.h"
#include "exec/jit/transform/tested_rows.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

namespace heddle::exec::jit {

namespace {

using llvm::BasicBlock;
using llvm::CallInst;
using llvm::Instruction;
using llvm::Loop;
using module::Space;

constexpr const char* mark = "heddle.row";  // metadata: an access that may be part of a run

class Joiner {
 public:
  Joiner(ThreadProgram& program, const Flow& flow, const Patterns& patterns)
      : program_(program), thread_(*program.entry), flow_(flow), patterns_(patterns) {}

  // Marks the accesses that are worth it. False: there is nothing to join.
  bool find_candidates(bool loops) {
    const unsigned kind = thread_.getContext().getMDKindID(mark);
    llvm::MDNode* node = llvm::MDNode::get(thread_.getContext(), {});
    bool found = false;
    for (BasicBlock* block : flow_.order()) {
      // What lanes leave one by one is done under masks, or thread by thread (serial.h).
      const Loop* loop = flow_.loops().getLoopFor(block);
      const bool parts = loop != nullptr && flow_.is_divergent_loop(loop);
      if (parts && !leaves_by_steps(*loop)) continue;
      llvm::SmallVector<CallInst*, 8> loads, stores;
      for (Instruction& i : *block) {
        const bool is_store = is_op(&i, Op::store);
        if (!is_store && !is_op(&i, Op::load)) continue;
        auto& access = llvm::cast<CallInst>(i);
        keep_lane_step(access, patterns_.of(access.getArgOperand(0)));
        if (is_candidate(access)) (is_store ? stores : loads).push_back(&access);
      }
      const bool turns = loops && !parts && walks(block);
      if (turns && llvm::any_of(*block, [&](const Instruction& i) {
            return (is_op(&i, Op::load) || is_op(&i, Op::store)) && is_of_a_row(llvm::cast<CallInst>(i));
          })) {
        turning_.push_back(block);
        found = true;
      }
      if (loads.size() < 2 && !(turns && !loads.empty())) loads.clear();
      if (stores.size() < 2) stores.clear();
      for (auto* accesses : {&loads, &stores})
        for (CallInst* access : *accesses) access->setMetadata(kind, node);
      found |= !loads.empty() || !stores.empty();
    }
    return found;
  }

  void unroll_loops(bool tested_rows) {
    for (BasicBlock* block : turning_) {
      ThreadAnalyses known(thread_);
      const unsigned turns = turns_of(*block, known);
      if (turns < 2) {
        if (!tested_rows) continue;
        const auto is_row = [&](const CallInst& access) { return is_of_a_row(access); };
        const auto elements = [&](unsigned bytes) { return wanted(bytes); };
        const TestedLoop tested =
            test_rows(*block, known, {is_row, elements, ++tested_, cost::most_unrolled_tested}, mark);
        if (tested.block == nullptr) continue;
        ThreadAnalyses anew(thread_);
        unroll(*tested.block, tested.turns, anew);
        continue;
      }
      unroll(*block, turns, known);
    }
    if (tested_ != 0) fold_tested_rows(thread_);
  }

  static void unroll(BasicBlock& block, unsigned turns, ThreadAnalyses& known) {
    llvm::UnrollLoopOptions options{};
    options.Count = turns;
    options.Runtime = true;
    options.AllowExpensiveTripCount = true;
    llvm::UnrollLoop(known.loops.getLoopFor(&block), options, &known.loops, &known.evolution,
                     &known.dominators, &known.assumptions, &known.target, nullptr, true);
  }

  unsigned join() {
    unsigned joined = 0;
    for (const bool stores : {false, true}) {
      ThreadAnalyses known(thread_);
      std::vector<BasicBlock*> blocks;
      for (BasicBlock& block : thread_) blocks.push_back(&block);
      for (BasicBlock* block : blocks)
        for (Group& group : groups_of(*block, stores, known)) joined += put_together(group);
    }
    const unsigned kind = thread_.getContext().getMDKindID(mark);
    for (BasicBlock& block : thread_)
      for (Instruction& i : block)
        if (llvm::isa<CallInst>(i)) i.setMetadata(kind, nullptr);
    return joined;
  }

 private:
  // Loads, or stores, of one block from one base, nothing between that holds them back.
  struct Member {
    int64_t offset = 0;  // from the first one's address
    CallInst* access = nullptr;
    unsigned position = 0;
  };
  struct Group {
    llvm::SmallVector<Member, 16> members;  // as they come in the block
    llvm::SmallVector<Member, 4> crossed;   // stores that loads which come later must lie apart from
    CallInst* first() const { return members.front().access; }
    bool stores() const { return is_op(first(), Op::store); }
  };

  static llvm::Type* type_of(const CallInst& access) {
    return is_op(&access, Op::store) ? access.getArgOperand(3)->getType() : access.getType();
  }

  bool leaves_by_steps(const Loop& loop) const {
    llvm::SmallVector<BasicBlock*, 4> exits;
    loop.getExitingBlocks(exits);
    return llvm::all_of(exits, [&](const BasicBlock* block) {
      return !flow_.is_divergent(block) || branches_by_steps(*block, patterns_);
    });
  }

  // Lanes that do not lie side by side.
  bool is_of_a_row(const CallInst& access) const {
    if (is_op(&access, Op::store) && access.arg_size() != 4) return false;
    const auto* type = llvm::dyn_cast<llvm::IntegerType>(type_of(access));
    if (type == nullptr || type->getBitWidth() < 8 || type->getBitWidth() > 64) return false;
    if (!std::has_single_bit(type->getBitWidth()) || is_ordered(access)) return false;
    const Space space = space_of(access);
    if (space != Space::global && space != Space::shared && space != Space::const_) return false;
    const Pattern address = patterns_.of(access.getArgOperand(0));
    const int64_t bytes = type->getBitWidth() / 8;
    if (address.kind == Pattern::vector) return true;
    return address.lane_step != 0 && address.lane_step != bytes && address.lane_step != -bytes;
  }

  // Of two lanes that store to one place the first wins, store by store: only where they do not.
  bool is_candidate(const CallInst& access) const {
    return is_of_a_row(access) &&
           (!is_op(&access, Op::store) || lane_step_of(access).value_or(0) > int64_t{bytes_of(access)});
  }

  // A loop of one block, all threads of which leave it together.
  bool walks(const BasicBlock* block) const {
    const Loop* loop = flow_.loops().getLoopFor(block);
    return loop != nullptr && loop->getHeader() == block && loop->getLoopLatch() == block &&
           loop->getLoopPreheader() != nullptr && !flow_.is_divergent(block);
  }

  std::vector<Group> groups_of(BasicBlock& block, bool stores, ThreadAnalyses& known) {
    const unsigned kind = thread_.getContext().getMDKindID(mark);
    std::vector<Group> open, all;
    unsigned position = 0;
    const auto close = [&](std::size_t g) {
      all.push_back(std::move(open[g]));
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(g));
    };
    for (Instruction& i : block) {
      ++position;
      Group* part_of = nullptr;
      if (auto* access = llvm::dyn_cast<CallInst>(&i); access != nullptr && i.getMetadata(kind) != nullptr &&
                                                       is_op(access, stores ? Op::store : Op::load)) {
        part_of = group_for(open, access, position, known);
        if (part_of == nullptr && open.size() < cost::most_open_runs)
          part_of = &open.emplace_back(Group{{Member{0, access, position}}, {}});
      }
      for (std::size_t g = 0; g < open.size();) {
        if (&open[g] == part_of || may_cross(open[g], i, known)) {
          ++g;
          continue;
        }
        const std::size_t own = part_of == nullptr ? 0 : static_cast<std::size_t>(part_of - open.data());
        close(g);
        if (part_of != nullptr) part_of = &open[own > g ? own - 1 : own];
      }
    }
    for (Group& group : open) all.push_back(std::move(group));
    return all;
  }

  // Which one `access` became part of.
  Group* group_for(std::vector<Group>& open, CallInst* access, unsigned position, ThreadAnalyses& known) {
    for (Group& group : open) {
      CallInst* first = group.first();
      if (type_of(*first) != type_of(*access) || space_of(*first) != space_of(*access) ||
          flags_of(*first) != flags_of(*access))
        continue;
      const auto offset = known.distance(*first, *access);
      if (!offset || *offset % bytes_of(*access) != 0 || std::abs(*offset) > 4096) continue;
      const auto apart = [&](const Member& other) {
        return lie_apart(*other.access, *access, *offset - other.offset);
      };
      if (!llvm::all_of(group.crossed, apart)) continue;
      if (group.stores() && !llvm::all_of(group.members, apart)) continue;
      group.members.push_back({*offset, access, position});
      return &group;
    }
    return nullptr;
  }

  // Loads that come behind `i` may move up across it, or the stores before it down.
  bool may_cross(Group& group, Instruction& i, ThreadAnalyses& known) {
    const CallInst& first = *group.first();
    const bool stores = group.stores();
    const Crossing crossing =
        stores ? crossing_of_store(i, space_of(first))
               : crossing_of_load(i, space_of(first), (flags_of(first) & access_non_coherent) != 0);
    if (crossing != Crossing::by_place) return crossing == Crossing::free;
    auto& other = llvm::cast<CallInst>(i);
    if (are_tested_apart(first, other)) return true;
    const auto offset = known.distance(first, other);
    if (!offset || !lanes_are_known(first, other)) return false;
    if (stores)
      return llvm::all_of(group.members, [&](const Member& member) {
        return lie_apart(*member.access, other, *offset - member.offset);
      });
    group.crossed.push_back({*offset, &other, 0});
    return true;
  }

  // How many turns of the loop make runs of full length; less than 2: leave it as it is.
  unsigned turns_of(BasicBlock& block, ThreadAnalyses& known) {
    const Loop* loop = known.loops.getLoopFor(&block);
    if (loop == nullptr || llvm::isa<llvm::SCEVCouldNotCompute>(known.evolution.getBackedgeTakenCount(loop)))
      return 0;
    unsigned turns = 0;
    for (Group& group : groups_of(block, false, known)) {
      const CallInst& first = *group.first();
      const bool non_coherent = (flags_of(first) & access_non_coherent) != 0;
      if (llvm::any_of(block, [&](Instruction& i) {
            return crossing_of_load(i, space_of(first), non_coherent) != Crossing::free;
          }))
        continue;
      // What a turn reads, and how far the next one is.
      llvm::SmallVector<int64_t, 16> offsets;
      for (const Member& member : group.members) offsets.push_back(member.offset);
      llvm::sort(offsets);
      offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
      const auto count = static_cast<unsigned>(offsets.size());
      const auto* along =
          llvm::dyn_cast<llvm::SCEVAddRecExpr>(known.evolution.getSCEV(first.getArgOperand(0)));
      if (along == nullptr || along->getLoop() != loop || !along->isAffine()) continue;
      const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(along->getStepRecurrence(known.evolution));
      const unsigned bytes = bytes_of(first);
      if (step == nullptr || step->getAPInt().getSExtValue() != int64_t{count} * bytes) continue;
      if (offsets.back() - offsets.front() != int64_t{count - 1} * bytes) continue;
      turns = std::max(turns, wanted(bytes) / count);
    }
    // A remainder of somebody else's unrolling never makes as many turns.
    if (const unsigned most = known.evolution.getSmallConstantMaxTripCount(loop); most != 0 && most < turns)
      return 0;
    const auto size = static_cast<unsigned>(block.size());
    while (turns >= 2 && turns * size > cost::most_unrolled) turns /= 2;
    return turns < 2 ? 0 : std::bit_floor(turns);
  }

  // Elements of a run: those of a vector, or of a line of the cache.
  unsigned wanted(unsigned bytes) const {
    return std::min({patterns_.lanes(), cost::most_run_bytes / bytes, cost::most_run_elements});
  }

  unsigned put_together(Group& group) {
    auto& members = group.members;
    if (members.size() < 2) return 0;
    const int64_t bytes = bytes_of(*group.first());
    llvm::sort(members, [](const Member& a, const Member& b) {
      return a.offset != b.offset ? a.offset < b.offset : a.position < b.position;
    });
    unsigned joined = 0;
    for (std::size_t begin = 0; begin < members.size();) {
      // Neighbours, as many as are a power of two; some may be read twice.
      std::size_t end = begin + 1;
      llvm::SmallVector<std::size_t, 16> elements{begin};
      for (; end < members.size(); ++end) {
        const int64_t step = members[end].offset - members[elements.back()].offset;
        if (step == 0) continue;
        if (step != bytes ||
            elements.size() == std::min<std::size_t>(cost::most_run_elements,
                                                     cost::most_run_bytes / static_cast<unsigned>(bytes)))
          break;
        elements.push_back(end);
      }
      const std::size_t whole = std::bit_floor(elements.size());
      const std::size_t next = whole < elements.size() ? elements[whole] : end;
      if (whole > 1) {
        make_run(llvm::ArrayRef(members).slice(begin, next - begin), static_cast<unsigned>(whole));
        ++joined;
      }
      begin = next;
    }
    return joined;
  }

  // Loads at the first one's place, stores at the last one's.
  void make_run(llvm::ArrayRef<Member> members, unsigned elements) {
    const bool stores = is_op(members[0].access, Op::store);
    const Member* at = &members[0];
    for (const Member& member : members)
      if (stores ? member.position > at->position : member.position < at->position) at = &member;
    CallInst* place = at->access;
    llvm::IRBuilder<> b(place);
    llvm::Value* address = place->getArgOperand(0);
    if (const int64_t back = members[0].offset - at->offset; back != 0)
      address =
          b.CreateAdd(address, llvm::ConstantInt::get(address->getType(), static_cast<uint64_t>(back), true));
    llvm::SmallVector<llvm::Value*, 20> arguments{
        address, place->getArgOperand(1), b.getInt32(static_cast<uint32_t>(flags_of(*place)) | access_run)};
    llvm::Type* type = b.getVoidTy();
    if (stores)
      for (const Member& member : members) arguments.push_back(member.access->getArgOperand(3));
    else
      type = llvm::StructType::get(b.getContext(),
                                   llvm::SmallVector<llvm::Type*, 16>(elements, place->getType()));
    auto* run = call_op(b, stores ? Op::store : Op::load, type, arguments);
    copy_lane_step(*place, *run);
    copy_tested_row(*place, *run);
    // A place for each element, in a row.
    const auto line = static_cast<unsigned>(program_.sites.size()) + 1;
    const bool located = llvm::all_of(members, [](const Member& m) { return bool(m.access->getDebugLoc()); });
    if (located)
      run->setDebugLoc(llvm::DILocation::get(b.getContext(), line, 0, place->getDebugLoc()->getScope()));
    int64_t last = members[0].offset - 1;
    llvm::Value* element = nullptr;
    unsigned number = 0;
    for (const Member& member : members) {
      if (member.offset != last) {
        if (!stores) element = b.CreateExtractValue(run, number++);
        if (located) {
          Site site = program_.sites[member.access->getDebugLoc().getLine() - 1];
          site.order = static_cast<uint32_t>(
              llvm::count_if(members, [&](const Member& m) { return m.position < member.position; }));
          program_.sites.push_back(site);
        }
        last = member.offset;
      }
      if (!stores) member.access->replaceAllUsesWith(element);
    }
    for (const Member& member : members) member.access->eraseFromParent();
  }

  ThreadProgram& program_;
  llvm::Function& thread_;
  const Flow& flow_;
  const Patterns& patterns_;
  std::vector<BasicBlock*> turning_;
  uint64_t tested_ = 0;  // loops that were asked
};

}  // namespace

unsigned join_runs(ThreadProgram& program, const Flow& flow, const Patterns& patterns, PassSet passes) {
  const bool unroll = passes.has(Pass::unroll);
  Joiner joiner(program, flow, patterns);
  if (!joiner.find_candidates(unroll)) return 0;
  if (unroll) joiner.unroll_loops(passes.has(Pass::tested_rows));
  return joiner.join();
}

}  // namespace heddle::exec::jit
