#include "exec/jit/transform/rolled_loops.h"

#include <optional>
#include <utility>
#include <vector>

#include "exec/jit/analysis/reading.h"
#include "exec/jit/analysis/run_order.h"
#include "exec/jit/ir/ops.h"
#include "exec/jit/passes/costs.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

namespace heddle::exec::jit {

namespace {

using llvm::BasicBlock;
using llvm::CallInst;
using llvm::CmpInst;
using llvm::Instruction;
using llvm::Loop;
using llvm::PHINode;
using llvm::ScalarEvolution;
using llvm::SCEV;
using llvm::Value;

const Loop* loop_of_one_block(const BasicBlock* block, const llvm::LoopInfo& loops) {
  const Loop* loop = loops.getLoopFor(block);
  return loop != nullptr && loop->getHeader() == block && loop->getNumBlocks() == 1 ? loop : nullptr;
}

// Nothing but values and loads that may be done in any order.
bool only_reads(const BasicBlock& block, bool loads = true) {
  return llvm::all_of(block, [&](const Instruction& i) {
    if (const auto op = op_of(&i)) {
      if (effect(*op) == Effect::none) return true;
      return loads && *op == Op::load && !is_ordered(llvm::cast<CallInst>(i));
    }
    return !i.mayReadOrWriteMemory() || llvm::isa<llvm::DbgInfoIntrinsic>(i);
  });
}
// It may be passed by, or gone through where it was passed by.
bool only_computes(const BasicBlock& block) {
  return only_reads(block, false) && llvm::all_of(block, [](const Instruction& i) {
           return llvm::isa<llvm::PHINode>(i) || i.isTerminator() || op_of(&i) ||
                  llvm::isSafeToSpeculativelyExecute(&i);
         });
}

// The blocks of the two loops, and what lies around them.
//
//   before -> rest.before -> rest (a turn) -> rest.after -> between
//   before -> between              where nothing is left over
//   between -> main.before -> main (several turns) -> main.after -> end
//   between -> end                 where there are fewer turns than that
struct Loops {
  struct One {
    BasicBlock *before = nullptr, *block = nullptr, *after = nullptr;
    bool find(BasicBlock* of, const llvm::LoopInfo& loops) {
      const Loop* loop = loop_of_one_block(of, loops);
      if (loop == nullptr) return false;
      before = loop->getLoopPreheader(), block = of, after = loop->getExitBlock();
      return before != nullptr && after != nullptr && after->getSinglePredecessor() == block &&
             after->getSingleSuccessor() != nullptr && after->size() == after_phis() + 1;
    }
    std::size_t after_phis() const {
      return static_cast<std::size_t>(std::distance(after->phis().begin(), after->phis().end()));
    }
  };
  BasicBlock *before = nullptr, *between = nullptr, *end = nullptr;
  One rest, main;

  // From the loop of single turns.
  bool find(BasicBlock* block, const llvm::LoopInfo& loops) {
    if (!rest.find(block, loops)) return false;
    between = rest.after->getSingleSuccessor();
    before = rest.before->getSinglePredecessor();
    if (before == nullptr || pred_size(between) != 2 || !llvm::is_contained(predecessors(between), before))
      return false;
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(between->getTerminator());
    if (branch == nullptr || !branch->isConditional() ||
        !llvm::isa<llvm::BranchInst>(before->getTerminator()))
      return false;
    for (unsigned way = 0; way < 2; ++way) {
      BasicBlock* next = branch->getSuccessor(way);
      end = branch->getSuccessor(1 - way);
      if (next->getSinglePredecessor() == between && next->getSingleSuccessor() != nullptr &&
          main.find(next->getSingleSuccessor(), loops) && main.before == next &&
          main.after->getSingleSuccessor() == end && end != next)
        return only_reads(*rest.block) && only_reads(*main.block) && only_computes(*rest.before) &&
               only_computes(*between) && only_computes(*main.before);
    }
    return false;
  }
};

// A loop of `turns` turns, of which the first `rest` ones were made before the other loop begins; that makes
// `times` at a time. Values of both as those of the other loop, for each of its turns.
class Turns {
 public:
  Turns(ThreadAnalyses& known, const Loops& loops)
      : e_(known.evolution),
        loops_(loops),
        rest_loop_(known.loops.getLoopFor(loops.rest.block)),
        main_loop_(known.loops.getLoopFor(loops.main.block)),
        known_(known) {}

  bool find() {
    if (!find_rest()) return false;
    note_branches();
    return is_skipped_below() && ends_where_all_are_made();
  }

  unsigned times() const { return times_; }
  Value* all() const { return all_; }
  bool some() const { return some_; }

  // Of a value in the loop of single turns: in `turn` of those that the other loop makes at a time. Nothing
  // where it depends on more than how often the loop has turned.
  const SCEV* in_rest(Value* value, unsigned turn) { return of(value, rest_loop_, turn); }
  const SCEV* in_main(Value* value) { return of(value, main_loop_, 0); }
  // 4 * (a + b) and 4 * a + 4 * b are two expressions.
  bool are_equal(const SCEV* a, const SCEV* b) {
    return a == b || (b != nullptr && e_.getMinusSCEV(a, b)->isZero());
  }
  bool moves(Value* value) { return in_rest(value, 0) != nullptr; }
  // It may be extended in every turn of both: it does not wrap.
  bool is_in_range(Value* value, bool is_signed) {
    const auto* i = llvm::dyn_cast<Instruction>(value);
    if (i == nullptr || !rest_loop_->contains(i)) return true;
    const SCEV* moving = in_rest(value, 0);
    return moving != nullptr && widened(moving, llvm::Type::getInt64Ty(value->getContext()), is_signed);
  }

  // What of the loop of single turns a phi between the loops is: the phi there. nullptr: something else.
  PHINode* carried(const Value* between) const {
    const auto* phi = llvm::dyn_cast<PHINode>(between);
    if (phi == nullptr || phi->getParent() != loops_.between) return nullptr;
    const auto* last = llvm::dyn_cast<PHINode>(phi->getIncomingValueForBlock(loops_.rest.after));
    if (last == nullptr || last->getParent() != loops_.rest.after) return nullptr;
    for (PHINode& of : loops_.rest.block->phis())
      if (of.getIncomingValueForBlock(loops_.rest.block) == last->getIncomingValue(0) &&
          of.getIncomingValueForBlock(loops_.rest.before) == phi->getIncomingValueForBlock(loops_.before))
        return &of;
    return nullptr;
  }

 private:
  // Numbers that a branch found in order on the way to the loops: low < high, and `turns` is their
  // difference.
  struct Range {
    const SCEV *low, *high;
    bool is_signed;
  };

  class Rewriter : public llvm::SCEVRewriteVisitor<Rewriter> {
   public:
    Rewriter(Turns& turns, unsigned turn) : SCEVRewriteVisitor(turns.e_), turns_(turns), turn_(turn) {}

    const SCEV* visitAddRecExpr(const llvm::SCEVAddRecExpr* along) {
      if (!along->isAffine()) return along;
      const SCEV *start = along->getStart(), *step = along->getStepRecurrence(SE);
      if (along->getLoop() == turns_.main_loop_)
        return SE.getAddRecExpr(visit(start), visit(step), turns_.main_loop_, SCEV::FlagAnyWrap);
      if (along->getLoop() != turns_.rest_loop_) return along;
      const SCEV* made =
          SE.getAddExpr(turns_.rest_as(along->getType()), SE.getConstant(along->getType(), turn_));
      start = SE.getAddExpr(start, SE.getMulExpr(step, made));
      step = SE.getMulExpr(step, SE.getConstant(along->getType(), turns_.times_));
      return SE.getAddRecExpr(start, step, turns_.main_loop_, SCEV::FlagAnyWrap);
    }
    const SCEV* visitUnknown(const llvm::SCEVUnknown* unknown) {
      PHINode* phi = turns_.carried(unknown->getValue());
      if (phi == nullptr || !SE.isSCEVable(phi->getType())) return unknown;
      const auto* along = llvm::dyn_cast<llvm::SCEVAddRecExpr>(SE.getSCEV(phi));
      if (along == nullptr || !along->isAffine() || along->getLoop() != turns_.rest_loop_) return unknown;
      return SE.getAddExpr(along->getStart(),
                           SE.getMulExpr(along->getStepRecurrence(SE), turns_.rest_as(along->getType())));
    }
    const SCEV* visitZeroExtendExpr(const llvm::SCEVZeroExtendExpr* e) {
      const SCEV* operand = visit(e->getOperand());
      const SCEV* wide = turns_.widened(operand, e->getType(), false);
      return wide != nullptr ? wide : SE.getZeroExtendExpr(operand, e->getType());
    }
    const SCEV* visitSignExtendExpr(const llvm::SCEVSignExtendExpr* e) {
      const SCEV* operand = visit(e->getOperand());
      const SCEV* wide = turns_.widened(operand, e->getType(), true);
      return wide != nullptr ? wide : SE.getSignExtendExpr(operand, e->getType());
    }

   private:
    Turns& turns_;
    unsigned turn_;
  };

  const SCEV* rewritten(const SCEV* e, unsigned turn) { return Rewriter(*this, turn).visit(e); }
  const SCEV* rest_as(llvm::Type* type) { return e_.getTruncateOrZeroExtend(rest_, type); }

  const SCEV* of(Value* value, const Loop* loop, unsigned turn) {
    if (!value->getType()->isIntegerTy() || !e_.isSCEVable(value->getType())) return nullptr;
    const SCEV* found = e_.getSCEV(value);
    const bool depends = llvm::SCEVExprContains(found, [&](const SCEV* part) {
      const auto* unknown = llvm::dyn_cast<llvm::SCEVUnknown>(part);
      const auto* i = unknown == nullptr ? nullptr : llvm::dyn_cast<Instruction>(unknown->getValue());
      return llvm::isa<llvm::SCEVCouldNotCompute>(part) || (i != nullptr && loop->contains(i));
    });
    return depends ? nullptr : rewritten(found, turn);
  }

  // An extension of a number between those of a range, that goes on by one a turn: it does not wrap.
  const SCEV* widened(const SCEV* narrow, llvm::Type* type, bool is_signed) {
    const auto* along = llvm::dyn_cast<llvm::SCEVAddRecExpr>(narrow);
    if (along != nullptr && (!along->isAffine() || along->getLoop() != main_loop_ ||
                             along->getStepRecurrence(e_) != e_.getConstant(narrow->getType(), times_)))
      return nullptr;
    const SCEV* start = along != nullptr ? along->getStart() : narrow;
    for (const Range& range : ranges_) {
      if (range.is_signed != is_signed || range.low->getType() != narrow->getType()) continue;
      const auto* turn = llvm::dyn_cast<llvm::SCEVConstant>(
          e_.getMinusSCEV(e_.getMinusSCEV(start, range.low), rest_as(narrow->getType())));
      if (turn == nullptr || turn->getAPInt().ugt(times_)) continue;
      const SCEV* low =
          is_signed ? e_.getSignExtendExpr(range.low, type) : e_.getZeroExtendExpr(range.low, type);
      const SCEV* wide = e_.getAddExpr(low, rest_as(type), e_.getZeroExtendExpr(turn, type));
      return along == nullptr
                 ? wide
                 : e_.getAddRecExpr(wide, e_.getConstant(type, times_), main_loop_, SCEV::FlagAnyWrap);
    }
    return nullptr;
  }

  // n, and n % times, by which the first loop is entered and left.
  bool find_rest() {
    using namespace llvm::PatternMatch;
    const auto* branch = llvm::cast<llvm::BranchInst>(loops_.before->getTerminator());
    Value *left = nullptr, *masked = nullptr;
    llvm::ICmpInst::Predicate predicate{};
    const llvm::APInt* mask = nullptr;
    if (!branch->isConditional() ||
        !match(branch->getCondition(), m_ICmp(predicate, m_Value(left), m_Zero())) ||
        !llvm::ICmpInst::isEquality(predicate) ||
        branch->getSuccessor(predicate == llvm::ICmpInst::ICMP_EQ ? 0 : 1) != loops_.between ||
        !match(left, m_ZExtOrSelf(m_And(m_Value(masked), m_APInt(mask)))))
      return false;
    const llvm::APInt times = *mask + 1;
    if (!times.isPowerOf2() || times.ult(2) || times.ugt(cost::most_rolled_turns)) return false;
    times_ = static_cast<unsigned>(times.getZExtValue());
    if (auto* cut = llvm::dyn_cast<llvm::TruncInst>(masked)) masked = cut->getOperand(0);
    all_ = masked, turns_ = e_.getSCEV(all_), rest_ = e_.getSCEV(left);
    const SCEV* again = e_.getBackedgeTakenCount(rest_loop_);
    return !llvm::isa<llvm::SCEVCouldNotCompute>(again) && again->getType()->isIntegerTy() &&
           are_equal(e_.getAddExpr(again, e_.getOne(again->getType())), rest_as(again->getType()));
  }

  // What the branches on the way say of the number of turns.
  void note_branches() {
    some_ = e_.isKnownNonZero(turns_);
    for (auto* node = known_.dominators.getNode(loops_.before); node->getIDom() != nullptr;
         node = node->getIDom()) {
      BasicBlock* above = node->getIDom()->getBlock();
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(above->getTerminator());
      if (branch == nullptr || !branch->isConditional()) continue;
      const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
      if (compare == nullptr || compare->getOperand(0)->getType() != all_->getType()) continue;
      for (unsigned way = 0; way < 2; ++way)
        if (known_.dominators.dominates(llvm::BasicBlockEdge(above, branch->getSuccessor(way)),
                                        loops_.before))
          note(way == 0 ? compare->getPredicate() : compare->getInversePredicate(),
               e_.getSCEV(compare->getOperand(0)), e_.getSCEV(compare->getOperand(1)));
    }
  }

  void note(CmpInst::Predicate predicate, const SCEV* low, const SCEV* high) {
    if (predicate == CmpInst::ICMP_UGT || predicate == CmpInst::ICMP_SGT) {
      std::swap(low, high);
      predicate = CmpInst::getSwappedPredicate(predicate);
    }
    const SCEV* one = e_.getOne(low->getType());
    const bool is_signed = predicate == CmpInst::ICMP_SLT;
    if (predicate == CmpInst::ICMP_NE) {
      const SCEV* difference = e_.getMinusSCEV(high, low);
      some_ |= are_equal(difference, turns_) || are_equal(e_.getNegativeSCEV(difference), turns_);
    }
    if (predicate != CmpInst::ICMP_ULT && !is_signed) return;
    // max(high, low + 1) - low, as for (i = low; i < high; ++i) has it, is the same then.
    const SCEV* next = e_.getAddExpr(low, one);
    const SCEV* most = is_signed ? e_.getSMaxExpr(high, next) : e_.getUMaxExpr(high, next);
    if (!are_equal(e_.getMinusSCEV(high, low), turns_) && !are_equal(e_.getMinusSCEV(most, low), turns_))
      return;
    some_ = true;
    ranges_.push_back({low, high, is_signed});
    const auto* number = llvm::dyn_cast<llvm::SCEVConstant>(low);
    if (is_signed && number != nullptr && number->getAPInt().isNonNegative())
      ranges_.push_back({low, high, false});
  }

  // The second loop is passed by exactly where there are fewer turns than it makes at a time.
  bool is_skipped_below() {
    const auto* branch = llvm::cast<llvm::BranchInst>(loops_.between->getTerminator());
    const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
    if (compare == nullptr) return false;
    const auto* limit = llvm::dyn_cast<llvm::ConstantInt>(compare->getOperand(1));
    if (limit == nullptr || limit->getType() != turns_->getType()) return false;
    const CmpInst::Predicate predicate =
        branch->getSuccessor(0) == loops_.end ? compare->getPredicate() : compare->getInversePredicate();
    const SCEV* asked = rewritten(e_.getSCEV(compare->getOperand(0)), 0);
    const auto region = llvm::ConstantRange::makeExactICmpRegion(predicate, limit->getValue());
    const unsigned width = limit->getBitWidth();
    std::optional<llvm::ConstantRange> skipped;
    if (const auto* more = llvm::dyn_cast<llvm::SCEVConstant>(e_.getMinusSCEV(asked, turns_)))
      skipped = region.subtract(more->getAPInt());
    else if (const auto* sum = llvm::dyn_cast<llvm::SCEVConstant>(e_.getAddExpr(asked, turns_)))
      skipped = llvm::ConstantRange(sum->getAPInt()).sub(region);
    const auto below = [&](uint64_t first) {
      return llvm::ConstantRange(llvm::APInt(width, first), llvm::APInt(width, times_));
    };
    return skipped && (*skipped == below(0) || (some_ && *skipped == below(1)));
  }

  // The second loop makes all turns that are a multiple.
  bool ends_where_all_are_made() {
    const auto* branch = llvm::cast<llvm::BranchInst>(loops_.main.block->getTerminator());
    const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
    if (compare == nullptr || compare->getOperand(0)->getType() != turns_->getType()) return false;
    CmpInst::Predicate predicate = branch->getSuccessor(0) == loops_.main.block
                                       ? compare->getPredicate()
                                       : compare->getInversePredicate();
    const SCEV *tested = rewritten(e_.getSCEV(compare->getOperand(0)), 0),
               *limit = rewritten(e_.getSCEV(compare->getOperand(1)), 0);
    if (!llvm::isa<llvm::SCEVAddRecExpr>(tested)) {
      std::swap(tested, limit);
      predicate = CmpInst::getSwappedPredicate(predicate);
    }
    const auto* along = llvm::dyn_cast<llvm::SCEVAddRecExpr>(tested);
    if (along == nullptr || along->getLoop() != main_loop_ || !along->isAffine() ||
        !e_.isLoopInvariant(limit, main_loop_))
      return false;
    // It is the value behind the turns that is asked.
    const SCEV *step = along->getStepRecurrence(e_), *times = e_.getConstant(step->getType(), times_);
    const SCEV* way = e_.getMinusSCEV(limit, e_.getMinusSCEV(along->getStart(), step));
    if (predicate == CmpInst::ICMP_NE)
      return (step == times && is_what_is_left(way)) ||
             (step == e_.getNegativeSCEV(times) && is_what_is_left(e_.getNegativeSCEV(way)));
    // Less than the end of a range, whose numbers do not wrap.
    return step == times && llvm::any_of(ranges_, [&](const Range& range) {
             return predicate == (range.is_signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT) &&
                    limit == range.high && are_equal(way, left_of(e_.getMinusSCEV(range.high, range.low)));
           });
  }

  const SCEV* left_of(const SCEV* all) { return e_.getMinusSCEV(all, rest_as(all->getType())); }
  bool is_what_is_left(const SCEV* way) {
    return are_equal(way, left_of(turns_)) || llvm::any_of(ranges_, [&](const Range& range) {
             return are_equal(way, left_of(e_.getMinusSCEV(range.high, range.low)));
           });
  }

  ScalarEvolution& e_;
  const Loops& loops_;
  const Loop *rest_loop_, *main_loop_;
  ThreadAnalyses& known_;
  unsigned times_ = 0;
  Value* all_ = nullptr;
  const SCEV *turns_ = nullptr, *rest_ = nullptr;
  bool some_ = false;  // at least one
  llvm::SmallVector<Range, 4> ranges_;
};

// Whether the second loop does what the first does, several times.
class SameWork {
 public:
  SameWork(const Loops& loops, Turns& turns) : loops_(loops), turns_(turns) {}

  bool find() {
    if (!llvm::all_of(*loops_.rest.block, [&](Instruction& i) { return goes_on(i); })) return false;
    for (PHINode& phi : loops_.main.block->phis()) {
      if (turns_.in_main(&phi) != nullptr) continue;
      PHINode* of = turns_.carried(phi.getIncomingValueForBlock(loops_.main.before));
      if (of == nullptr || turns_.moves(of)) return false;
      first_[of] = &phi;
    }
    for (const auto& [of, phi] : first_)
      if (!same(of->getIncomingValueForBlock(loops_.rest.block), turns_.times() - 1,
                phi->getIncomingValueForBlock(loops_.main.block)))
        return false;
    unsigned loads = 0;
    for (Instruction& i : *loops_.rest.block) {
      if (!is_op(&i, Op::load)) continue;
      ++loads;
      for (unsigned turn = 0; turn < turns_.times(); ++turn) {
        const Value* copy = copy_of(&i, turn);
        if (copy == nullptr || !loads_.insert(copy).second) return false;
        copies_.push_back({llvm::cast<CallInst>(&i), llvm::cast<CallInst>(copy)});
      }
    }
    return loads * turns_.times() ==
           static_cast<std::size_t>(
               llvm::count_if(*loops_.main.block, [](const Instruction& i) { return is_op(&i, Op::load); }));
  }

  // `value` of the second loop is `of` in one of its turns.
  bool same(Value* of, unsigned turn, Value* value) {
    const auto* i = llvm::dyn_cast<Instruction>(of);
    if (i == nullptr || i->getParent() != loops_.rest.block) return of == value;
    if (const SCEV* moving = turns_.in_rest(of, turn))
      return of->getType() == value->getType() && turns_.are_equal(moving, turns_.in_main(value));
    return copy_of(of, turn) == value;
  }

  const std::vector<std::pair<const CallInst*, const CallInst*>>& copies() const { return copies_; }

 private:
  // What moves with the turns in the first loop moves on as it is known to there, turn by turn.
  bool goes_on(Instruction& i) {
    if (!turns_.moves(&i)) return true;
    switch (i.getOpcode()) {
      case Instruction::PHI:
      case Instruction::Add:
      case Instruction::Sub:
      case Instruction::Mul:
      case Instruction::Shl:
      case Instruction::Trunc: return true;
      case Instruction::ZExt:
      case Instruction::SExt: return turns_.is_in_range(i.getOperand(0), i.getOpcode() == Instruction::SExt);
      default: return false;
    }
  }

  // Of what depends on more than the number of the turn.
  const Value* copy_of(Value* of, unsigned turn) {
    auto* i = llvm::dyn_cast<Instruction>(of);
    if (i == nullptr || i->getParent() != loops_.rest.block) return of;
    if (auto* phi = llvm::dyn_cast<PHINode>(i)) {
      if (turn == 0) return first_.lookup(phi);
      Value* next = phi->getIncomingValueForBlock(loops_.rest.block);
      return turns_.moves(next) ? nullptr : copy_of(next, turn - 1);
    }
    const auto [at, is_new] = found_.try_emplace({i, turn}, nullptr);
    if (!is_new) return at->second;
    const Value* found = nullptr;
    for (Instruction& candidate : *loops_.main.block)
      if (!loads_.contains(&candidate) && is_copy(*i, turn, candidate)) {
        found = &candidate;
        break;
      }
    return found_[{i, turn}] = found;
  }

  bool is_copy(Instruction& of, unsigned turn, Instruction& candidate) {
    if (llvm::isa<PHINode>(candidate) || !candidate.isSameOperationAs(&of)) return false;
    if (llvm::isa<llvm::FPMathOperator>(of) && of.getFastMathFlags() != candidate.getFastMathFlags())
      return false;
    const auto operands = [&](unsigned a, unsigned b) {
      for (unsigned n = 0; n < of.getNumOperands(); ++n)
        if (!same(of.getOperand(n), turn, candidate.getOperand(n == a ? b : n == b ? a : n))) return false;
      return true;
    };
    return operands(0, 0) || (of.isCommutative() && of.getNumOperands() > 1 && operands(0, 1));
  }

  const Loops& loops_;
  Turns& turns_;
  llvm::MapVector<PHINode*, PHINode*> first_;  // of the second loop's first turn
  llvm::DenseMap<std::pair<const Instruction*, unsigned>, const Value*> found_;
  llvm::DenseSet<const Value*> loads_;
  std::vector<std::pair<const CallInst*, const CallInst*>> copies_;
};

class Roller {
 public:
  Roller(ThreadProgram& program, const module::Image& image) : program_(program), image_(image) {}

  bool roll(BasicBlock* block, ThreadAnalyses& known) {
    if (!loops_.find(block, known.loops)) return false;
    Turns turns(known, loops_);
    if (!turns.find()) return false;
    SameWork work(loops_, turns);
    if (!work.find() || !stays_inside(turns) || !ends_alike(turns, work) || !is_of_one_line(work))
      return false;
    rewrite(turns);
    return true;
  }

 private:
  bool is_of(const BasicBlock* block) const {
    return llvm::is_contained({loops_.between, loops_.main.before, loops_.main.block}, block);
  }

  // What lies between the loops is for the second alone, and what it hands on for `end`.
  bool stays_inside(const Turns& turns) const {
    for (PHINode& phi : loops_.rest.after->phis())
      for (const llvm::User* user : phi.users())
        if (llvm::cast<Instruction>(user)->getParent() != loops_.between) return false;
    for (const BasicBlock* block : {loops_.between, loops_.main.before})
      for (const Instruction& i : *block) {
        const bool carried = turns.carried(&i) != nullptr;
        if (llvm::isa<PHINode>(i) && !carried && !i.use_empty()) return false;
        for (const llvm::User* user : i.users()) {
          const auto* at = llvm::cast<Instruction>(user);
          if (!is_of(at->getParent()) && !(carried && is_of_end(*at))) return false;
        }
      }
    return true;
  }

  // A phi of the end, which has it only from between the loops.
  bool is_of_end(const Instruction& i) const { return llvm::isa<PHINode>(i) && i.getParent() == loops_.end; }

  // Whatever way they end, the last turn's values go on.
  bool ends_alike(Turns& turns, SameWork& work) const {
    for (PHINode& phi : loops_.end->phis()) {
      Value* passed = phi.getIncomingValueForBlock(loops_.between);
      Value* made = phi.getIncomingValueForBlock(loops_.main.after);
      for (unsigned n = 0; n < phi.getNumIncomingValues(); ++n) {
        const BasicBlock* from = phi.getIncomingBlock(n);
        if (from != loops_.between && turns.carried(phi.getIncomingValue(n)) != nullptr) return false;
      }
      if (auto* last = llvm::dyn_cast<PHINode>(made);
          last != nullptr && last->getParent() == loops_.main.after)
        made = last->getIncomingValue(0);
      if (PHINode* of = turns.carried(passed)) {
        if (!work.same(of->getIncomingValueForBlock(loops_.rest.block), turns.times() - 1, made))
          return false;
      } else if (passed != made) {
        return false;
      }
    }
    return true;
  }

  // Faults name the line of the source, which is the same in all copies.
  bool is_of_one_line(const SameWork& work) const {
    return llvm::all_of(work.copies(), [&](const auto& pair) {
      const llvm::DebugLoc &a = pair.first->getDebugLoc(), &b = pair.second->getDebugLoc();
      if (!a || !b) return !a && !b;
      const Site &one = program_.sites[a.getLine() - 1], &other = program_.sites[b.getLine() - 1];
      if (one.function != other.function || one.called_from != other.called_from) return false;
      if (one.instruction == module::none || other.instruction == module::none) return false;
      const module::Function& f = image_.functions[one.function];
      const module::LineEntry &x = f.lines[f.code[one.instruction].line],
                              &y = f.lines[f.code[other.instruction].line];
      return x.file == y.file && x.line == y.line && x.inlined_at == y.inlined_at;
    });
  }

  void rewrite(const Turns& turns) {
    BasicBlock *block = loops_.rest.block, *before = loops_.before, *between = loops_.between;
    for (Instruction& i : *block) {
      i.dropPoisonGeneratingAnnotations();  // they were of the first turns alone
      if (is_op(&i, Op::load)) mark(i, turns.times());
    }
    auto* back = llvm::cast<llvm::BranchInst>(block->getTerminator());
    auto* past = llvm::cast<llvm::BranchInst>(before->getTerminator());
    auto* on = llvm::cast<llvm::BranchInst>(between->getTerminator());
    llvm::SmallVector<llvm::WeakTrackingVH, 3> conditions{back->getCondition(), past->getCondition(),
                                                          on->getCondition()};
    llvm::IRBuilder<> b(back);
    Value* all = turns.all();
    auto* left = PHINode::Create(all->getType(), 2, "left", block->begin());
    Value* next = b.CreateAdd(left, llvm::ConstantInt::getAllOnesValue(all->getType()));
    left->addIncoming(all, loops_.rest.before);
    left->addIncoming(next, block);
    Value* zero = llvm::ConstantInt::get(all->getType(), 0);
    back->setCondition(back->getSuccessor(0) == block ? b.CreateICmpNE(next, zero)
                                                      : b.CreateICmpEQ(next, zero));
    b.SetInsertPoint(past);
    if (turns.some()) {
      between->removePredecessor(before, true);
      b.CreateBr(loops_.rest.before);
      past->eraseFromParent();
    } else {
      past->setCondition(past->getSuccessor(0) == between ? b.CreateICmpEQ(all, zero)
                                                          : b.CreateICmpNE(all, zero));
    }
    b.SetInsertPoint(on);
    b.CreateBr(loops_.end);
    on->eraseFromParent();
    llvm::SmallVector<BasicBlock*, 3> dead{loops_.main.before, loops_.main.block, loops_.main.after};
    llvm::DeleteDeadBlocks(dead, nullptr, true);
    for (const llvm::WeakTrackingVH& condition : conditions)
      if (Value* value = condition) llvm::RecursivelyDeleteTriviallyDeadInstructions(value);
    llvm::SmallVector<llvm::WeakTrackingVH, 8> phis;
    for (PHINode& phi : block->phis()) phis.emplace_back(&phi);
    for (const llvm::WeakTrackingVH& phi : phis)
      if (Value* value = phi) llvm::RecursivelyDeleteDeadPHINode(llvm::cast<PHINode>(value));
  }

  // A place that says so of its own.
  void mark(Instruction& load, unsigned times) {
    const llvm::DebugLoc& place = load.getDebugLoc();
    if (!place) return;
    Site site = program_.sites[place.getLine() - 1];
    site.turns = times;
    program_.sites.push_back(site);
    load.setDebugLoc(llvm::DILocation::get(load.getContext(), static_cast<unsigned>(program_.sites.size()),
                                           place.getCol(), place.getScope()));
  }

  ThreadProgram& program_;
  const module::Image& image_;
  Loops loops_;
};

}  // namespace

unsigned roll_loops(ThreadProgram& program, const module::Image& image, const Shape& shape, unsigned lanes) {
  llvm::Function& thread = *program.entry;
  std::vector<Loops> candidates;
  {
    const ThreadAnalyses known(thread);
    for (BasicBlock& block : thread)
      if (Loops loops;
          loops.find(&block, known.loops) && loops.main.block->size() <= cost::most_rolled_instructions)
        candidates.push_back(loops);
  }
  if (candidates.empty()) return 0;
  {
    const Reading reading(thread, shape, lanes, 32 / lanes, Reading::slow);
    std::erase_if(candidates, [&](const Loops& loops) {
      return !reading.flow.is_divergent_loop(reading.flow.loops().getLoopFor(loops.main.block)) ||
             branches_by_steps(*loops.main.block, reading.patterns);
    });
  }
  llvm::SmallPtrSet<const BasicBlock*, 8> gone;  // the last loop of one pair may be the first of the next
  for (const Loops& loops : candidates) {
    if (gone.contains(loops.rest.block)) continue;
    ThreadAnalyses known(thread);
    if (Roller(program, image).roll(loops.rest.block, known)) gone.insert(loops.main.block);
  }
  return gone.size();
}

}  // namespace heddle::exec::jit
