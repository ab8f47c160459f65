#include "exec/jit/lower/function_lowering.h"

#include <algorithm>

#include "exec/count_places.h"
#include "exec/jit/ir/values.h"
#include "exec/jit/lower/lowering.h"
#include "exec/jit/lower/lowers.gen.h"
#include "exec/jit/lower/special.h"
#include "exec/jit/passes/costs.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"

namespace heddle::exec::jit {

namespace {

// Whether these instructions may be executed where the guard is false.
bool only_computes(const llvm::BasicBlock& block) {
  std::size_t count = 0;
  for (const llvm::Instruction& i : block) {
    if (++count > cost::most_selected || i.isTerminator()) return false;
    if (const auto op = op_of(&i)) {
      if (effect(*op) != Effect::none) return false;
    } else if (i.mayHaveSideEffects() || (i.mayReadFromMemory() && !llvm::isa<llvm::LoadInst>(i))) {
      return false;
    }
  }
  return true;
}

}  // namespace

FunctionLowering::FunctionLowering(ProgramLowering& program, uint32_t function, uint32_t frame,
                                   const FunctionLowering* caller, uint32_t call)
    : program_(program),
      index_(function),
      function_(program.image.functions[function]),
      register_use_(program.register_use(function)),
      frame_(frame),
      caller_(caller),
      call_(call),
      blocks_(function_.blocks.size(), nullptr) {}

void FunctionLowering::lower() {
  if (prologue_ == nullptr) begin();
  for (uint32_t b = 0; b < function_.blocks.size() && !program_.program.needs.reference; ++b) {
    const module::Block& block = function_.blocks[b];
    llvm::BasicBlock* here = block_at(block.first);
    // What comes after an instruction that leaves, without a label, is never reached.
    if (ir().GetInsertBlock()->getTerminator() == nullptr) ir().CreateBr(here);
    here->insertInto(program_.thread);
    ir().SetInsertPoint(here);
    // What the block before it left is still there when one comes from nowhere else.
    if (b == 0 ? !block.predecessors.empty() : block.predecessors != std::vector{b - 1}) known_.clear();
    for (uint32_t i = block.first; i < block.end; ++i) {
      if (ir().GetInsertBlock()->getTerminator() != nullptr) break;
      lower_instruction(i);
    }
  }
  if (ir().GetInsertBlock()->getTerminator() == nullptr) {
    if (caller_ == nullptr) tells(observe::SyncKind::exit);
    ir().CreateBr(back_);
  }
  for (llvm::BasicBlock* block : blocks_) {
    if (block == nullptr || block->getParent() != nullptr) continue;
    // Branched to, but lowering ended before it.
    block->insertInto(program_.thread);
    llvm::BranchInst::Create(program_.end, block);
  }
  if (caller_ == nullptr) return;
  back_->insertInto(program_.thread);
  ir().SetInsertPoint(back_);
  known_.clear();  // it may be reached from several places
}

// The place before the body where registers are zeroed; afterwards the builder stands before it, so that
// arguments can be bound.
void FunctionLowering::begin() {
  llvm::LLVMContext& context = ir().getContext();
  back_ = caller_ == nullptr ? program_.end : llvm::BasicBlock::Create(context, function_.name + ".back");
  program_.program.local_bytes = std::max(program_.program.local_bytes, frame_ + function_.frame_bytes);
  llvm::BasicBlock* start = llvm::BasicBlock::Create(context, function_.name, program_.thread);
  prologue_ = ir().CreateBr(start);
  ir().SetInsertPoint(start);
  if (caller_ != nullptr || program_.in_function) return;
  site_ = program_.at_site({index_, 0, call_, frame_});
  tells(observe::SyncKind::begin);
}

bool FunctionLowering::is_active(uint32_t function) const {
  for (const FunctionLowering* body = this; body != nullptr; body = body->caller_)
    if (body->index_ == function) return true;
  return false;
}

// ---- instructions

void FunctionLowering::lower_instruction(uint32_t index) {
  if (++program_.instructions > cost::most_lowered)
    return program_.need_reference("more than " + std::to_string(cost::most_lowered) +
                                   " instructions, with its calls in place");
  const module::Instruction& instruction = function_.code[index];
  site_ = program_.at_site({index_, index, call_, frame_});
  if (begins_count(function_, index))
    for (const auto [need, op] :
         {std::pair{observe::counts, Op::observe_come}, std::pair{observe::visits, Op::observe_visit}})
      if (observes(need)) call_op(ir(), op, ir().getVoidTy(), {ir().getInt32(site_)});
  if (instruction.guard == module::none)
    lower_plain(instruction);
  else
    lower_guarded(instruction);
}

void FunctionLowering::lower_plain(const module::Instruction& instruction) {
  Lowering lowering(*this, instruction);
  // A call of a device math function tells its own.
  const std::span<const Number> numbers = told_numbers(instruction);
  const bool tells_values = !numbers.empty() && numbers[0].operand != nullptr;
  Values values;
  if (tells_values) read_numbers(lowering, numbers, false, values);
  const LowerFunction lower = find_lower(instruction.form);
  if (lower != nullptr && !reads_unknown_special(function_, instruction, program_.meaning.observed))
    lower(lowering);
  else
    lowering.step();
  if (!tells_values || ir().GetInsertBlock()->getTerminator() != nullptr) return;
  read_numbers(lowering, numbers, true, values);
  tell_values(instruction, numbers, values);
}

void FunctionLowering::lower_guarded(const module::Instruction& instruction) {
  llvm::Value* guard = read(instruction.guard, isa::Type::pred);
  if (instruction.guard_negated) guard = ir().CreateNot(guard);
  if (observes(observe::counts))
    call_op(ir(), Op::observe_take, ir().getVoidTy(), {ir().getInt32(site_), guard});
  llvm::BasicBlock* before = ir().GetInsertBlock();
  llvm::BasicBlock* guarded = llvm::BasicBlock::Create(ir().getContext(), "guarded", program_.thread);
  ir().SetInsertPoint(guarded);
  deferred_ = true;
  lower_plain(instruction);
  deferred_ = false;
  std::vector<Write> writes;
  writes.swap(writes_);

  if (ir().GetInsertBlock() == guarded && only_computes(*guarded)) {
    before->splice(before->end(), guarded);
    guarded->eraseFromParent();
    ir().SetInsertPoint(before);
    for (const Write& w : writes) store(w.place, ir().CreateSelect(guard, w.value, load(w.place)));
    return;
  }
  llvm::BasicBlock* next = llvm::BasicBlock::Create(ir().getContext(), "", program_.thread);
  llvm::BasicBlock* last = ir().GetInsertBlock();
  if (last->getTerminator() == nullptr) {
    for (const Write& w : writes) {
      ir().CreateStore(w.value, w.place);
      known_.erase(w.place);
    }
    ir().CreateBr(next);
  }
  ir().SetInsertPoint(before);
  llvm::BasicBlock* target = guarded;
  auto* jump = llvm::dyn_cast<llvm::BranchInst>(&guarded->front());
  if (jump != nullptr && jump->isUnconditional()) {  // @p bra, ret, exit
    target = jump->getSuccessor(0);
    guarded->eraseFromParent();
  }
  ir().CreateCondBr(guard, target, next);
  ir().SetInsertPoint(next);
}

void FunctionLowering::choose(llvm::Value* condition, llvm::BasicBlock* yes,
                              llvm::function_ref<void()> lower_yes, llvm::BasicBlock* no,
                              llvm::function_ref<void()> lower_no, llvm::BasicBlock* next) {
  ir().CreateCondBr(condition, yes, no);
  // Each way writes registers itself, behind a guard too.
  const bool deferred = std::exchange(deferred_, false);
  const auto known = known_;
  ir().SetInsertPoint(yes);
  lower_yes();
  ir().CreateBr(next);
  known_ = known;
  ir().SetInsertPoint(no);
  lower_no();
  ir().CreateBr(next);
  known_.clear();
  deferred_ = deferred;
  ir().SetInsertPoint(next);
}

// ---- registers

llvm::AllocaInst* FunctionLowering::make_register(llvm::Type* type) {
  llvm::AllocaInst* place = program_.make_alloca(type);
  new llvm::StoreInst(llvm::Constant::getNullValue(type), place, prologue_->getIterator());
  return place;
}

llvm::AllocaInst* FunctionLowering::place(uint32_t slot, isa::Type declared) {
  const unsigned bits = isa::info(declared).bits;
  llvm::AllocaInst*& found = registers_[uint64_t{slot} << 8 | bits];
  if (found != nullptr) return found;
  const bool is_float = (bits == 32 || bits == 64) && register_use_.float_votes[slot] > 0;
  llvm::LLVMContext& context = ir().getContext();
  llvm::Type* type = !is_float    ? llvm::IntegerType::get(context, bits)
                     : bits == 32 ? llvm::Type::getFloatTy(context)
                                  : llvm::Type::getDoubleTy(context);
  return found = make_register(type);
}

llvm::Value* FunctionLowering::read(uint32_t slot, isa::Type declared) { return load(place(slot, declared)); }

void FunctionLowering::write(uint32_t slot, isa::Type declared, llvm::Value* value) {
  llvm::AllocaInst* to = place(slot, declared);
  store(to, ir().CreateBitCast(value, to->getAllocatedType()));
}

llvm::Value* FunctionLowering::load(llvm::AllocaInst* from) {
  if (sees_writes_)
    for (auto write = writes_.rbegin(); write != writes_.rend(); ++write)
      if (write->place == from) return write->value;
  if (const auto found = known_.find(from); found != known_.end()) return found->second;
  llvm::Value* value = ir().CreateLoad(from->getAllocatedType(), from);
  if (!deferred_) known_[from] = value;  // a guarded block may be gone around
  return value;
}

void FunctionLowering::store(llvm::AllocaInst* to, llvm::Value* value) {
  if (deferred_) {
    writes_.push_back({to, value});
    return;
  }
  ir().CreateStore(value, to);
  known_[to] = value;
}

llvm::Value* FunctionLowering::read_carry() {
  if (carry_ == nullptr) carry_ = make_register(ir().getInt1Ty());
  return load(carry_);
}

void FunctionLowering::write_carry(llvm::Value* value) {
  if (carry_ == nullptr) carry_ = make_register(ir().getInt1Ty());
  store(carry_, value);
}

// ---- variables

uint32_t FunctionLowering::variable(uint64_t offset, uint64_t bytes, uint32_t align) {
  const auto [found, fresh] = variables_.try_emplace({offset, bytes}, 0);
  if (fresh) found->second = program_.make_variable(frame_ + offset, bytes, align);
  return found->second;
}

uint32_t FunctionLowering::variable(uint32_t index) {
  const module::Symbol& symbol = program_.image.symbols[index];
  if (symbol.owner != module::none) return variable(symbol.offset, symbol.size, symbol.align);
  // It lies at the bottom, whatever frame the function has.
  if (program_.in_function)
    program_.need_reference("a .local variable of the module in a recursive function");
  const auto [found, fresh] = program_.static_variables.try_emplace(index, 0);
  if (fresh) found->second = program_.make_variable(symbol.offset, symbol.size, symbol.align);
  return found->second;
}

llvm::Value* FunctionLowering::symbol_address(uint32_t index) {
  const module::Symbol& symbol = program_.image.symbols[index];
  llvm::Type* i64 = ir().getInt64Ty();
  if (symbol.kind == module::SymbolKind::memory || symbol.space == module::Space::param ||
      symbol.space == module::Space::local) {
    switch (symbol.space) {
      case module::Space::shared: return shared_memory_of_block(program_, program_.shared_offset(index), 64);
      case module::Space::param: return ir().getInt64(program_.windows.param_base + symbol.offset);
      case module::Space::local:
        return call_op(ir(), Op::local_address, i64, {ir().getInt32(variable(index))});
      default: break;
    }
  }
  return call_op(ir(), Op::symbol, i64, {ir().getInt32(index)});
}

void FunctionLowering::fix(uint32_t symbol) { program_.program.variables[variable(symbol)].fixed = true; }

// ---- control flow

llvm::BasicBlock* FunctionLowering::block_at(uint32_t instruction) {
  if (instruction >= function_.block_of.size()) return back_;
  const uint32_t index = function_.block_of[instruction];
  llvm::BasicBlock*& block = blocks_[index];
  if (block == nullptr)
    block = llvm::BasicBlock::Create(ir().getContext(), function_.name + "." + std::to_string(index));
  return block;
}

// Functions that are not lowered in place are for threads on their own, which tell nothing.
void FunctionLowering::tells(observe::SyncKind kind, llvm::Value* a, llvm::Value* b) {
  if ((program_.meaning.observed & observe::syncs) == 0) return;
  const auto value = [&](llvm::Value* v) { return v != nullptr ? v : ir().getInt32(0); };
  call_op(ir(), Op::observe_sync, ir().getVoidTy(),
          {ir().getInt32(site_), ir().getInt32(static_cast<uint32_t>(kind)), value(a), value(b)});
}

void FunctionLowering::leave() {
  if (caller_ == nullptr) tells(observe::SyncKind::exit);
  ir().CreateBr(back_);
}
void FunctionLowering::exit() {
  tells(observe::SyncKind::exit);
  if (program_.in_function) call_op(ir(), Op::end_thread, ir().getVoidTy(), {});
  ir().CreateBr(program_.end);
}

void FunctionLowering::trap(uint32_t fault_kind) {
  call_op(ir(), Op::trap, ir().getVoidTy(), {ir().getInt32(fault_kind)});
  ir().CreateBr(program_.end);
}

}  // namespace heddle::exec::jit
