#include "exec/jit/transform/mbarriers.h"

#include <map>

#include "exec/jit/ir/mbarrier.h"
#include "exec/jit/ir/ops.h"
#include "exec/mbarrier_word.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

namespace heddle::exec::jit {

namespace {

using Calls = llvm::SmallVector<llvm::CallInst*>;
constexpr unsigned ids = 16;  // of barriers

// An object in shared memory, by its address. Nothing but mbarrier instructions may touch it (PTX ISA
// 9.7.13.15), so that other accesses need not be looked at.
struct Object {
  Calls begins, arrivals, tests;
};

// Of who waits and looks at the clock, how long to sleep, nobody sees anything.
bool has_effect(const llvm::Instruction& i) {
  if (const auto op = op_of(&i)) return effect(*op) != Effect::none && *op != Op::sleep && *op != Op::clock;
  return i.mayReadOrWriteMemory();
}

class Finder {
 public:
  Finder(ThreadProgram& program, const Dim3& block)
      : thread_(*program.entry), block_(block), dominators_(thread_), loops_(dominators_) {}

  // The objects that are barriers of the block; none where something is not known by its address.
  llvm::SmallVector<Object> find() {
    llvm::SmallVector<Object> found;
    if (!collect()) return found;
    for (const auto& [address, object] : objects_)
      if (is_whole(object)) found.push_back(object);
    return found;
  }
  // A barrier that the program does not use; `ids`: there is none.
  unsigned free_id() const {
    unsigned id = ids;
    while (id != 0 && (used_ >> (id - 1) & 1) != 0) --id;
    return id == 0 ? ids : id - 1;
  }

 private:
  bool collect() {
    for (llvm::Instruction& i : llvm::instructions(thread_)) {
      const auto op = op_of(&i);
      if (!op) continue;
      auto& call = llvm::cast<llvm::CallInst>(i);
      switch (*op) {
        case Op::load:
          if (call.hasFnAttr(mbarrier_tests) && !add(call, &Object::tests)) return false;
          break;
        case Op::store:
          if (call.hasFnAttr(mbarrier_begins) && !add(call, &Object::begins)) return false;
          break;
        case Op::atomic:
          if (static_cast<AtomicKind>(immediate(call, 3)) == AtomicKind::arrive &&
              !add(call, &Object::arrivals))
            return false;
          break;
        // Copies and others that arrive at mbarriers when they complete are steps, too.
        case Op::step:
          if (!call.hasFnAttr(mbarrier_refuses)) return false;
          break;
        case Op::barrier:
        case Op::barrier_reduce: note_id(call.getArgOperand(0)); break;
        case Op::barrier_some: note_id(call.getArgOperand(1)); break;
        case Op::call: return false;
        default: break;
      }
    }
    return true;
  }
  bool add(llvm::CallInst& call, Calls Object::* calls) {
    const auto* address = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0));
    if (address == nullptr) return false;
    (objects_[address->getZExtValue()].*calls).push_back(&call);
    return true;
  }
  void note_id(const llvm::Value* id) {
    const auto* number = llvm::dyn_cast<llvm::ConstantInt>(id);
    used_ |= number == nullptr ? ~0U : 1U << (number->getZExtValue() % ids);
  }

  // A thread that has arrived waits for all others before it arrives again, and each phase expects as many
  // arrivals as the block has threads: it ends when each has come once.
  bool is_whole(const Object& object) {
    using namespace mbarrier_word;
    const uint64_t count = block_.count();
    if (object.begins.empty() || object.arrivals.empty() || count > most) return false;
    for (const llvm::CallInst* begin : object.begins) {
      const auto* word = llvm::dyn_cast<llvm::ConstantInt>(begin->getArgOperand(3));
      if (word == nullptr || word->getZExtValue() != (count | count << expected_at | no_bytes << bytes_at))
        return false;
    }
    Ways ways;
    for (const llvm::CallInst* arrival : object.arrivals)
      if (plain_count(arrival->getArgOperand(4)) != 1 || !follow(*arrival, object, ways)) return false;
    llvm::SmallPtrSet<const llvm::BasicBlock*, 4> waits;
    for (const llvm::CallInst* test : object.tests) {
      if (!is_wait(*test, ways) || !knows_its_phase(*test, object)) return false;
      waits.insert(test->getParent());
    }
    return llvm::all_of(ways.behind, [&](const llvm::BasicBlock* block) {
      return waits.contains(block) || ways.only_from_there(*block);
    });
  }

  // Where threads come from arrivals to tests: the blocks of arrivals, and those behind them.
  struct Ways {
    llvm::SmallPtrSet<const llvm::BasicBlock*, 16> first, behind;
    // All that come to the block (from outside of the loop) have arrived just before.
    bool only_from_there(const llvm::BasicBlock& block, const llvm::Loop* loop = nullptr) const {
      return llvm::all_of(llvm::predecessors(&block), [&](const llvm::BasicBlock* before) {
        return first.contains(before) || behind.contains(before) ||
               (loop != nullptr && loop->contains(before));
      });
    }
  };
  // The first thing that a thread does behind an arrival must be a test.
  static bool follow(const llvm::CallInst& arrival, const Object& object, Ways& ways) {
    const llvm::Instruction* at = arrival.getNextNode();
    ways.first.insert(arrival.getParent());
    for (unsigned blocks = 0; blocks < 16; ++blocks) {
      for (; !at->isTerminator(); at = at->getNextNode()) {
        if (llvm::is_contained(object.tests, at)) return true;
        if (has_effect(*at)) return false;
      }
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(at);
      if (branch == nullptr) return false;
      const llvm::BasicBlock* next = nullptr;
      for (const llvm::BasicBlock* one : branch->successors()) {
        if (refuses(*one))  // a step alone, behind which the others go on
          ways.behind.insert(one);
        else if (next == nullptr)
          next = one;
        else
          return false;
      }
      if (next == nullptr) return false;
      ways.behind.insert(next);
      at = &next->front();
    }
    return false;
  }
  static bool refuses(const llvm::BasicBlock& block) {
    return llvm::any_of(block, [](const llvm::Instruction& i) {
      const auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
      return call != nullptr && call->hasFnAttr(mbarrier_refuses);
    });
  }

  // In a loop that does nothing else until the phase is over, and to which all come from arrivals.
  bool is_wait(const llvm::CallInst& test, const Ways& ways) const {
    const llvm::Loop* loop = loops_.getLoopFor(test.getParent());
    if (loop == nullptr || loop->getHeader() != test.getParent() || !leaves_when_over(test, *loop))
      return false;
    for (const llvm::BasicBlock* block : loop->blocks())
      for (const llvm::Instruction& i : *block)
        if (&i != &test && has_effect(i)) return false;
    return ways.only_from_there(*loop->getHeader(), loop);
  }
  // At its head, when the test differs from the state in its highest bit, and nowhere else.
  static bool leaves_when_over(const llvm::CallInst& test, const llvm::Loop& loop) {
    const llvm::BasicBlock* head = loop.getHeader();
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(head->getTerminator());
    if (loop.getExitingBlock() != head || branch == nullptr || branch->isUnconditional()) return false;
    const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
    if (compare == nullptr || !llvm::is_contained(test.users(), compare->getOperand(0))) return false;
    const auto* with = llvm::dyn_cast<llvm::ConstantInt>(compare->getOperand(1));
    if (with == nullptr) return false;
    const bool when_over = compare->getPredicate() == llvm::ICmpInst::ICMP_SLT && with->isZero();
    const bool until_over = compare->getPredicate() == llvm::ICmpInst::ICMP_SGT && with->isMinusOne();
    return (when_over || until_over) && !loop.contains(branch->getSuccessor(when_over ? 0 : 1));
  }

  // It is compared with what an arrival gave.
  static bool knows_its_phase(const llvm::CallInst& test, const Object& object) {
    return llvm::all_of(test.users(), [&](const llvm::User* user) {
      if (user->getNumOperands() != 2 ||
          llvm::cast<llvm::Instruction>(user)->getOpcode() != llvm::Instruction::Xor)
        return false;
      llvm::SmallPtrSet<const llvm::Value*, 8> seen;
      return is_state(user->getOperand(user->getOperand(0) == &test ? 1 : 0), object, seen);
    });
  }
  static bool is_state(const llvm::Value* value, const Object& object,
                       llvm::SmallPtrSet<const llvm::Value*, 8>& seen) {
    if (!seen.insert(value).second) return true;
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(value))
      return llvm::all_of(phi->incoming_values(),
                          [&](const llvm::Value* one) { return is_state(one, object, seen); });
    const auto* call = llvm::dyn_cast<llvm::CallInst>(value);
    return call != nullptr &&
           (llvm::is_contained(object.arrivals, call) || call->hasFnAttr(mbarrier_refuses));
  }

  llvm::Function& thread_;
  const Dim3 block_;
  const llvm::DominatorTree dominators_;
  const llvm::LoopInfo loops_;
  std::map<uint64_t, Object> objects_;
  unsigned used_ = 0;  // barriers, a bit each
};

// Arrivals find a phase that waits for one more; when they have waited, it is another one.
void replace(const Object& object, unsigned id) {
  llvm::IRBuilder<> ir(object.arrivals.front()->getContext());
  constexpr uint64_t before = 1, after = before | uint64_t{1} << mbarrier_word::parity_at;
  for (llvm::CallInst* test : object.tests) {
    ir.SetInsertPoint(test);
    call_op(ir, Op::barrier, ir.getVoidTy(), {ir.getInt32(id)});
    test->replaceAllUsesWith(ir.getInt64(after));
    test->eraseFromParent();
  }
  for (llvm::CallInst* arrival : object.arrivals) {
    arrival->replaceAllUsesWith(ir.getInt64(before));
    arrival->eraseFromParent();
  }
}

}  // namespace

bool make_block_barriers(ThreadProgram& program, const Dim3& block) {
  if (!program.functions.empty()) return false;
  Finder finder(program, block);
  const llvm::SmallVector<Object> found = finder.find();
  const unsigned id = finder.free_id();
  if (found.empty() || id == ids) return false;
  for (const Object& object : found) replace(object, id);
  return true;
}

void drop_unused_clocks(llvm::Function& thread) {
  for (llvm::Instruction& i : llvm::make_early_inc_range(llvm::instructions(thread)))
    if (is_op(&i, Op::clock) && i.use_empty()) i.eraseFromParent();
}

bool has_mbarrier_tests(const ThreadProgram& program) {
  return llvm::any_of(*program.module, [](const llvm::Function& function) {
    return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& i) {
      const auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
      return call != nullptr && call->hasFnAttr(mbarrier_tests);
    });
  });
}

}  // namespace heddle::exec::jit
