#include "exec/jit/warp/runs.h"

#include <algorithm>
#include <bit>

#include "exec/jit/thread/ops.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"
#include "module/image.h"

namespace heddle::exec::jit {

namespace {

using llvm::BasicBlock;
using llvm::CallInst;
using llvm::Instruction;
using llvm::Loop;
using module::Space;

constexpr unsigned most_elements = 16, most_bytes = 64;  // of a run
constexpr unsigned most_unrolled = 640;                  // instructions of an unrolled turn
constexpr unsigned most_open = 16;                       // bases that a block's loads are compared with
constexpr const char* mark = "heddle.row";               // metadata: a load that may be part of a run

Space space_of(const CallInst& access) { return static_cast<Space>(immediate(access, 1)); }
uint64_t flags_of(const CallInst& access) { return immediate(access, 2); }
bool is_ordered(const CallInst& access) {
  return (flags_of(access) & (access_strong | access_acquire | access_release)) != 0;
}
unsigned bytes_of(const CallInst& load) { return load.getType()->getIntegerBitWidth() / 8; }

// Whether a load may not move up across `i`. An access that orders others, a barrier, and whatever may end
// the thread keep every load; a store or an atomic operation those of memory that it may change. Nothing says
// that two addresses of one space differ, but reads of memory that nobody writes while the kernel runs (.nc,
// .const) need no such proof.
bool holds_back(const Instruction& i, Space space, bool non_coherent) {
  const auto op = op_of(&i);
  if (!op) {
    if (llvm::isa<llvm::LoadInst>(i)) return false;  // a table of the program's own
    return i.mayHaveSideEffects() || i.mayReadOrWriteMemory();
  }
  if (effect(*op) == Effect::none || *op == Op::prefetch) return false;
  const auto* call = llvm::cast<CallInst>(&i);
  switch (*op) {
    case Op::load: return is_ordered(*call);
    case Op::store:
    case Op::atomic:
    case Op::reduce: {
      if ((flags_of(*call) & (access_acquire | access_release)) != 0) return true;
      if (*op == Op::store && is_ordered(*call)) return true;
      return !non_coherent && (space_of(*call) == space || space_of(*call) == Space::generic);
    }
    default: return true;
  }
}

class Joiner {
 public:
  Joiner(ThreadProgram& program, const Flow& flow, const Patterns& patterns)
      : program_(program), thread_(*program.entry), flow_(flow), patterns_(patterns) {}

  // Marks the loads that are worth it. False: there is nothing to join.
  bool find_candidates(bool loops) {
    const unsigned kind = thread_.getContext().getMDKindID(mark);
    llvm::MDNode* node = llvm::MDNode::get(thread_.getContext(), {});
    bool found = false;
    for (BasicBlock* block : flow_.order()) {
      // What lanes leave one by one is done under masks, or thread by thread (serial.h).
      const Loop* loop = flow_.loops().getLoopFor(block);
      if (loop != nullptr && flow_.is_divergent_loop(loop)) continue;
      llvm::SmallVector<CallInst*, 8> here;
      for (Instruction& i : *block)
        if (is_op(&i, Op::load) && is_candidate(llvm::cast<CallInst>(i)))
          here.push_back(llvm::cast<CallInst>(&i));
      const bool turns = loops && walks(block);
      if (here.empty() || (here.size() == 1 && !turns)) continue;
      for (CallInst* load : here) load->setMetadata(kind, node);
      if (turns) turning_.push_back(block);
      found = true;
    }
    return found;
  }

  void unroll_loops() {
    for (BasicBlock* block : turning_) {
      Analyses known(thread_);
      const unsigned turns = turns_of(*block, known);
      if (turns < 2) continue;
      llvm::UnrollLoopOptions options{};
      options.Count = turns;
      options.Runtime = true;
      options.AllowExpensiveTripCount = true;
      llvm::UnrollLoop(known.loops.getLoopFor(block), options, &known.loops, &known.evolution,
                       &known.dominators, &known.assumptions, &known.target, nullptr, true);
    }
  }

  unsigned join() {
    Analyses known(thread_);
    std::vector<BasicBlock*> blocks;
    for (BasicBlock& block : thread_) blocks.push_back(&block);
    unsigned joined = 0;
    for (BasicBlock* block : blocks)
      for (Group& group : groups_of(*block, known)) joined += put_together(group);
    const unsigned kind = thread_.getContext().getMDKindID(mark);
    for (BasicBlock& block : thread_)
      for (Instruction& i : block)
        if (llvm::isa<CallInst>(i)) i.setMetadata(kind, nullptr);
    return joined;
  }

 private:
  struct Analyses {
    explicit Analyses(llvm::Function& f)
        : library(llvm::TargetLibraryInfoImpl(llvm::Triple(f.getParent()->getTargetTriple())), &f),
          dominators(f),
          loops(dominators),
          assumptions(f),
          target(f.getParent()->getDataLayout()),
          evolution(f, library, assumptions, dominators, loops) {}
    llvm::TargetLibraryInfo library;
    llvm::DominatorTree dominators;
    llvm::LoopInfo loops;
    llvm::AssumptionCache assumptions;
    llvm::TargetTransformInfo target;
    llvm::ScalarEvolution evolution;
  };

  // Loads of one block from one base, nothing between that holds them back.
  struct Member {
    int64_t offset = 0;  // from the first one's address
    CallInst* load = nullptr;
    unsigned position = 0;
  };
  struct Group {
    llvm::SmallVector<Member, 16> members;  // as they come in the block
    CallInst* first() const { return members.front().load; }
  };

  bool is_candidate(const CallInst& load) const {
    const auto* type = llvm::dyn_cast<llvm::IntegerType>(load.getType());
    if (type == nullptr || type->getBitWidth() < 8 || type->getBitWidth() > 64) return false;
    if (!std::has_single_bit(type->getBitWidth()) || is_ordered(load)) return false;
    const Space space = space_of(load);
    if (space != Space::global && space != Space::shared && space != Space::const_) return false;
    const Pattern address = patterns_.of(load.getArgOperand(0));
    if (address.kind == Pattern::vector) return true;
    const int64_t bytes = type->getBitWidth() / 8;
    return address.stepped() && address.lane_step != 0 && address.lane_step != bytes &&
           address.lane_step != -bytes;
  }

  // A loop of one block, all threads of which leave it together.
  bool walks(const BasicBlock* block) const {
    const Loop* loop = flow_.loops().getLoopFor(block);
    return loop != nullptr && loop->getHeader() == block && loop->getLoopLatch() == block &&
           loop->getLoopPreheader() != nullptr && !flow_.is_divergent(block);
  }

  std::vector<Group> groups_of(BasicBlock& block, Analyses& known) {
    const unsigned kind = thread_.getContext().getMDKindID(mark);
    std::vector<Group> open, all;
    unsigned position = 0;
    for (Instruction& i : block) {
      ++position;
      auto* load = llvm::dyn_cast<CallInst>(&i);
      if (load != nullptr && i.getMetadata(kind) != nullptr && is_op(load, Op::load)) {
        add(open, load, position, known);
        continue;
      }
      for (std::size_t g = 0; g < open.size();) {
        const CallInst& first = *open[g].first();
        if (holds_back(i, space_of(first), (flags_of(first) & access_non_coherent) != 0)) {
          all.push_back(std::move(open[g]));
          open.erase(open.begin() + static_cast<std::ptrdiff_t>(g));
        } else {
          ++g;
        }
      }
    }
    for (Group& group : open) all.push_back(std::move(group));
    return all;
  }

  void add(std::vector<Group>& open, CallInst* load, unsigned position, Analyses& known) {
    const llvm::SCEV* address = known.evolution.getSCEV(load->getArgOperand(0));
    for (Group& group : open) {
      CallInst* first = group.first();
      if (first->getType() != load->getType() || space_of(*first) != space_of(*load) ||
          flags_of(*first) != flags_of(*load))
        continue;
      const auto* apart = llvm::dyn_cast<llvm::SCEVConstant>(
          known.evolution.getMinusSCEV(address, known.evolution.getSCEV(first->getArgOperand(0))));
      if (apart == nullptr) continue;
      const int64_t offset = apart->getAPInt().getSExtValue();
      if (offset % bytes_of(*load) != 0 || std::abs(offset) > 4096) continue;
      group.members.push_back({offset, load, position});
      return;
    }
    if (open.size() < most_open) open.push_back({{Member{0, load, position}}});
  }

  // How many turns of the loop make runs of full length; less than 2: leave it as it is.
  unsigned turns_of(BasicBlock& block, Analyses& known) {
    const Loop* loop = known.loops.getLoopFor(&block);
    if (loop == nullptr || llvm::isa<llvm::SCEVCouldNotCompute>(known.evolution.getBackedgeTakenCount(loop)))
      return 0;
    unsigned turns = 0;
    for (Group& group : groups_of(block, known)) {
      const CallInst& first = *group.first();
      const bool non_coherent = (flags_of(first) & access_non_coherent) != 0;
      if (llvm::any_of(block, [&](Instruction& i) { return holds_back(i, space_of(first), non_coherent); }))
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
    while (turns >= 2 && turns * size > most_unrolled) turns /= 2;
    return turns < 2 ? 0 : std::bit_floor(turns);
  }

  // Elements of a run: those of a vector, or of a line of the cache.
  unsigned wanted(unsigned bytes) const {
    return std::min({patterns_.lanes(), most_bytes / bytes, most_elements});
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
        if (step != bytes || elements.size() == std::min<std::size_t>(
                                                    most_elements, most_bytes / static_cast<unsigned>(bytes)))
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

  void make_run(llvm::ArrayRef<Member> members, unsigned elements) {
    const Member* earliest = &members[0];
    for (const Member& member : members)
      if (member.position < earliest->position) earliest = &member;
    CallInst* place = earliest->load;
    llvm::IRBuilder<> b(place);
    llvm::Value* address = place->getArgOperand(0);
    if (const int64_t back = members[0].offset - earliest->offset; back != 0)
      address =
          b.CreateAdd(address, llvm::ConstantInt::get(address->getType(), static_cast<uint64_t>(back), true));
    llvm::SmallVector<llvm::Type*, 16> types(elements, place->getType());
    auto* run = call_op(
        b, Op::load, llvm::StructType::get(b.getContext(), types),
        {address, place->getArgOperand(1), b.getInt32(static_cast<uint32_t>(flags_of(*place)) | access_run)});
    // A place for each element, in a row.
    const auto line = static_cast<unsigned>(program_.sites.size()) + 1;
    const bool located = llvm::all_of(members, [](const Member& m) { return bool(m.load->getDebugLoc()); });
    if (located)
      run->setDebugLoc(llvm::DILocation::get(b.getContext(), line, 0, place->getDebugLoc()->getScope()));
    int64_t last = members[0].offset - 1;
    llvm::Value* element = nullptr;
    unsigned number = 0;
    for (const Member& member : members) {
      if (member.offset != last) {
        element = b.CreateExtractValue(run, number++);
        if (located) {
          const Site site = program_.sites[member.load->getDebugLoc().getLine() - 1];
          program_.sites.push_back(site);
        }
        last = member.offset;
      }
      member.load->replaceAllUsesWith(element);
    }
    for (const Member& member : members) member.load->eraseFromParent();
  }

  ThreadProgram& program_;
  llvm::Function& thread_;
  const Flow& flow_;
  const Patterns& patterns_;
  std::vector<BasicBlock*> turning_;
};

}  // namespace

unsigned join_loads(ThreadProgram& program, const Flow& flow, const Patterns& patterns, bool unroll) {
  Joiner joiner(program, flow, patterns);
  if (!joiner.find_candidates(unroll)) return 0;
  if (unroll) joiner.unroll_loops();
  return joiner.join();
}

}  // namespace heddle::exec::jit
