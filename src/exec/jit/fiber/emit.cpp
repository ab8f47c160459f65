#include "exec/jit/fiber/emit.h"

#include <algorithm>
#include <utility>

#include "exec/jit/analysis/flow.h"
#include "exec/jit/analysis/needs.h"
#include "exec/jit/fiber/in_step.h"
#include "exec/jit/fiber/thread_code.h"
#include "exec/jit/fiber/threads.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::exec::jit {

namespace {

// What is taken from a thread's patience (threads.cpp) at a backward branch, and by an operation that looks
// at what others write: a thread that polls gives way after 64 looks.
constexpr int32_t branch_cost = 1, look_cost = 128;
// Recursion takes some hundred bytes of it a call. Without it there is one frame, which has room for each
// value once at most; pages that nobody needs are never made.
constexpr uint32_t stack_bytes = 64 << 10, deep_stack_bytes = 4 << 20, bytes_a_value = 16;

uint32_t stack_for(const llvm::Module& module) {
  return std::clamp(module.getInstructionCount() * bytes_a_value, stack_bytes, deep_stack_bytes);
}

constexpr size_t argument_offset(unsigned index) {
  return offsetof(Request, arguments) + sizeof(uint64_t) * index;
}

}  // namespace

ThreadCode::ThreadCode(ThreadProgram& program, const module::Image& image, uint32_t entry, const Shape& shape)
    : program_(program),
      image_(image),
      kernel_(image.functions[entry]),
      shape_(shape),
      windows_(windows(image.address_bits)),
      module_(*program.module),
      ir_(*program.context) {}

void ThreadCode::run() {
  llvm::Type *nothing = ir_.getVoidTy(), *pointer = ir_.getPtrTy();
  const auto make = [&](llvm::ArrayRef<llvm::Type*> arguments, const char* name) {
    auto* type = llvm::FunctionType::get(nothing, arguments, false);
    return llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, module_);
  };
  for (const CalledFunction& f : program_.functions)
    functions_[f.function] = make({pointer, ir_.getInt64Ty()}, "function_code");
  for (CalledFunction& f : program_.functions) {
    llvm::Function* after = functions_[f.function];
    convert(*f.code, *after, false);
    f.code = after;
  }
  llvm::Function* thread = make({pointer}, "thread_code");
  convert(*program_.entry, *thread, true);
  make_entry();
  program_.entry = module_.getFunction(kernel_symbol);
}

void ThreadCode::convert(llvm::Function& before, llvm::Function& after, bool is_entry) {
  thread_ = &after;
  thread_->setAttributes(before.getAttributes());
  // Frames of more than a page must meet the page that ends a stack.
  thread_->addFnAttr("probe-stack", "inline-asm");
  thread_->splice(thread_->begin(), &before);
  thread_->setSubprogram(before.getSubprogram());
  before.setSubprogram(nullptr);
  before.eraseFromParent();
  fiber_ = thread_->getArg(0);
  frame_ = is_entry ? nullptr : thread_->getArg(1);
  // Context::first_thread is the thread that runs: of an access that faults, it is lane 0.
  const unsigned alone = program_.lanes.index_of(AccessLanes::of_one(0));
  for (llvm::BasicBlock& block : *thread_) {
    for (llvm::Instruction& i : block) {
      if (const llvm::DebugLoc& l = i.getDebugLoc())
        i.setDebugLoc(llvm::DILocation::get(ir_.getContext(), l.getLine(), alone, l.getScope()));
    }
  }

  llvm::SmallVector<std::pair<llvm::CallInst*, Op>> calls;
  llvm::SmallVector<llvm::ReturnInst*> ends;
  llvm::SmallPtrSet<llvm::BasicBlock*, 16> known;
  const auto collect = [&](llvm::BasicBlock& block) {
    if (!known.insert(&block).second) return;
    for (llvm::Instruction& i : block) {
      if (const auto op = op_of(&i)) calls.emplace_back(llvm::cast<llvm::CallInst>(&i), *op);
    }
    if (auto* end = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator())) ends.push_back(end);
  };
  // Loops in one piece: of lanes at two places those at the first may come to the other. Then what nobody
  // comes to.
  const Flow flow(*thread_);
  for (llvm::BasicBlock* block : flow.order()) collect(*block);
  for (llvm::BasicBlock& block : *thread_) collect(block);
  give_way_in_loops();
  for (const auto& [call, op] : calls) {
    ++place_;
    expand(*call, op);
  }
  if (!is_entry) return;
  for (llvm::ReturnInst* end : ends) {
    ir_.SetInsertPoint(end);
    ir_.CreateStore(u32(static_cast<uint32_t>(Want::end)), request_at(offsetof(Request, want)));
    yield();
  }
}

// ---- requests

uint32_t ThreadCode::site() const {
  const llvm::DebugLoc& location = ir_.getCurrentDebugLocation();
  return location && location.getLine() != 0 ? location.getLine() - 1 : module::none;
}

llvm::FunctionCallee ThreadCode::want_function() {
  return module_.getOrInsertFunction("heddle_jit_want", ir_.getVoidTy(), ir_.getPtrTy());
}

llvm::CallInst* ThreadCode::yield() { return ir_.CreateCall(want_function(), {fiber_}); }

void ThreadCode::ask(Want want, Value* what, llvm::ArrayRef<Value*> arguments) {
  ir_.CreateStore(u32(static_cast<uint32_t>(want)), request_at(offsetof(Request, want)));
  ir_.CreateStore(what, request_at(offsetof(Request, what)));
  ir_.CreateStore(u32(site()), request_at(offsetof(Request, site)));
  for (unsigned i = 0; i < arguments.size(); ++i) {
    Value* a = arguments[i];
    if (a->getType()->isIntegerTy()) a = ir_.CreateZExt(a, ir_.getInt64Ty());
    ir_.CreateStore(a, request_at(argument_offset(i)));
  }
  llvm::CallInst* call = yield();
  if (want == Want::turn) call->addFnAttr(llvm::Attribute::get(ir_.getContext(), gives_way));
}

void ThreadCode::ask_together(Want want, Value* what, Value* members, Value* sync,
                              llvm::ArrayRef<Value*> arguments) {
  ir_.CreateStore(members, request_at(offsetof(Request, members)));
  ir_.CreateStore(ir_.CreateZExtOrTrunc(sync, ir_.getInt32Ty()), request_at(offsetof(Request, sync)));
  ir_.CreateStore(u32(place_), request_at(offsetof(Request, place)));
  ask(want, what, arguments);
}

llvm::Value* ThreadCode::result(unsigned index, llvm::Type* type) {
  Value* bits =
      ir_.CreateLoad(ir_.getInt64Ty(), request_at(offsetof(Request, results) + sizeof(uint64_t) * index));
  return ir_.CreateTrunc(bits, type);
}

// Asks for a fault: one function for all places, of which a large kernel has thousands.
llvm::Function* ThreadCode::fault_function() {
  if (fault_ != nullptr) return fault_;
  llvm::Type *pointer = ir_.getPtrTy(), *i32 = ir_.getInt32Ty(), *i64 = ir_.getInt64Ty();
  auto* type = llvm::FunctionType::get(ir_.getVoidTy(), {pointer, i32, i32, i64, i64, i64, i64}, false);
  fault_ = llvm::Function::Create(type, llvm::Function::InternalLinkage, "thread_fault", module_);
  fault_->addFnAttr(llvm::Attribute::NoInline);
  fault_->addFnAttr(llvm::Attribute::Cold);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(ir_.getContext(), "", fault_));
  const auto request = [&](uint64_t offset) {
    return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), fault_->getArg(0), offsetof(Fiber, request) + offset);
  };
  b.CreateStore(b.getInt32(static_cast<uint32_t>(Want::fault)), request(offsetof(Request, want)));
  b.CreateStore(fault_->getArg(1), request(offsetof(Request, what)));
  b.CreateStore(fault_->getArg(2), request(offsetof(Request, site)));
  for (unsigned i = 0; i < 4; ++i) b.CreateStore(fault_->getArg(3 + i), request(argument_offset(i)));
  b.CreateCall(want_function(), {fault_->getArg(0)});
  b.CreateUnreachable();
  return fault_;
}

void ThreadCode::fault_unless(Value* good, FaultKind kind, llvm::ArrayRef<Value*> arguments) {
  llvm::Instruction* here = &*ir_.GetInsertPoint();
  llvm::Instruction* end = llvm::SplitBlockAndInsertIfThen(ir_.CreateNot(good), here->getIterator(), true);
  const llvm::DebugLoc location = ir_.getCurrentDebugLocation();
  ir_.SetInsertPoint(end);
  ir_.SetCurrentDebugLocation(location);
  // What the fiber asked for before must not be taken for an access.
  llvm::SmallVector<Value*, 7> operands{fiber_, u32(static_cast<uint32_t>(kind)), u32(site())};
  for (unsigned i = 0; i < 4; ++i)
    operands.push_back(i < arguments.size() ? ir_.CreateZExt(arguments[i], ir_.getInt64Ty()) : u64(0));
  ir_.CreateCall(fault_function(), operands);
  ir_.SetInsertPoint(here);
  ir_.SetCurrentDebugLocation(location);
}

// ---- giving way

void ThreadCode::lose_patience(int32_t cost) {
  Value* where = at(fiber_, offsetof(Fiber, patience));
  ir_.CreateStore(
      ir_.CreateSub(ir_.CreateLoad(ir_.getInt32Ty(), where), ir_.getInt32(static_cast<uint32_t>(cost))),
      where);
}

// Others must have a turn in every loop: what a thread waits for may be theirs to do. From a loop that waits
// it says so, and whether it has come there since.
void ThreadCode::give_way_in_loops() {
  llvm::SmallVector<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>> backward;
  llvm::FindFunctionBackedges(*thread_, backward);
  llvm::SmallPtrSet<llvm::BasicBlock*, 16> sources;
  for (const auto& [from, to] : backward) sources.insert(const_cast<llvm::BasicBlock*>(from));
  // In the order of the function, not of the set's pointers.
  llvm::SmallVector<llvm::BasicBlock*> ordered;
  for (llvm::BasicBlock& block : *thread_) {
    if (sources.contains(&block)) ordered.push_back(&block);
  }
  const llvm::DominatorTree dominators(*thread_);
  const llvm::LoopInfo loops(dominators);
  const WaitLoops waits = find_wait_loops(loops, dominators);
  looks_ |= waits.looks;
  llvm::SmallPtrSet<llvm::BasicBlock*, 16> waiting, before;
  for (const llvm::Loop* loop : waits.loops) {
    for (llvm::BasicBlock* from : llvm::predecessors(loop->getHeader()))
      (loop->contains(from) ? waiting : before).insert(from);
  }
  for (llvm::BasicBlock& block : *thread_) {
    if (!before.contains(&block)) continue;
    ir_.SetInsertPoint(block.getTerminator());
    ir_.CreateStore(u32(1), at(fiber_, offsetof(Fiber, came)));
  }
  for (llvm::BasicBlock* block : ordered) {
    ir_.SetInsertPoint(block->getTerminator());
    lose_patience(branch_cost);
    Value* left = field(offsetof(Fiber, patience), ir_.getInt32Ty());
    llvm::Instruction* turn = llvm::SplitBlockAndInsertIfThen(ir_.CreateICmpSLT(left, u32(0)),
                                                              block->getTerminator()->getIterator(), false);
    const llvm::DebugLoc location = ir_.getCurrentDebugLocation();
    ir_.SetInsertPoint(turn);
    ir_.SetCurrentDebugLocation(location);
    ask(Want::turn, u32(waiting.contains(block) ? 1 : 0), {});
  }
}

// ---- operations

llvm::Value* ThreadCode::dimension(llvm::CallInst& call, size_t offset) {
  return field(offset + sizeof(uint32_t) * immediate(call, 0), call.getType());
}

// (n, slot x n, then slot and value of each source): values in an array of this thread, slots in a constant.
llvm::Value* ThreadCode::step(llvm::CallInst& call) {
  const auto results = static_cast<unsigned>(immediate(call, 0));
  llvm::SmallVector<llvm::Constant*> slots;
  llvm::SmallVector<Value*> sources;
  for (unsigned i = 0; i < results; ++i)
    slots.push_back(llvm::cast<llvm::Constant>(call.getArgOperand(1 + i)));
  for (unsigned i = 1 + results; i + 1 < call.arg_size(); i += 2) {
    slots.push_back(llvm::cast<llvm::Constant>(call.getArgOperand(i)));
    sources.push_back(call.getArgOperand(i + 1));
  }
  auto* list = llvm::ConstantArray::get(llvm::ArrayType::get(ir_.getInt32Ty(), slots.size()), slots);
  llvm::Constant* table = llvm::ConstantStruct::getAnon(
      {ir_.getInt32(results), ir_.getInt32(static_cast<uint32_t>(sources.size())), list});
  auto* global = new llvm::GlobalVariable(module_, table->getType(), true, llvm::GlobalValue::PrivateLinkage,
                                          table, "step_slots");
  auto* type = llvm::ArrayType::get(ir_.getInt64Ty(), std::max<size_t>(slots.size(), 1));
  auto* values = new llvm::AllocaInst(type, 0, "step_values", thread_->getEntryBlock().begin());
  for (unsigned i = 0; i < sources.size(); ++i) {
    ir_.CreateStore(ir_.CreateZExt(sources[i], ir_.getInt64Ty()),
                    at(values, sizeof(uint64_t) * (results + i)));
  }
  const bool together = is_of_a_warp(call, program_.sites, image_);
  // What waits for others to arrive, test or try again is a look at memory.
  lose_patience(look_cost);
  ask_together(together ? Want::step_together : Want::step, u32(0), u32(~0u), u32(0), {values, global});
  const auto value = [&](unsigned i, llvm::Type* to) {
    return ir_.CreateTrunc(ir_.CreateLoad(ir_.getInt64Ty(), at(values, sizeof(uint64_t) * i)), to);
  };
  if (results == 0) return nullptr;
  if (results == 1) return value(0, call.getType());
  Value* out = llvm::PoisonValue::get(call.getType());
  for (unsigned i = 0; i < results; ++i)
    out = ir_.CreateInsertValue(out, value(i, call.getType()->getStructElementType(i)), i);
  return out;
}

llvm::Value* ThreadCode::barrier(llvm::CallInst& call, BarrierKind kind, Value* predicate) {
  ask(Want::barrier, u32(static_cast<uint32_t>(kind)), {call.getArgOperand(0), u32(0), predicate});
  return call.getType()->isVoidTy() ? nullptr : result(0, call.getType());
}

llvm::Value* ThreadCode::value_of(llvm::CallInst& call, Op op) {
  const auto argument = [&](unsigned i) { return call.getArgOperand(i); };
  const auto pair = [&] {
    Value* both = llvm::PoisonValue::get(call.getType());
    for (unsigned i = 0; i < 2; ++i)
      both = ir_.CreateInsertValue(both, result(i, call.getType()->getStructElementType(i)), i);
    return both;
  };
  Value* named = u32(1);  // the members of forms that always name them
  switch (op) {
    case Op::tid: return dimension(call, offsetof(Fiber, tid));
    case Op::ctaid: return dimension(call, offsetof(Fiber, block));
    case Op::ntid: {
      const uint32_t sizes[3] = {shape_.block.x, shape_.block.y, shape_.block.z};
      return u32(sizes[immediate(call, 0)]);
    }
    case Op::nctaid: return context(offsetof(Context, grid) + 4 * immediate(call, 0), call.getType());
    case Op::laneid: return field(offsetof(Fiber, lane), call.getType());
    case Op::warpid: return field(offsetof(Fiber, warp), call.getType());
    case Op::grid_id: return context(offsetof(Context, grid_id), call.getType());
    case Op::dynamic_shared_bytes: return context(offsetof(Context, dynamic_shared_bytes), call.getType());
    case Op::environment:
      return context(offsetof(Context, environment) + 4 * immediate(call, 0), call.getType());
    case Op::parameter: {
      Value* from = at(context(offsetof(Context, parameters), ir_.getPtrTy()), immediate(call, 0));
      return ir_.CreateAlignedLoad(call.getType(), from, llvm::Align(1));
    }
    case Op::symbol: {
      Value* from = at(context(offsetof(Context, symbols), ir_.getPtrTy()), 8 * immediate(call, 0));
      return ir_.CreateLoad(ir_.getInt64Ty(), from);
    }
    case Op::generic: {
      const auto space = static_cast<module::Space>(immediate(call, 1));
      if (space == module::Space::shared) return ir_.CreateAdd(argument(0), u64(windows_.shared_base));
      if (space == module::Space::local) return ir_.CreateAdd(argument(0), u64(windows_.local_base));
      return argument(0);
    }
    case Op::local_address: {
      Value* offset = u64(program_.variables[immediate(call, 0)].offset);
      return frame_ ? ir_.CreateAdd(frame_, offset) : offset;
    }
    case Op::call: this->call(call); return nullptr;
    case Op::end_thread: ask(Want::end, u32(0), {}); return nullptr;
    case Op::load: return load(call);
    case Op::store: store(call); return nullptr;
    case Op::atomic:
    case Op::reduce: return atomic(call);
    case Op::fence: ir_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent); return nullptr;
    case Op::shuffle:
      ask_together(Want::shuffle, argument(0), argument(4), argument(5),
                   {argument(1), argument(2), argument(3)});
      return pair();
    case Op::vote:
      ask_together(Want::vote, argument(0), argument(2), argument(3), {argument(1)});
      return result(0, call.getType());
    case Op::ballot:
      ask_together(Want::ballot, u32(0), argument(1), argument(2), {argument(0)});
      return result(0, call.getType());
    case Op::match_any:
      ask_together(Want::match_any, u32(0), argument(1), named, {argument(0)});
      return result(0, call.getType());
    case Op::match_all:
      ask_together(Want::match_all, u32(0), argument(1), named, {argument(0)});
      return pair();
    case Op::warp_reduce:
      ask_together(Want::warp_reduce, argument(0), argument(2), named, {argument(1)});
      return result(0, call.getType());
    case Op::active_mask:
      ask_together(Want::active_mask, u32(0), u32(~0u), u32(0), {});
      return result(0, call.getType());
    case Op::in_step:
      ask_together(Want::in_step, u32(place_), u32(~0u), u32(0), {u32(call.hasFnAttr(last_first) ? 1 : 0)});
      return nullptr;
    case Op::warp_barrier: ask_together(Want::warp_barrier, u32(0), argument(0), named, {}); return nullptr;
    case Op::barrier: return barrier(call, BarrierKind::sync, ir_.getFalse());
    case Op::barrier_reduce: {
      constexpr BarrierKind kinds[3] = {BarrierKind::popc, BarrierKind::and_, BarrierKind::or_};
      return barrier(call, kinds[immediate(call, 1)], argument(2));
    }
    case Op::barrier_some: {
      fault_unless(ir_.CreateICmpNE(argument(2), u32(0)), FaultKind::illegal_barrier, {});
      ask(Want::barrier, argument(0), {argument(1), argument(2), argument(3)});
      return call.getType()->isVoidTy() ? nullptr : result(0, call.getType());
    }
    case Op::step: return step(call);
    case Op::clock: {
      lose_patience(look_cost);
      auto callee =
          module_.getOrInsertFunction("heddle_jit_clock", ir_.getInt64Ty(), ir_.getPtrTy(), ir_.getInt32Ty());
      Value* time = ir_.CreateCall(callee, {field(offsetof(Fiber, context), ir_.getPtrTy()), argument(0)});
      return ir_.CreateTrunc(time, call.getType());
    }
    case Op::sleep: ask(Want::turn, u32(call.hasFnAttr(waits_for_others) ? 1 : 0), {}); return nullptr;
    case Op::trap:
      fault_unless(ir_.getFalse(), static_cast<FaultKind>(immediate(call, 0)), {});
      return nullptr;
    default: return nullptr;  // prefetch; what arithmetic there is, math/expand.h makes code of
  }
}

void ThreadCode::expand(llvm::CallInst& call, Op op) {
  if (is_math(op)) return;
  ir_.SetInsertPoint(&call);
  Value* value = value_of(call, op);
  if (value) call.replaceAllUsesWith(value);
  call.eraseFromParent();
}

// The thread's stack is the frames in local memory, as its program knows it, and the machine's own.
void ThreadCode::call(llvm::CallInst& call) {
  Value* offset = u64(immediate(call, 1));
  Value* frame = frame_ ? ir_.CreateAdd(frame_, offset) : offset;
  Value* end = ir_.CreateAdd(frame, u64(program_.local_bytes));
  Value* fits = ir_.CreateICmpULE(end, field(offsetof(Fiber, local_bytes), ir_.getInt64Ty()));
  Value* here = ir_.CreateIntrinsic(llvm::Intrinsic::frameaddress, {ir_.getPtrTy()}, {u32(0)});
  Value* above = ir_.CreateICmpUGT(here, field(offsetof(Fiber, stack_end), ir_.getPtrTy()));
  fault_unless(ir_.CreateAnd(fits, above), FaultKind::stack_overflow, {});
  ir_.CreateCall(functions_[static_cast<uint32_t>(immediate(call, 0))], {fiber_, frame});
}

// ---- the kernel

// void kernel(Context*, i64 first, i64 count): the scheduler with this thread.
void ThreadCode::make_entry() {
  ir_.SetCurrentDebugLocation({});
  llvm::Type *pointer = ir_.getPtrTy(), *i64 = ir_.getInt64Ty();
  auto* type = llvm::FunctionType::get(ir_.getVoidTy(), {pointer, i64, i64}, false);
  auto* kernel = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, kernel_symbol, module_);
  ir_.SetInsertPoint(llvm::BasicBlock::Create(ir_.getContext(), "", kernel));
  static_assert(sizeof(ThreadKernel) == 5 * sizeof(uint32_t));
  llvm::Constant* words = llvm::ConstantDataArray::get(
      ir_.getContext(),
      llvm::ArrayRef<uint32_t>{shape_.block.x, shape_.block.y, shape_.block.z,
                               program_.functions.empty() ? stack_for(module_) : deep_stack_bytes,
                               looks_ ? 1U : 0U});
  auto* description = new llvm::GlobalVariable(module_, words->getType(), true,
                                               llvm::GlobalValue::PrivateLinkage, words, "thread_kernel");
  description->setAlignment(llvm::Align(4));
  auto callee = module_.getOrInsertFunction("heddle_jit_run_threads", ir_.getVoidTy(), pointer, i64, i64,
                                            pointer, pointer);
  ir_.CreateCall(callee, {kernel->getArg(0), kernel->getArg(1), kernel->getArg(2), thread_, description});
  ir_.CreateRetVoid();
}

void emit_threads(ThreadProgram& program, const module::Image& image, uint32_t entry, const Shape& shape) {
  ThreadCode(program, image, entry, shape).run();
}

}  // namespace heddle::exec::jit
