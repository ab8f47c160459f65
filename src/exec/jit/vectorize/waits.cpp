#include "exec/jit/vectorize/waits.h"

#include <cstddef>

#include "exec/jit/abi/context.h"
#include "exec/jit/analysis/needs.h"
#include "exec/jit/fiber/warps.h"
#include "exec/jit/ir/ops.h"
#include "exec/jit/vectorize/region.h"
#include "exec/jit/vectorize/weave.h"
#include "llvm/IR/InstIterator.h"

namespace heddle::exec::jit {

using llvm::BasicBlock;
using llvm::Value;

void barriers_of_warps(llvm::Function& thread) {
  llvm::IRBuilder<> b(thread.getContext());
  for (llvm::Instruction& i : llvm::make_early_inc_range(llvm::instructions(thread))) {
    const bool reduces = is_op(&i, Op::barrier_reduce);
    if (!reduces && !is_op(&i, Op::barrier)) continue;
    auto& call = llvm::cast<llvm::CallInst>(i);
    BarrierKind kind = BarrierKind::sync;
    if (reduces) {
      constexpr BarrierKind kinds[] = {BarrierKind::popc, BarrierKind::and_, BarrierKind::or_};
      kind = kinds[immediate(call, 1)];
    }
    b.SetInsertPoint(&call);
    llvm::CallInst* arrival =
        call_op(b, Op::barrier_some, call.getType(),
                {b.getInt32(static_cast<uint32_t>(kind)), call.getArgOperand(0), b.getInt32(whole_block),
                 reduces ? call.getArgOperand(2) : b.getFalse()});
    call.replaceAllUsesWith(arrival);
    call.eraseFromParent();
  }
}

void make_warp_kernel(Weaver& weaver) {
  llvm::Function* warp = weaver.kernel;
  warp->setName("warp");
  warp->setLinkage(llvm::GlobalValue::InternalLinkage);
  llvm::IRBuilder<>& b = weaver.builder;
  b.SetCurrentDebugLocation({});
  llvm::Type *pointer = b.getPtrTy(), *i64 = b.getInt64Ty();
  auto* kernel = llvm::Function::Create(warp->getFunctionType(), llvm::GlobalValue::ExternalLinkage,
                                        kernel_symbol, weaver.module);
  b.SetInsertPoint(BasicBlock::Create(weaver.context, "", kernel));
  const Dim3& block = weaver.geometry.block;
  llvm::Constant* words =
      llvm::ConstantDataArray::get(weaver.context, llvm::ArrayRef<uint32_t>{block.x, block.y, block.z});
  auto* description = new llvm::GlobalVariable(weaver.module, words->getType(), true,
                                               llvm::GlobalValue::PrivateLinkage, words, "warp_kernel");
  description->setAlignment(llvm::Align(4));
  auto callee = weaver.module.getOrInsertFunction("heddle_jit_run_warps", b.getVoidTy(), pointer, i64, i64,
                                                  pointer, pointer);
  b.CreateCall(callee, {kernel->getArg(0), kernel->getArg(1), kernel->getArg(2), warp, description});
  b.CreateRetVoid();
  weaver.kernel = kernel;
}

Value* emit_wait(Unit& unit, const llvm::Instruction& sleep) {
  Weaver& weaver = unit.weaver();
  llvm::IRBuilder<>& b = weaver.builder;
  const auto& call = llvm::cast<llvm::CallInst>(sleep);
  const WaitFor whom = call.hasFnAttr(waits_for_others)  ? WaitFor::others
                       : call.hasFnAttr(waits_for_lanes) ? WaitFor::lanes
                                                         : WaitFor::perhaps;
  if (const llvm::DebugLoc& at = call.getDebugLoc(); at && at.getLine() != 0)
    weaver.store_context_field(b.getInt32(at.getLine() - 1), offsetof(Context, site));
  return b.CreateCall(weaver.helper("heddle_jit_wait", b.getInt32Ty(), {b.getPtrTy(), b.getInt32Ty()}),
                      {weaver.run, b.getInt32(static_cast<uint32_t>(whom))});
}

void emit_arrival(Unit& unit, const llvm::CallInst& call) {
  Weaver& weaver = unit.weaver();
  llvm::IRBuilder<>& b = weaver.builder;
  llvm::Type* i32 = b.getInt32Ty();
  const Rep id = unit.get(call.getArgOperand(1)), count = unit.get(call.getArgOperand(2)),
            predicate = unit.get(call.getArgOperand(3));
  const unsigned lanes = weaver.geometry.lanes;
  Value *active = b.getInt32(0), *yes = b.getInt32(0), *first = b.getInt32(0);
  for (unsigned j = 0; j < unit.vectors(); ++j) {
    const auto add = [&](Value* sum, Value* vector) {
      return b.CreateOr(sum, b.CreateShl(b.CreateZExt(unit.bits(vector), i32), j * lanes));
    };
    active = add(active, unit.masked() ? unit.mask(j) : unit.full_mask());
    yes = add(yes, weaver.lanes.vector(predicate, j));
  }
  if (unit.masked()) first = b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, active, b.getFalse());
  const auto one = [&](const Rep& rep) {
    if (rep.pattern.uniform()) return rep.parts[0];
    Value* result = nullptr;
    for (unsigned j = 0; j < unit.vectors(); ++j) {
      Value* lane =
          b.CreateExtractElement(weaver.lanes.vector(rep, j), b.CreateURem(first, b.getInt32(lanes)));
      Value* here = b.CreateICmpEQ(b.CreateUDiv(first, b.getInt32(lanes)), b.getInt32(j));
      result = result == nullptr ? lane : b.CreateSelect(here, lane, result);
    }
    return result;
  };
  const uint32_t site = call.getDebugLoc() ? call.getDebugLoc().getLine() - 1 : 0xffffffffu;
  auto callee = weaver.helper("heddle_jit_arrive", i32, {b.getPtrTy(), i32, i32, i32, i32, i32, i32});
  Value* result = b.CreateCall(
      callee, {weaver.run, b.getInt32(site), b.getInt32(static_cast<uint32_t>(immediate(call, 0))), one(id),
               one(count), active, yes});
  if (call.getType()->isVoidTy()) return;
  unit.define(&call, {unit.patterns().of(&call), {b.CreateTrunc(result, call.getType())}});
}

// ---- where lanes of a warp wait

bool RegionEmitter::waits(const llvm::Instruction& i) const {
  return weaver_.on_their_own && is_op(&i, Op::sleep);
}

// Lanes that have exited are not waited for, though the line goes on until all of the part have.
void RegionEmitter::note_gone(llvm::ArrayRef<Value*> mask) {
  Value* gone = weaver_.context_field(b_.getInt32Ty(), offsetof(Context, gone), "gone");
  weaver_.store_context_field(b_.CreateOr(gone, bits_of_warp(mask)), offsetof(Context, gone));
}

// Lanes that wait, of which others have left: those may be who they wait for, and where ways meet they are
// waited for in turn. After some time the lanes part (fiber/warps.h), as if there were two warps; each has
// slow code's line to its end.
void RegionEmitter::wait_slowly(const llvm::Instruction& sleep, BasicBlock* leave) {
  Value* long_enough = b_.CreateICmpNE(emit_wait(*slow_, sleep), b_.getInt32(0));
  BasicBlock *look = weaver_.block("look"), *part = weaver_.block("part"), *rest = weaver_.block("waited");
  b_.CreateCondBr(long_enough, look, rest)
      ->setMetadata(
          llvm::LLVMContext::MD_prof,
          llvm::MDNode::get(weaver_.context, {llvm::MDString::get(weaver_.context, "branch_weights"),
                                              llvm::ConstantAsMetadata::get(b_.getInt32(1)),
                                              llvm::ConstantAsMetadata::get(b_.getInt32(2000))}));
  const auto each_home = [&](auto&& f) {
    for (const BasicBlock* block : region_.slow_flow->order()) {
      if (region_.is_serial(block) || is_follower(*block)) continue;
      f(mask_home(block, 0));
      const llvm::Loop* loop = region_.slow_flow->loops().getLoopFor(block);
      if (loop != nullptr && loop->getHeader() == block) f(mask_home(block, 1));
    }
  };
  b_.SetInsertPoint(look);
  llvm::SmallVector<Value*, 4> others(slow_->vectors(), zero_mask());
  each_home([&](llvm::ArrayRef<llvm::AllocaInst*> home) {
    const auto mask = load_mask(home);
    for (unsigned i = 0; i < others.size(); ++i) others[i] = b_.CreateOr(others[i], mask[i]);
  });
  for (unsigned i = 0; i < others.size(); ++i)
    others[i] = b_.CreateSelect(slow_->masks()[i], zero_mask(), others[i]);
  b_.CreateCondBr(slow_->any(others), part, rest);
  b_.SetInsertPoint(part);
  b_.CreateStore(b_.getInt32(0), mode_);
  auto callee = weaver_.helper("heddle_jit_part", b_.getInt32Ty(), {b_.getPtrTy(), b_.getInt32Ty()});
  Value* stays =
      b_.CreateICmpNE(b_.CreateCall(callee, {weaver_.run, bits_of_warp(slow_->masks())}), b_.getInt32(0));
  llvm::SmallVector<Value*, 4> kept;
  for (Value* mask : slow_->masks()) kept.push_back(b_.CreateSelect(stays, mask, b_.CreateNot(mask)));
  each_home([&](llvm::ArrayRef<llvm::AllocaInst*> home) {
    auto mask = load_mask(home);
    for (unsigned i = 0; i < mask.size(); ++i) mask[i] = b_.CreateAnd(mask[i], kept[i]);
    store_mask(home, mask);
  });
  b_.CreateCondBr(stays, rest, leave);
  b_.SetInsertPoint(rest);
}

}  // namespace heddle::exec::jit
