#include "exec/jit/vectorize/weave.h"

#include <cstddef>

#include "exec/jit/abi/context.h"
#include "exec/jit/analysis/idle_threads.h"
#include "exec/jit/analysis/needs.h"
#include "exec/jit/ir/ops.h"
#include "exec/jit/passes/costs.h"
#include "exec/jit/transform/prefetch.h"
#include "exec/jit/transform/runs.h"
#include "exec/jit/transform/stream.h"
#include "exec/jit/vectorize/access/gather.h"
#include "exec/jit/vectorize/access/memory.h"
#include "exec/jit/vectorize/region.h"
#include "exec/jit/vectorize/slow_part.h"
#include "exec/jit/vectorize/waits.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/AssemblyAnnotationWriter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FormattedStream.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Utils/FixIrreducible.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/UnifyFunctionExitNodes.h"

namespace heddle::exec::jit {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

namespace {

// A choice of aggregates becomes a choice of their elements.
void split_aggregate_phis(llvm::Function& function) {
  std::vector<llvm::PHINode*> phis;
  for (Instruction& i : llvm::instructions(function))
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&i); phi != nullptr && phi->getType()->isStructTy())
      phis.push_back(phi);
  for (llvm::PHINode* phi : phis) {
    const bool only_extracted = llvm::all_of(phi->users(), [](const llvm::User* user) {
      return llvm::isa<llvm::ExtractValueInst>(user) &&
             llvm::cast<llvm::ExtractValueInst>(user)->getNumIndices() == 1;
    });
    const bool only_calls = llvm::all_of(phi->incoming_values(), [](const llvm::Use& use) {
      return llvm::isa<llvm::CallInst, llvm::Constant>(use.get());
    });
    if (!only_extracted || !only_calls) continue;
    llvm::DenseMap<unsigned, llvm::PHINode*> elements;
    for (llvm::User* user : llvm::make_early_inc_range(phi->users())) {
      auto* extract = llvm::cast<llvm::ExtractValueInst>(user);
      const unsigned index = extract->getIndices()[0];
      llvm::PHINode*& element = elements[index];
      if (element == nullptr) {
        element =
            llvm::PHINode::Create(extract->getType(), phi->getNumIncomingValues(), "", phi->getIterator());
        for (unsigned n = 0; n < phi->getNumIncomingValues(); ++n) {
          Value* from = phi->getIncomingValue(n);
          if (auto* constant = llvm::dyn_cast<llvm::Constant>(from))
            from = constant->getAggregateElement(index);
          else
            from = llvm::ExtractValueInst::Create(from, index, "",
                                                  std::next(llvm::cast<Instruction>(from)->getIterator()));
          element->addIncoming(from, phi->getIncomingBlock(n));
        }
      }
      extract->replaceAllUsesWith(element);
      extract->eraseFromParent();
    }
    phi->eraseFromParent();
  }
}

// Every element that is taken out of an operation's result is taken right behind it.
void gather_elements(llvm::Function& function) {
  std::vector<llvm::CallInst*> calls;
  for (Instruction& i : llvm::instructions(function))
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&i); call != nullptr && call->getType()->isStructTy())
      calls.push_back(call);
  for (llvm::CallInst* call : calls) {
    llvm::SmallVector<llvm::ExtractValueInst*, 8> extracts;
    for (llvm::User* user : call->users())
      if (auto* extract = llvm::dyn_cast<llvm::ExtractValueInst>(user)) extracts.push_back(extract);
    llvm::DenseMap<unsigned, llvm::ExtractValueInst*> first;
    for (llvm::ExtractValueInst* extract : extracts) {
      llvm::ExtractValueInst*& kept = first[extract->getIndices()[0]];
      if (kept == nullptr) {
        kept = extract;
        extract->moveAfter(call);
      } else {
        extract->replaceAllUsesWith(kept);
        extract->eraseFromParent();
      }
    }
  }
}

class RegionPasses {
 public:
  RegionPasses() {
    llvm::PassBuilder builder;
    builder.registerModuleAnalyses(modules_);
    builder.registerCGSCCAnalyses(cgscc_);
    builder.registerFunctionAnalyses(functions_);
    builder.registerLoopAnalyses(loops_);
    builder.crossRegisterProxies(loops_, functions_, cgscc_, modules_);
    // Nothing that merges or moves blocks: the stores of a barrier's values must stay with their return.
    manager_.addPass(llvm::EarlyCSEPass(false));
    manager_.addPass(llvm::UnifyFunctionExitNodesPass());
    manager_.addPass(llvm::FixIrreduciblePass());
    manager_.addPass(llvm::LoopSimplifyPass());
    manager_.addPass(llvm::LCSSAPass());
  }
  void run(llvm::Function& function) {
    manager_.run(function, functions_);
    functions_.clear();
  }

 private:
  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager cgscc_;
  llvm::ModuleAnalysisManager modules_;
  llvm::FunctionPassManager manager_;
};

std::string unsupported(llvm::Function& function, bool on_their_own) {
  for (Instruction& i : llvm::instructions(function)) {
    if (const auto op = op_of(&i)) {
      // Of threads on their own.
      if (*op == Op::call || *op == Op::end_thread) return name(*op);
      if (*op == Op::barrier_some && !on_their_own) return name(*op);
      continue;
    }
    std::string text;
    if (llvm::isa<llvm::AllocaInst, llvm::StoreInst, llvm::SwitchInst, llvm::IndirectBrInst, llvm::InvokeInst,
                  llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst, llvm::InsertValueInst>(i))
      text = i.getOpcodeName();
    if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
        call != nullptr &&
        (call->getCalledFunction() == nullptr || !call->getCalledFunction()->isIntrinsic()))
      text = "a call";
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&i); phi != nullptr && phi->getType()->isStructTy())
      text = "a choice of aggregates";
    if (i.getType()->isVectorTy()) text = "a vector";
    if (!text.empty()) return text;
  }
  return "";
}

// Of what may come from here on until the next barrier.
uint64_t count_region(BasicBlock::const_iterator from, const BasicBlock* block) {
  uint64_t instructions = 0;
  llvm::SmallPtrSet<const BasicBlock*, 16> seen;
  llvm::SmallVector<const BasicBlock*, 16> open;
  const auto walk = [&](BasicBlock::const_iterator i, const BasicBlock* in) {
    for (; i != in->end(); ++i) {
      ++instructions;
      if (is_whole_barrier(*i)) return;
    }
    for (const BasicBlock* next : llvm::successors(in))
      if (seen.insert(next).second) open.push_back(next);
  };
  walk(from, block);
  while (!open.empty()) {
    const BasicBlock* next = open.pop_back_val();
    walk(next->begin(), next);
  }
  return instructions;
}

// Why the regions would be too much, or nothing.
std::string too_many_copies(const llvm::Function& thread) {
  llvm::SmallVector<const Instruction*, 16> barriers;
  uint64_t instructions = 0;
  for (const Instruction& i : llvm::instructions(thread)) {
    ++instructions;
    if (is_whole_barrier(i)) barriers.push_back(&i);
  }
  if (barriers.empty()) return "";
  uint64_t all = count_region(thread.getEntryBlock().begin(), &thread.getEntryBlock());
  for (const Instruction* barrier : barriers)
    all += count_region(std::next(barrier->getIterator()), barrier->getParent());
  if (all <= cost::most_of_regions && instructions * (barriers.size() + 1) <= cost::most_copied) return "";
  return "its " + std::to_string(barriers.size()) + " barriers would make " + std::to_string(all) +
         " instructions of " + std::to_string(instructions);
}

// Comments behind the instructions of a region.
class PatternNotes : public llvm::AssemblyAnnotationWriter {
 public:
  PatternNotes(const Region& region, const AccessMeans& means) : region_(region), means_(means) {}
  void emitBasicBlockStartAnnot(const BasicBlock* block, llvm::formatted_raw_ostream& out) override {
    if (region_.fast_flow->is_divergent(block)) out << "; divergent\n";
    if (region_.fast_flow->ends_component(block)) out << "; lanes meet\n";
    if (region_.is_serial(block)) out << "; thread by thread\n";
  }
  void printInfoComment(const Value& value, llvm::formatted_raw_ostream& out) override {
    const auto* i = llvm::dyn_cast<Instruction>(&value);
    if (i == nullptr) return;
    if (is_op(i, Op::load) || is_op(i, Op::store)) {
      const auto& call = llvm::cast<llvm::CallInst>(*i);
      out << "  ; as " << text_of(classify(call, *region_.fast, means_, false)) << " | "
          << text_of(classify(call, *region_.slow, means_, true));
    }
    if (i->getType()->isVoidTy()) return;
    out << "  ; " << region_.fast->of(i).text() << (region_.fast->is_guarded(i) ? ", guarded" : "") << " | "
        << region_.slow->of(i).text();
  }

 private:
  const Region& region_;
  const AccessMeans means_;
};

}  // namespace

class KernelWeaver {
 public:
  explicit KernelWeaver(Compilation& c)
      : c_(c),
        program_(c.program),
        geometry_{c.vector_shape().block, c.plan.lanes, c.plan.vectors},
        weaver_(c.program, geometry_, c.merged_blocks, c.level),
        b_(weaver_.builder) {
    for (std::size_t p = 0; p < pass_count; ++p)
      if (c.runs(static_cast<Pass>(p))) weaver_.passes.add(static_cast<Pass>(p));
    weaver_.gathers = c.gathers;
    weaver_.on_their_own = c.by_warps();
    // Nothing is tested for rows, unless row_tests finds what is worth it.
    if (!c.runs(Pass::row_tests)) rows_are_known_ = true;
  }

  // ---- the passes, in their order

  void extracts() {
    llvm::Function& thread = *program_.entry;
    split_aggregate_phis(thread);
    gather_elements(thread);
    if (const auto why = unsupported(thread, c_.by_warps()); !why.empty())
      c_.give_up("the vectoriser has no code for " + why);
  }

  void warp_waits() {
    for (Instruction& i : llvm::instructions(*program_.entry)) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
      if (call != nullptr && is_op(call, Op::step) && is_of_a_warp(*call, program_.sites, *c_.image))
        call->addFnAttr(llvm::Attribute::get(call->getContext(), of_a_warp));
    }
    give_way_in_waits(*program_.entry);
    barriers_of_warps(*program_.entry);
  }

  // The whole block as one unit, or a warp of those that go their own ways.
  void same_barriers() {
    block_ = std::make_unique<Block>(*program_.entry, geometry_,
                                     c_.by_warps() ? 1 : (geometry_.threads() + 31) / 32);
    if (divergent_barrier(*program_.entry, block_->flow) != nullptr)
      c_.give_up("which barrier comes next depends on the thread");
  }

  void runs() { join_runs(program_, block_->flow, block_->patterns, weaver_.passes); }

  // Every barrier has a copy of what may come after it.
  void copies() {
    block_.reset();
    llvm::Function& thread = *program_.entry;
    if (const auto why = too_many_copies(thread); !why.empty()) return c_.give_up(why);
    find_shared(thread);
    barriers_reduce_ = llvm::any_of(llvm::instructions(thread),
                                    [](const Instruction& i) { return is_op(&i, Op::barrier_reduce); });
  }

  void streams() {
#if defined(__x86_64__)
    streamed_ = find_streams(*program_.entry);
#endif
  }

  void prefetch() { add_prefetches(*program_.entry, geometry_.threads(), c_.merged_blocks); }

  void regions() {
    Regions regions = split_at_barriers(*program_.entry);
    program_.entry = nullptr;
    RegionPasses passes;
    for (llvm::Function* function : regions.functions) {
      passes.run(*function);
      gather_elements(*function);
      regions_.push_back({});
      regions_.back().function = function;
    }
    for (const Slot& slot : regions.slots) {
      weaver_.slots.push_back({});
      weaver_.slots.back().type = slot.type;
    }
  }

  void patterns() { find_patterns(true); }

  // Extensions and exclusive ors are tested for rows only where an access makes something of it.
  void row_tests() {
    const auto is_exclusive_or = [](const Instruction* i) { return i->getOpcode() == Instruction::Xor; };
    bool rows = false;
    for (Region& region : regions_) {
      rows |= !region.fast->row_guarded().empty();
      find_row_extensions(*region.function, *region.fast, row_extensions_);
      if (llvm::none_of(region.fast->guarded(), is_exclusive_or)) continue;
      rows = true;
      find_tested_rows(*region.function, *region.fast, tested_rows_);
    }
    rows_are_known_ = true;
    if (rows) find_patterns(true);
  }

  void guards() {
    for (Region& region : regions_) split_at_guards(*region.function, *region.fast);
    find_patterns(true);
    find_patterns(false);
    for (Region& region : regions_) region.outcomes = outcomes_of(*region.function);
    for (Region& region : regions_)
      if (region.outcomes.empty())
        for (uint32_t r = 0; r < regions_.size(); ++r) region.outcomes.push_back(r);
  }

  void serial() {
    // An observer is told of warps.
    for (Region& region : regions_)
      if (program_.observed == observe::nothing)
        region.serial = find_serial_parts(*region.fast_flow, *region.slow_flow, *region.fast, *region.slow);
  }

  void weave() {
    c_.slot_bytes = c_.by_warps() ? emit_warp() : emit_kernel();
    drop_regions();
    c_.kernel = weaver_.kernel;
    c_.uses_shared = weaver_.uses_shared;
    c_.uses_steps = weaver_.uses_steps;
  }

  void slow_parts() {
    // Where threads are missing in each block, slow code is wanted at once.
    if (!geometry_.has_tail()) c_.slow_functions = take_slow_parts_out(weaver_);
  }

  void warp_kernel() {
    c_.warp = weaver_.kernel;
    make_warp_kernel(weaver_);
    c_.kernel = weaver_.kernel;
  }

  std::string describe() const {
    std::string text;
    llvm::raw_string_ostream out(text);
    for (std::size_t s = 0; s < weaver_.slots.size(); ++s)
      out << "; slot " << s << ": fast " << weaver_.slots[s].fast.text() << ", slow "
          << weaver_.slots[s].slow.text() << '\n';
    for (const Region& region : regions_) {
      PatternNotes notes(region, weaver_.access_means());
      region.function->print(out, &notes);
    }
    return text;
  }

 private:
  struct Block {
    Block(llvm::Function& thread, const Geometry& geometry, unsigned warps)
        : flow(thread), whole(geometry), patterns(flow, context(warps)) {}
    Flow flow;
    Geometry whole;
    const Patterns patterns;

   private:
    PatternContext context(unsigned warps) {
      PatternContext context;
      whole.vectors = warps * whole.warp_vectors();
      context.geometry = &whole;
      context.vectors = whole.vectors;
      context.assume_no_wrap = true;
      return context;
    }
  };

  void drop_regions() {
    for (Region& region : regions_) {
      region.fast.reset(), region.slow.reset(), region.fast_flow.reset(), region.slow_flow.reset();
      region.function->eraseFromParent();
    }
  }

  void find_shared(llvm::Function& thread) {
    for (Instruction& i : llvm::instructions(thread)) {
      const auto op = op_of(&i);
      if (!op) continue;
      const auto space = [&](unsigned argument) {
        return static_cast<module::Space>(immediate(llvm::cast<llvm::CallInst>(i), argument));
      };
      if (*op == Op::load || *op == Op::store || *op == Op::atomic || *op == Op::reduce)
        weaver_.uses_shared |= space(1) == module::Space::shared || space(1) == module::Space::generic;
      if (*op == Op::step) weaver_.uses_shared = true;
    }
  }

  // Patterns of slots and of everything else depend on each other: until nothing changes.
  void find_patterns(bool fast) {
    const unsigned vectors = fast ? geometry_.vectors : geometry_.warp_vectors();
    std::vector<Pattern> slots(weaver_.slots.size());
    for (Region& region : regions_)
      (fast ? region.fast_flow : region.slow_flow) = std::make_unique<Flow>(*region.function);
    PatternContext context;
    context.geometry = &geometry_;
    context.vectors = vectors;
    context.slots = &slots;
    context.word_alignment = &c_.shape.word_alignment;
    context.assume_no_wrap = fast;
    if (fast) context.row = row_of(geometry_, vectors);
    if (rows_are_known_) context.row_extensions = &row_extensions_, context.tested_rows = &tested_rows_;
    context.tests_rows = fast;
    for (bool changed = true; changed;) {
      changed = false;
      for (Region& region : regions_) {
        auto& patterns = fast ? region.fast : region.slow;
        patterns = std::make_unique<Patterns>(fast ? *region.fast_flow : *region.slow_flow, context);
        for (Instruction& i : llvm::instructions(*region.function)) {
          if (!is_op(&i, Op::slot_store)) continue;
          const auto& call = llvm::cast<llvm::CallInst>(i);
          Pattern& slot = slots[immediate(call, 0)];
          const Pattern joined = join(slot, patterns->of(call.getArgOperand(1)));
          changed |= !(joined == slot);
          slot = joined;
        }
      }
    }
    for (std::size_t s = 0; s < slots.size(); ++s) {
      if (slots[s].kind == Pattern::unknown) slots[s] = Pattern::of_vector();
      (fast ? weaver_.slots[s].fast : weaver_.slots[s].slow) = slots[s];
    }
  }

  uint64_t emit_kernel() {
    const bool several = regions_.size() > 1;
    bool stays_slow = geometry_.has_tail();
    for (const Region& region : regions_) stays_slow |= RegionEmitter::may_stay_slow(region);
    llvm::Type* i32 = b_.getInt32Ty();
    BasicBlock* entry = weaver_.block("entry");
    BasicBlock* setup = weaver_.block("setup");
    b_.SetInsertPoint(entry);
    b_.CreateBr(setup);
    b_.SetInsertPoint(setup);
    load_context();
    const uint64_t slot_bytes = make_slots();
    if (several) {
      weaver_.next_region = weaver_.make_alloca(i32, "next_region");
      for (unsigned k = 0; k < 3 && barriers_reduce_; ++k) {
        weaver_.contributed[k] = weaver_.make_alloca(i32, "contributed");
        weaver_.reduced[k] = weaver_.make_alloca(i32, "reduced");
        b_.CreateStore(b_.getInt32(0), weaver_.contributed[k]);
        b_.CreateStore(b_.getInt32(0), weaver_.reduced[k]);
      }
      if (stays_slow) {
        const unsigned vectors = geometry_.groups() * geometry_.vectors;
        weaver_.sticky =
            weaver_.make_alloca(llvm::ArrayType::get(b_.getInt8Ty(), geometry_.groups()), "sticky");
        weaver_.live = weaver_.make_alloca(
            llvm::ArrayType::get(weaver_.lanes.vector_type(b_.getInt1Ty()), vectors), "live");
      }
    }
    emit_blocks();
    return slot_bytes;
  }

  // One warp of the block that the context names: the second argument says which.
  uint64_t emit_warp() {
    BasicBlock *entry = weaver_.block("entry"), *setup = weaver_.block("setup"),
               *exit = weaver_.block("exit");
    // A jump through a table would be copied to every place from where fast code leaves (LLVM's tail
    // duplication), with a phi there for whatever is alive: seconds, where there are a hundred.
    weaver_.kernel->addFnAttr("no-jump-tables", "true");
    b_.SetInsertPoint(entry);
    b_.CreateBr(setup);
    b_.SetInsertPoint(setup);
    load_context();
    for (unsigned d = 0; d < 3; ++d)
      weaver_.ctaid[d] = weaver_.context_field(b_.getInt32Ty(), offsetof(Context, block) + 4 * d, "ctaid");
    Value* warp = b_.CreateTrunc(weaver_.kernel->getArg(2), b_.getInt32Ty(), "warp");
    RegionEmitter(weaver_, regions_[0], 0).emit(warp, exit);
    b_.SetInsertPoint(exit);
    if (weaver_.streams != nullptr) b_.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
    b_.CreateRetVoid();
    return 0;
  }

  void load_context() {
    llvm::Type *i32 = b_.getInt32Ty(), *i64 = b_.getInt64Ty(), *pointer = b_.getPtrTy();
    weaver_.parameters = weaver_.context_field(pointer, offsetof(Context, parameters), "parameters");
    weaver_.shared = weaver_.context_field(pointer, offsetof(Context, shared), "shared");
    weaver_.shared_of_cluster = weaver_.shared;
    if (c_.shape.cluster.count() > 1)
      weaver_.shared_of_cluster =
          weaver_.context_field(pointer, offsetof(Context, shared_of_cluster), "shared_of_cluster");
    weaver_.local = weaver_.context_field(pointer, offsetof(Context, local), "local");
    weaver_.local_stride = weaver_.context_field(i64, offsetof(Context, local_stride), "local_stride");
    weaver_.symbols = weaver_.context_field(pointer, offsetof(Context, symbols), "symbols");
    for (unsigned d = 0; d < 3; ++d)
      weaver_.nctaid[d] = weaver_.context_field(i32, offsetof(Context, grid) + 4 * d, "grid");
    if (streamed_ == 0) return;
    // At most 2^31 * 2^16 * 2^16 blocks: no product wraps that a host could run.
    Value* blocks =
        b_.CreateMul(b_.CreateZExt(weaver_.nctaid[0], i64), b_.CreateZExt(weaver_.nctaid[1], i64));
    weaver_.blocks = b_.CreateMul(blocks, b_.CreateZExt(weaver_.nctaid[2], i64), "blocks");
    weaver_.streams = weaver_.writes_stream(streamed_);
    weaver_.streams->setName("streams");
  }

  // Slots are registers after all when one group is the block, else they lie on the stack, or in the
  // context when they are many.
  uint64_t make_slots() {
    const llvm::DataLayout& layout = weaver_.module.getDataLayout();
    const uint64_t most_on_stack = 32 << 10;
    struct Array {
      llvm::Value** home;
      llvm::Type* type;
      uint64_t bytes;
    };
    std::vector<Array> arrays;
    uint64_t total = 0;
    for (SlotHome& slot : weaver_.slots) {
      const unsigned groups = geometry_.groups(), warps = groups * geometry_.group_warps();
      const auto add = [&](llvm::Value*& home, const Pattern& pattern, unsigned units, unsigned vectors) {
        llvm::Type* type = llvm::ArrayType::get(part_type(pattern, slot.type, geometry_.lanes),
                                                uint64_t{units} * part_count(pattern, vectors));
        const uint64_t bytes = (layout.getTypeAllocSize(type) + 63) / 64 * 64;
        arrays.push_back({&home, type, bytes});
        total += bytes;
      };
      add(slot.fast_home, slot.fast, groups, geometry_.vectors);
      add(slot.slow_home, slot.slow, warps, geometry_.warp_vectors());
    }
    if (total <= most_on_stack || geometry_.groups() == 1) {
      for (Array& array : arrays) *array.home = weaver_.make_alloca(array.type, "slot");
      return 0;
    }
    Value* base = weaver_.context_field(b_.getPtrTy(), offsetof(Context, slots), "slots");
    uint64_t offset = 0;
    for (Array& array : arrays) {
      *array.home = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), base, offset);
      offset += array.bytes;
    }
    return total;
  }

  // Blocks one after another, x fastest: a loop over rows of the grid around one over the blocks of a row, so
  // that what a row has in common is not done again for each block.
  void emit_blocks() {
    llvm::Type *i32 = b_.getInt32Ty(), *i64 = b_.getInt64Ty();
    Value *first = weaver_.kernel->getArg(1), *count = weaver_.kernel->getArg(2);
    Value* width = b_.CreateZExt(weaver_.nctaid[0], i64);
    Value* plane = b_.CreateMul(width, b_.CreateZExt(weaver_.nctaid[1], i64));
    Value* start[3] = {b_.CreateTrunc(b_.CreateURem(first, width), i32),
                       b_.CreateTrunc(b_.CreateUDiv(b_.CreateURem(first, plane), width), i32),
                       b_.CreateTrunc(b_.CreateUDiv(first, plane), i32)};
    if (geometry_.has_one_warp())
      weaver_.store_context_field(b_.getInt32(0), offsetof(Context, first_thread));
    BasicBlock *from = b_.GetInsertBlock(), *row = weaver_.block("row"), *head = weaver_.block("block"),
               *next = weaver_.block("block.next"), *row_end = weaver_.block("row.end"),
               *exit = weaver_.block("exit");
    b_.CreateCondBr(b_.CreateICmpNE(count, b_.getInt64(0)), row, exit);

    b_.SetInsertPoint(row);
    auto* left = b_.CreatePHI(i64, 2, "left");  // blocks
    left->addIncoming(count, from);
    llvm::PHINode* index[3];  // of the row's first block
    for (unsigned d = 0; d < 3; ++d) {
      index[d] = b_.CreatePHI(i32, 2, "row");
      index[d]->addIncoming(start[d], from);
    }
    for (unsigned d = 1; d < 3; ++d) {
      weaver_.ctaid[d] = index[d];
      weaver_.store_context_field(index[d], offsetof(Context, block) + 4 * d);
    }
    Value* to_end = b_.CreateSub(width, b_.CreateZExt(index[0], i64));
    Value* here = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, left, to_end);
    Value* behind = b_.CreateAdd(index[0], b_.CreateTrunc(here, i32));
    b_.CreateBr(head);

    b_.SetInsertPoint(head);
    auto* x = b_.CreatePHI(i32, 2, "ctaid");
    x->addIncoming(index[0], row);
    weaver_.ctaid[0] = x;
    weaver_.store_context_field(x, offsetof(Context, block));
    if (weaver_.uses_shared) {
      auto* zero = b_.CreateMemSet(
          weaver_.shared, b_.getInt8(0),
          weaver_.context_field(i32, offsetof(Context, shared_bytes), "shared_bytes"), llvm::Align(16));
      weaver_.mark(zero, Weaver::shared_memory);
    }
    Value* blocks_here = b_.getInt32(1);
    if (weaver_.merged != 1) {
      blocks_here = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, b_.CreateSub(behind, x),
                                             b_.getInt32(weaver_.merged));
      weaver_.threads_here =
          b_.CreateMul(blocks_here, b_.getInt32(geometry_.threads() / weaver_.merged), "", true, true);
    }
    emit_regions(next);
    b_.SetInsertPoint(next);
    Value* following = b_.CreateAdd(x, blocks_here);
    x->addIncoming(following, next);
    b_.CreateCondBr(b_.CreateICmpNE(following, behind), head, row_end)
        ->setMetadata(llvm::LLVMContext::MD_loop, weaver_.no_unroll());

    b_.SetInsertPoint(row_end);
    Value* y = b_.CreateAdd(index[1], b_.getInt32(1));
    Value* plane_done = b_.CreateICmpEQ(y, weaver_.nctaid[1]);
    index[0]->addIncoming(b_.getInt32(0), row_end);
    index[1]->addIncoming(b_.CreateSelect(plane_done, b_.getInt32(0), y), row_end);
    index[2]->addIncoming(b_.CreateAdd(index[2], b_.CreateZExt(plane_done, i32)), row_end);
    Value* rest = b_.CreateSub(left, here);
    left->addIncoming(rest, row_end);
    b_.CreateCondBr(b_.CreateICmpNE(rest, b_.getInt64(0)), row, exit)
        ->setMetadata(llvm::LLVMContext::MD_loop, weaver_.no_unroll());
    b_.SetInsertPoint(exit);
    // What streams is not ordered with what tells that the launch is over.
    if (weaver_.streams != nullptr) b_.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
    b_.CreateRetVoid();
  }

  void emit_regions(BasicBlock* block_done) {
    if (regions_.size() == 1) return emit_groups(0, block_done);
    llvm::Type* i32 = b_.getInt32Ty();
    std::vector<BasicBlock*> begins, ends;
    for (std::size_t r = 0; r < regions_.size(); ++r) {
      begins.push_back(weaver_.block("region"));
      ends.push_back(weaver_.block("region.end"));
    }
    if (weaver_.sticky != nullptr)
      b_.CreateMemSet(weaver_.sticky, b_.getInt8(0), geometry_.groups(), llvm::MaybeAlign(1));
    b_.CreateBr(begins[0]);
    for (std::size_t r = 0; r < regions_.size(); ++r) {
      b_.SetInsertPoint(begins[r]);
      if (!regions_[r].is_certain()) b_.CreateStore(b_.getInt32(region_end), weaver_.next_region);
      emit_groups(static_cast<unsigned>(r), ends[r]);
      b_.SetInsertPoint(ends[r]);
      for (unsigned k = 0; k < 3 && barriers_reduce_; ++k) {
        Value* sum = b_.CreateLoad(i32, weaver_.contributed[k]);
        Value* result = sum;
        if (k == 1) result = b_.CreateZExt(b_.CreateICmpEQ(sum, b_.getInt32(0)), i32);
        if (k == 2) result = b_.CreateZExt(b_.CreateICmpNE(sum, b_.getInt32(0)), i32);
        b_.CreateStore(result, weaver_.reduced[k]);
        b_.CreateStore(b_.getInt32(0), weaver_.contributed[k]);
      }
      const auto place = [&](uint32_t to) { return to == region_end ? block_done : begins[to]; };
      if (regions_[r].is_certain()) {
        b_.CreateBr(place(regions_[r].outcomes[0]));
        continue;
      }
      auto* choice = b_.CreateSwitch(b_.CreateLoad(i32, weaver_.next_region), block_done,
                                     static_cast<unsigned>(regions_[r].outcomes.size()));
      for (const uint32_t to : regions_[r].outcomes)
        if (to != region_end) choice->addCase(b_.getInt32(to), place(to));
    }
  }

  // Up to the last one whose threads do anything. Who watches is told of the others too.
  unsigned find_groups_at_work(Region& region) const {
    if (!region.is_certain() || program_.observed != observe::nothing ||
        !weaver_.passes.has(Pass::idle_groups))
      return geometry_.groups();
    region.at_work = threads_at_work(*region.function, geometry_.block);
    return (region.at_work + geometry_.group_threads() - 1) / geometry_.group_threads();
  }

  void emit_groups(unsigned number, BasicBlock* done) {
    const unsigned groups = std::max(1u, find_groups_at_work(regions_[number]));
    RegionEmitter emitter(weaver_, regions_[number], number);
    if (groups == 1) return emitter.emit(b_.getInt32(0), done);
    BasicBlock *from = b_.GetInsertBlock(), *head = weaver_.block("group"),
               *next = weaver_.block("group.next");
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    auto* group = b_.CreatePHI(b_.getInt32Ty(), 2, "group");
    group->addIncoming(b_.getInt32(0), from);
    emitter.emit(group, next);
    b_.SetInsertPoint(next);
    Value* following = b_.CreateAdd(group, b_.getInt32(1), "", true, true);
    group->addIncoming(following, next);
    b_.CreateCondBr(b_.CreateICmpNE(following, b_.getInt32(groups)), head, done)
        ->setMetadata(llvm::LLVMContext::MD_loop, weaver_.no_unroll());
  }

  Compilation& c_;
  ThreadProgram& program_;
  const Geometry geometry_;
  std::unique_ptr<Block> block_;
  uint64_t streamed_ = 0;  // bytes a thread writes by stores that may stream
  Weaver weaver_;
  llvm::IRBuilder<>& b_;
  std::vector<Region> regions_;
  llvm::DenseSet<const Instruction*> row_extensions_, tested_rows_;
  bool rows_are_known_ = false;
  bool barriers_reduce_ = false;  // some barrier gives its threads a result
};

void EndWeaver::operator()(KernelWeaver* weaver) const { delete weaver; }

namespace pass {

void extracts(Compilation& c) {
  c.weaver.reset(new KernelWeaver(c));
  c.weaver->extracts();
}
void warp_waits(Compilation& c) { c.weaver->warp_waits(); }
void same_barriers(Compilation& c) { c.weaver->same_barriers(); }
void runs(Compilation& c) { c.weaver->runs(); }
void copies(Compilation& c) { c.weaver->copies(); }
void streams(Compilation& c) { c.weaver->streams(); }
void prefetch(Compilation& c) { c.weaver->prefetch(); }
void regions(Compilation& c) { c.weaver->regions(); }
void patterns(Compilation& c) { c.weaver->patterns(); }
void row_tests(Compilation& c) { c.weaver->row_tests(); }
void guards(Compilation& c) { c.weaver->guards(); }
void serial(Compilation& c) { c.weaver->serial(); }
void weave(Compilation& c) { c.weaver->weave(); }
void slow_parts(Compilation& c) { c.weaver->slow_parts(); }
void warp_kernel(Compilation& c) { c.weaver->warp_kernel(); }

void slow_module(Compilation& c) {
  c.slow_parts = c.slow_functions.size();
  if (c.slow_parts != 0) c.slow = move_to_own_module(*c.program.module, c.slow_functions);
  c.slow_functions.clear();
}

}  // namespace pass

void specialise(ThreadProgram& program, const Shape& shape) {
  const uint32_t sizes[] = {shape.block.x, shape.block.y, shape.block.z};
  llvm::MDBuilder metadata(*program.context);
  for (Instruction& i : llvm::make_early_inc_range(llvm::instructions(*program.entry))) {
    const auto op = op_of(&i);
    if (op != Op::ntid && op != Op::tid && op != Op::environment) continue;
    auto& call = llvm::cast<llvm::CallInst>(i);
    if (op == Op::environment) {
      if ((shape.zero_environment >> immediate(call, 0) & 1) == 0) continue;
      call.replaceAllUsesWith(llvm::ConstantInt::get(call.getType(), 0));
      call.eraseFromParent();
      continue;
    }
    const uint32_t size = sizes[immediate(call, 0)];
    if (op == Op::ntid || size == 1) {
      call.replaceAllUsesWith(llvm::ConstantInt::get(call.getType(), op == Op::ntid ? size : 0));
      call.eraseFromParent();
    } else {
      call.setMetadata(llvm::LLVMContext::MD_range,
                       metadata.createRange(llvm::APInt(32, 0), llvm::APInt(32, size)));
    }
  }
}

std::string describe_regions(const Compilation& compilation) { return compilation.weaver->describe(); }

}  // namespace heddle::exec::jit
