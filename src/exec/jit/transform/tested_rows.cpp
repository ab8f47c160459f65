#include "exec/jit/transform/tested_rows.h"

#include <algorithm>
#include <bit>

#include "exec/jit/passes/costs.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace heddle::exec::jit {

namespace {

using llvm::BasicBlock;
using llvm::CallInst;
using llvm::Instruction;
using llvm::Loop;
using llvm::ScalarEvolution;
using llvm::SCEV;
using llvm::Value;
using module::Space;

// An extension of what moves from turn to turn, as if it did not wrap: `wide` is then its value, and only
// then in the range that it is extended from. That holds for the bits below in any case, so it is enough to
// look at the first turn and at the last.
struct Extended {
  const llvm::SCEVAddRecExpr* wide;
  bool is_signed;
};

class Unwrapped : public llvm::SCEVRewriteVisitor<Unwrapped> {
 public:
  Unwrapped(ScalarEvolution& evolution, const Loop& loop, llvm::SmallVectorImpl<Extended>& extended)
      : SCEVRewriteVisitor(evolution), loop_(loop), extended_(extended) {}

  const SCEV* visitSignExtendExpr(const llvm::SCEVSignExtendExpr* e) { return visit_extension(e, true); }
  const SCEV* visitZeroExtendExpr(const llvm::SCEVZeroExtendExpr* e) { return visit_extension(e, false); }

 private:
  const SCEV* visit_extension(const llvm::SCEVCastExpr* e, bool is_signed) {
    const SCEV* narrow = e->getOperand();
    if (SE.isLoopInvariant(e, &loop_) || !narrow->getType()->isIntegerTy(32) ||
        !e->getType()->isIntegerTy(64))
      return e;
    const auto* wide = llvm::dyn_cast_or_null<llvm::SCEVAddRecExpr>(widened(narrow, e->getType()));
    // An unknown step could only go out again in a difference.
    if (wide == nullptr || wide->getLoop() != &loop_ || !wide->isAffine() ||
        !llvm::isa<llvm::SCEVConstant>(wide->getStepRecurrence(SE)))
      return e;
    if (llvm::none_of(extended_,
                      [&](const Extended& x) { return x.wide == wide && x.is_signed == is_signed; }))
      extended_.push_back({wide, is_signed});
    return wide;
  }

  // The same in 64 bits, modulo 2^32; nullptr: not known.
  const SCEV* widened(const SCEV* e, llvm::Type* type) {
    if (const auto* sum = llvm::dyn_cast<llvm::SCEVAddExpr>(e)) {
      llvm::SmallVector<const SCEV*, 4> all;
      for (const SCEV* part : sum->operands()) {
        all.push_back(widened(part, type));
        if (all.back() == nullptr) return nullptr;
      }
      return SE.getAddExpr(all);
    }
    if (const auto* along = llvm::dyn_cast<llvm::SCEVAddRecExpr>(e);
        along != nullptr && along->getLoop() == &loop_) {
      if (!along->isAffine()) return nullptr;
      const SCEV* start = widened(along->getStart(), type);
      const SCEV* step = widened(along->getStepRecurrence(SE), type);
      return start == nullptr || step == nullptr ? nullptr
                                                 : SE.getAddRecExpr(start, step, &loop_, SCEV::FlagAnyWrap);
    }
    if (const auto* product = llvm::dyn_cast<llvm::SCEVMulExpr>(e);
        product != nullptr && product->getNumOperands() == 2 &&
        llvm::isa<llvm::SCEVConstant>(product->getOperand(0))) {
      const SCEV* factor = widened(product->getOperand(1), type);
      return factor == nullptr ? nullptr
                               : SE.getMulExpr(SE.getSignExtendExpr(product->getOperand(0), type), factor);
    }
    return SE.isLoopInvariant(e, &loop_) ? SE.getSignExtendExpr(e, type) : nullptr;
  }

  const Loop& loop_;
  llvm::SmallVectorImpl<Extended>& extended_;
};

struct Member {
  CallInst* access;
  int64_t offset;  // from the row's first one
};
// Accesses a known distance apart.
struct Row {
  const SCEV* first;  // address
  Space space;
  int64_t step = 0;
  bool written = false, tested = true;
  llvm::SmallVector<Member, 8> members;
  int64_t low() const {
    int64_t low = 0;
    for (const Member& m : members) low = std::min(low, m.offset);
    return low;
  }
  int64_t high() const {
    int64_t high = 0;
    for (const Member& m : members) high = std::max(high, m.offset + bytes_of(*m.access));
    return high;
  }
};

constexpr int64_t farthest = 4096, longest_step = 1 << 20;
constexpr uint64_t most_turns = uint64_t{1} << 32;

class Versioner {
 public:
  Versioner(BasicBlock& block, ThreadAnalyses& known, const RowQuestions& questions, const char* row_mark)
      : block_(block),
        known_(known),
        evolution_(known.evolution),
        loop_(known.loops.getLoopFor(&block)),
        questions_(questions),
        row_mark_(row_mark) {}

  TestedLoop run() {
    if (loop_ == nullptr || loop_->getLoopPreheader() == nullptr || !loop_->hasDedicatedExits() ||
        loop_->getExitBlock() == nullptr)
      return {};
    turns_taken_ = evolution_.getBackedgeTakenCount(loop_);
    if (llvm::isa<llvm::SCEVCouldNotCompute>(turns_taken_) ||
        turns_taken_->getType()->getIntegerBitWidth() > 64)
      return {};
    if (!find_rows()) return {};
    const unsigned turns = turns_wanted();
    if (turns < 2) return {};
    const llvm::SCEVExpander expander(evolution_, block_.getModule()->getDataLayout(), "row");
    const Instruction* before = loop_->getLoopPreheader()->getTerminator();
    const auto safe = [&](const SCEV* e) { return expander.isSafeToExpandAt(e, before); };
    if (!safe(turns_taken_) || !llvm::all_of(rows_, [&](const Row& row) { return safe(start_of(row)); }) ||
        !llvm::all_of(extended_, [&](const Extended& x) { return safe(x.wide->getStart()); }))
      return {};
    return {make_version(turns), turns};
  }

 private:
  const SCEV* start_of(const Row& row) const {
    const auto* along = llvm::dyn_cast<llvm::SCEVAddRecExpr>(row.first);
    return along == nullptr ? row.first : along->getStart();
  }

  // False: something is there that nothing is known of.
  bool find_rows() {
    bool stores[16] = {};
    for (const Instruction& i : block_)
      if (is_op(&i, Op::store)) stores[static_cast<unsigned>(space_of(llvm::cast<CallInst>(i))) % 16] = true;
    for (Instruction& i : block_) {
      const auto op = op_of(&i);
      if (!op) {
        if (llvm::isa<llvm::DbgInfoIntrinsic, llvm::LoadInst>(i)) continue;
        if (i.mayHaveSideEffects() || i.mayReadOrWriteMemory()) return false;
        continue;
      }
      if (effect(*op) == Effect::none || *op == Op::prefetch) continue;
      if (*op != Op::load && *op != Op::store) return false;
      auto& access = llvm::cast<CallInst>(i);
      if (is_ordered(access)) return false;
      const Space space = space_of(access);
      if (space == Space::generic) return false;
      const bool untouched = *op == Op::load && ((flags_of(access) & access_non_coherent) != 0 ||
                                                 !stores[static_cast<unsigned>(space) % 16]);
      if (space != Space::global && space != Space::shared && space != Space::const_) {
        if (!untouched) return false;
        continue;
      }
      if (!add(access, space, *op == Op::store, untouched)) return false;
    }
    return !rows_.empty() && rows_.size() <= cost::most_tested_rows;
  }

  bool add(CallInst& access, Space space, bool is_store, bool untouched) {
    Unwrapped unwrapped(evolution_, *loop_, extended_);
    const std::size_t before = extended_.size();
    const SCEV* address = unwrapped.visit(evolution_.getSCEV(access.getArgOperand(0)));
    int64_t step = 0;
    if (!evolution_.isLoopInvariant(address, loop_)) {
      const auto* along = llvm::dyn_cast<llvm::SCEVAddRecExpr>(address);
      const auto* constant = along == nullptr || along->getLoop() != loop_ || !along->isAffine()
                                 ? nullptr
                                 : llvm::dyn_cast<llvm::SCEVConstant>(along->getStepRecurrence(evolution_));
      if (constant == nullptr || constant->getAPInt().abs().ugt(longest_step)) {
        extended_.truncate(before);
        return untouched;
      }
      step = constant->getAPInt().getSExtValue();
    }
    for (Row& row : rows_) {
      if (row.space != space || row.step != step) continue;
      const auto* apart = llvm::dyn_cast<llvm::SCEVConstant>(evolution_.getMinusSCEV(address, row.first));
      if (apart == nullptr || apart->getAPInt().abs().ugt(farthest)) continue;
      row.members.push_back({&access, apart->getAPInt().getSExtValue()});
      row.written |= is_store, row.tested |= !untouched;
      return true;
    }
    rows_.push_back({address, space, step, is_store, !untouched, {{&access, 0}}});
    return true;
  }

  // How many turns read, or write, as many neighbours as a run has elements; less than 2: none of that.
  unsigned turns_wanted() const {
    unsigned turns = 0;
    for (const Row& row : rows_) {
      for (const bool stores : {false, true}) {
        llvm::SmallVector<int64_t, 16> offsets;
        unsigned bytes = 0;
        for (const Member& m : row.members) {
          if (is_op(m.access, Op::store) != stores || !questions_.is_row(*m.access)) continue;
          if (bytes != 0 && bytes != bytes_of(*m.access)) continue;
          bytes = bytes_of(*m.access);
          offsets.push_back(m.offset);
        }
        const auto step = static_cast<uint64_t>(std::abs(row.step));
        if (bytes == 0 || step == 0 || step % bytes != 0) continue;
        llvm::sort(offsets);
        offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
        const auto count = static_cast<int64_t>(offsets.size());
        // Nothing is left out between two turns.
        if (offsets.back() - offsets.front() != (count - 1) * bytes ||
            static_cast<uint64_t>(count) * bytes < step)
          continue;
        turns = std::max(turns, static_cast<unsigned>(questions_.elements(bytes) / (step / bytes)));
      }
    }
    if (const unsigned most = evolution_.getSmallConstantMaxTripCount(loop_); most != 0 && most < turns)
      return 0;
    const auto size = static_cast<unsigned>(
        llvm::count_if(block_, [](const Instruction& i) { return !llvm::isa<llvm::BitCastInst>(i); }));
    while (turns >= 2 && turns * size > questions_.most_instructions) turns /= 2;
    return turns < 2 ? 0 : std::bit_floor(turns);
  }

  // Ahead of the loop: whether it makes so many turns; then whether its rows lie apart.
  BasicBlock* make_version(unsigned turns) {
    llvm::formLCSSA(*loop_, known_.dominators, &known_.loops, &evolution_);
    BasicBlock* before = loop_->getLoopPreheader();
    BasicBlock* test = llvm::SplitEdge(before, &block_, &known_.dominators, &known_.loops);
    BasicBlock* plain = llvm::SplitEdge(test, &block_, &known_.dominators, &known_.loops);
    llvm::SCEVExpander expander(evolution_, block_.getModule()->getDataLayout(), "row");
    llvm::Type* i64 = llvm::Type::getInt64Ty(block_.getContext());

    llvm::IRBuilder<> b(before->getTerminator());
    Value* count = expander.expandCodeFor(turns_taken_, nullptr, before->getTerminator());
    b.SetInsertPoint(before->getTerminator());
    count = b.CreateZExt(count, i64);
    Value* enough = b.CreateICmpULT(b.CreateSub(count, b.getInt64(turns)), b.getInt64(most_turns - turns));

    Instruction* end = test->getTerminator();
    llvm::SmallVector<Value*, 8> starts, firsts;
    for (const Row& row : rows_) starts.push_back(expander.expandCodeFor(start_of(row), i64, end));
    for (const Extended& x : extended_)
      firsts.push_back(expander.expandCodeFor(x.wide->getStart(), i64, end));
    b.SetInsertPoint(end);
    Value* apart = ask(b, count, starts, firsts);

    BasicBlock* version = copy(test, plain, starts, apart);
    before->getTerminator()->eraseFromParent();
    b.SetInsertPoint(before);
    b.CreateCondBr(enough, test, plain);
    return version;
  }

  Value* ask(llvm::IRBuilder<>& b, Value* count, llvm::ArrayRef<Value*> starts,
             llvm::ArrayRef<Value*> firsts) const {
    Value* sure = b.getTrue();
    for (std::size_t n = 0; n < extended_.size(); ++n) {
      const auto& [wide, is_signed] = extended_[n];
      const auto* step = llvm::cast<llvm::SCEVConstant>(wide->getStepRecurrence(evolution_));
      Value* last = b.CreateAdd(firsts[n], b.CreateMul(count, step->getValue()));
      for (Value* one : {firsts[n], last}) {
        if (is_signed) one = b.CreateAdd(one, b.getInt64(uint64_t{1} << 31));
        sure = b.CreateAnd(sure, b.CreateICmpULT(one, b.getInt64(uint64_t{1} << 32)));
      }
    }
    llvm::SmallVector<Value*, 20> arguments{sure, nullptr};
    uint32_t all_written = 0;
    for (const bool written : {true, false}) {
      for (std::size_t n = 0; n < rows_.size(); ++n) {
        const Row& row = rows_[n];
        if (row.written != written || !row.tested) continue;
        Value* way = b.CreateMul(count, b.getInt64(static_cast<uint64_t>(std::abs(row.step))));
        Value* first = b.CreateAdd(starts[n], b.getInt64(static_cast<uint64_t>(row.low())));
        if (row.step < 0) first = b.CreateSub(first, way);
        arguments.push_back(first);
        arguments.push_back(b.CreateAdd(way, b.getInt64(static_cast<uint64_t>(row.high() - row.low()))));
        all_written += written;
      }
    }
    arguments[1] = b.getInt32(all_written);
    return call_op(b, Op::rows_apart, b.getInt1Ty(), arguments);
  }

  // Behind `test`; `plain` leads to the loop as it is.
  BasicBlock* copy(BasicBlock* test, BasicBlock* plain, llvm::ArrayRef<Value*> starts, Value* apart) {
    llvm::LLVMContext& context = block_.getContext();
    llvm::Function* thread = block_.getParent();
    BasicBlock* exit = loop_->getExitBlock();
    auto* ahead = BasicBlock::Create(context, block_.getName() + ".rows", thread, exit);
    auto* version = BasicBlock::Create(context, block_.getName() + ".apart", thread, exit);
    llvm::ValueToValueMapTy copies;
    for (Instruction& i : block_) {
      Instruction* made = i.clone();
      made->setName(i.getName());
      made->insertInto(version, version->end());
      copies[&i] = made;
    }
    copies[&block_] = version, copies[plain] = ahead;
    for (Instruction& i : *version)
      llvm::RemapInstruction(&i, copies, llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
    leave(block_, *exit, nullptr, nullptr);
    leave(*version, *exit, &block_, &copies);
    llvm::IRBuilder<> b(ahead);
    b.CreateBr(version);
    test->getTerminator()->eraseFromParent();
    b.SetInsertPoint(test);
    b.CreateCondBr(apart, ahead, plain);
    go_along_rows(*version, ahead, starts, copies);
    return version;
  }

  // Each of the two loops ends in a block of its own, through which its values come.
  static void leave(BasicBlock& loop, BasicBlock& exit, const BasicBlock* as,
                    llvm::ValueToValueMapTy* copies) {
    auto* way = BasicBlock::Create(loop.getContext(), loop.getName() + ".end", loop.getParent(), &exit);
    for (llvm::PHINode& phi : exit.phis()) {
      const int n = phi.getBasicBlockIndex(as == nullptr ? &loop : ends_of(exit, *as));
      Value* value = phi.getIncomingValue(static_cast<unsigned>(n));
      if (copies != nullptr) {
        // The first loop's value, from behind its own end.
        value = llvm::cast<llvm::PHINode>(value)->getIncomingValue(0);
        if (auto found = copies->find(value); found != copies->end()) value = found->second;
      }
      auto* out = llvm::PHINode::Create(phi.getType(), 1, "", way);
      out->addIncoming(value, &loop);
      if (copies == nullptr) {
        phi.setIncomingValue(static_cast<unsigned>(n), out);
        phi.setIncomingBlock(static_cast<unsigned>(n), way);
      } else {
        phi.addIncoming(out, way);
      }
    }
    llvm::IRBuilder<>(way).CreateBr(&exit);
    loop.getTerminator()->replaceSuccessorWith(&exit, way);
  }
  static const BasicBlock* ends_of(const BasicBlock& exit, const BasicBlock& loop) {
    for (const BasicBlock* before : llvm::predecessors(&exit))
      if (before->getSinglePredecessor() == &loop) return before;
    return nullptr;
  }

  // One pointer for each row, which its accesses are known distances from.
  void go_along_rows(BasicBlock& version, BasicBlock* ahead, llvm::ArrayRef<Value*> starts,
                     llvm::ValueToValueMapTy& copies) const {
    llvm::SmallVector<llvm::WeakTrackingVH, 16> unused;
    const unsigned kind = version.getContext().getMDKindID(row_mark_);
    llvm::Type* i64 = llvm::Type::getInt64Ty(version.getContext());
    for (std::size_t n = 0; n < rows_.size(); ++n) {
      const Row& row = rows_[n];
      Value* pointer = starts[n];
      if (row.step != 0) {
        auto* phi = llvm::PHINode::Create(i64, 2, "row", version.begin());
        llvm::IRBuilder<> b(version.getTerminator());
        phi->addIncoming(starts[n], ahead);
        phi->addIncoming(b.CreateAdd(phi, b.getInt64(static_cast<uint64_t>(row.step))), &version);
        pointer = phi;
      }
      for (const Member& m : row.members) {
        auto& access = llvm::cast<CallInst>(*copies[m.access]);
        if (row.tested) keep_tested_row(access, {questions_.number, n});
        if (questions_.is_row(*m.access))
          access.setMetadata(kind, llvm::MDNode::get(version.getContext(), {}));
        if (row.step == 0) continue;  // the address is of before the loop already
        llvm::IRBuilder<> b(&access);
        Value* old = access.getArgOperand(0);
        access.setArgOperand(
            0, m.offset == 0 ? pointer : b.CreateAdd(pointer, b.getInt64(static_cast<uint64_t>(m.offset))));
        unused.emplace_back(old);
      }
    }
    llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(unused);
  }

  BasicBlock& block_;
  ThreadAnalyses& known_;
  ScalarEvolution& evolution_;
  Loop* loop_;
  const RowQuestions& questions_;
  const char* row_mark_;
  const SCEV* turns_taken_ = nullptr;  // less one
  llvm::SmallVector<Extended, 8> extended_;
  std::vector<Row> rows_;
};

}  // namespace

TestedLoop test_rows(BasicBlock& block, ThreadAnalyses& known, const RowQuestions& questions,
                     const char* row_mark) {
  return Versioner(block, known, questions, row_mark).run();
}

namespace {

// One block's accesses of tested rows, in order.
class Folder {
 public:
  explicit Folder(ThreadAnalyses& known) : known_(known) {}

  void run(BasicBlock& block) {
    for (Instruction& i : llvm::make_early_inc_range(block)) {
      const bool is_store = is_op(&i, Op::store);
      if (!is_store && !is_op(&i, Op::load)) continue;
      auto& access = llvm::cast<CallInst>(i);
      const auto row = tested_row_of(access);
      // Others are of other spaces, or of what nobody writes.
      if (!row) continue;
      if (is_store)
        store(access, *row);
      else
        load(access, *row);
    }
  }

 private:
  struct Place {
    TestedRow row;
    int64_t offset;    // from where the row's first access is
    CallInst* access;  // the last one
    Value* value;      // what lies there; nullptr: of several elements
    bool unread;       // `access` is a store that nothing has read since, but by knowing its value
  };

  // From the row's first access of the block.
  std::optional<int64_t> offset_of(const CallInst& access, const TestedRow& row) {
    const SCEV* address = known_.evolution.getSCEV(access.getArgOperand(0));
    for (const auto& [other, first] : firsts_) {
      if (!(other == row)) continue;
      const auto* apart = llvm::dyn_cast<llvm::SCEVConstant>(known_.evolution.getMinusSCEV(address, first));
      if (apart == nullptr) return std::nullopt;
      return apart->getAPInt().getSExtValue();
    }
    firsts_.emplace_back(row, address);
    return 0;
  }

  void load(CallInst& access, const TestedRow& row) {
    const auto offset = offset_of(access, row);
    for (Place& place : places_) {
      if (!(place.row == row)) continue;
      if (offset == place.offset && place.value != nullptr && place.value->getType() == access.getType()) {
        access.replaceAllUsesWith(place.value);
        access.eraseFromParent();
        return;
      }
      if (!offset || !lie_apart(*place.access, access, *offset - place.offset)) place.unread = false;
    }
    if (offset)
      places_.push_back({row, *offset, &access, access.getType()->isIntegerTy() ? &access : nullptr, false});
  }

  void store(CallInst& access, const TestedRow& row) {
    const auto offset = offset_of(access, row);
    std::erase_if(places_, [&](Place& place) {
      if (!(place.row == row)) return false;
      if (offset && lie_apart(*place.access, access, *offset - place.offset)) return false;
      if (offset == place.offset && place.unread && bytes_of(*place.access) == bytes_of(access))
        place.access->eraseFromParent();
      return true;
    });
    if (offset)
      places_.push_back(
          {row, *offset, &access, access.arg_size() == 4 ? access.getArgOperand(3) : nullptr, true});
  }

  ThreadAnalyses& known_;
  std::vector<std::pair<TestedRow, const SCEV*>> firsts_;
  std::vector<Place> places_;
};

}  // namespace

void fold_tested_rows(llvm::Function& thread) {
  ThreadAnalyses known(thread);
  for (BasicBlock& block : thread) Folder(known).run(block);
}

}  // namespace heddle::exec::jit
