#include "exec/jit/transform/merge_blocks.h"

#include "exec/jit/ir/ops.h"
#include "exec/jit/passes/costs.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "module/image.h"

namespace heddle::exec::jit {

namespace {

using llvm::BasicBlock;
using llvm::CallInst;
using llvm::Instruction;
using llvm::Value;

bool is_shared(const CallInst& call, unsigned argument) {
  return static_cast<module::Space>(immediate(call, argument)) == module::Space::shared;
}

// Whether it can tell that there are other threads in its block.
bool meets_others(const Instruction& i) {
  const auto op = op_of(&i);
  if (!op) return false;
  const auto& call = llvm::cast<CallInst>(i);
  switch (*op) {
    case Op::laneid:
    case Op::warpid:
    case Op::dynamic_shared_bytes:
    case Op::sleep: return true;
    case Op::load:
    case Op::store:
    case Op::atomic:
    case Op::reduce:
    case Op::generic: return is_shared(call, 1);
    default: return effect(*op) == Effect::convergent;
  }
}

class Merge {
 public:
  Merge(llvm::Function& thread, const Dim3& block, unsigned blocks)
      : thread_(thread),
        block_(block),
        size_(static_cast<unsigned>(block.count())),
        blocks_(blocks),
        ir_(thread.getContext()) {}

  void run() {
    std::vector<CallInst*> threads, firsts;
    for (Instruction& i : llvm::instructions(thread_)) {
      if (is_op(&i, Op::tid)) threads.push_back(llvm::cast<CallInst>(&i));
      if (is_op(&i, Op::ctaid) && immediate(llvm::cast<CallInst>(i), 0) == 0)
        firsts.push_back(llvm::cast<CallInst>(&i));
    }
    BasicBlock* leave = own_return();
    ir_.SetInsertPoint(&*thread_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    make_places();
    Value* leaves = ir_.CreateICmpUGE(thread_of_all_, ranged(Op::threads_here, {}, 1, all() + 1));
    BasicBlock* begin = ir_.GetInsertBlock();
    BasicBlock* body = begin->splitBasicBlock(ir_.GetInsertPoint(), begin->getName() + ".here");
    begin->getTerminator()->eraseFromParent();
    ir_.SetInsertPoint(begin);
    ir_.CreateCondBr(leaves, leave, body);
    for (CallInst* call : threads) replace(*call, index(static_cast<unsigned>(immediate(*call, 0))));
    for (CallInst* call : firsts) replace_first(*call);
    for (Value* place : {block_of_all_, thread_of_block_})
      if (auto* i = llvm::dyn_cast<Instruction>(place)) llvm::RecursivelyDeleteTriviallyDeadInstructions(i);
  }

 private:
  unsigned all() const { return size_ * blocks_; }

  Value* ranged(Op op, llvm::ArrayRef<Value*> arguments, uint64_t low, uint64_t high) {
    CallInst* call = call_op(ir_, op, ir_.getInt32Ty(), arguments);
    llvm::MDBuilder metadata(call->getContext());
    call->setMetadata(llvm::LLVMContext::MD_range,
                      metadata.createRange(llvm::APInt(32, low), llvm::APInt(32, high)));
    return call;
  }

  void make_places() {
    thread_of_all_ = ranged(Op::tid, {ir_.getInt32(0)}, 0, all());
    first_block_ = ranged(Op::ctaid, {ir_.getInt32(0)}, 0, 0x7fffffff);
    if (size_ == 1) {
      block_of_all_ = thread_of_all_;
      thread_of_block_ = ir_.getInt32(0);
      return;
    }
    const bool is_power = llvm::isPowerOf2_32(size_);
    block_of_all_ = is_power ? ir_.CreateLShr(thread_of_all_, llvm::Log2_32(size_))
                             : ir_.CreateUDiv(thread_of_all_, ir_.getInt32(size_));
    thread_of_block_ = is_power ? ir_.CreateAnd(thread_of_all_, size_ - 1)
                                : ir_.CreateURem(thread_of_all_, ir_.getInt32(size_));
  }

  // The one block that returns, with nothing before it that a thread would have to do.
  BasicBlock* own_return() {
    for (BasicBlock& block : thread_) {
      auto* end = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
      if (end == nullptr) continue;
      const bool alone = &block.front() == end && &block != &thread_.getEntryBlock();
      return alone ? &block : block.splitBasicBlock(end, "return");
    }
    // Nobody ever comes back; those that are not there do.
    BasicBlock* block = BasicBlock::Create(thread_.getContext(), "return", &thread_);
    llvm::ReturnInst::Create(thread_.getContext(), block);
    return block;
  }

  Value* index(unsigned dimension) {
    ir_.SetInsertPoint(thread_.getEntryBlock().getTerminator());
    Value* thread = thread_of_block_;
    const uint32_t before = dimension == 0 ? 1 : dimension == 1 ? block_.x : block_.x * block_.y;
    const uint32_t here = dimension == 0 ? block_.x : dimension == 1 ? block_.y : block_.z;
    if (before != 1) thread = ir_.CreateUDiv(thread, ir_.getInt32(before));
    return before * here == size_ ? thread : ir_.CreateURem(thread, ir_.getInt32(here));
  }

  static void replace(CallInst& call, Value* by) {
    call.replaceAllUsesWith(by);
    call.eraseFromParent();
  }

  // %ctaid.x, and what is a multiple of it: of `blockIdx.x * blockDim.x + threadIdx.x` the number of the
  // thread of all shall be left.
  void replace_first(CallInst& call) {
    for (llvm::User* user : llvm::make_early_inc_range(call.users())) {
      auto* product = llvm::dyn_cast<llvm::BinaryOperator>(user);
      const auto* by =
          product == nullptr ? nullptr : llvm::dyn_cast<llvm::ConstantInt>(product->getOperand(1));
      if (by == nullptr || size_ == 1) continue;
      uint64_t factor = 0;
      if (product->getOpcode() == Instruction::Mul) factor = by->getZExtValue();
      if (product->getOpcode() == Instruction::Shl && by->getZExtValue() < 32)
        factor = uint64_t{1} << by->getZExtValue();
      if (factor == 0 || factor % size_ != 0) continue;
      replace_product(*product, factor);
    }
    ir_.SetInsertPoint(&call);
    if (!call.use_empty())
      call.replaceAllUsesWith(ir_.CreateAdd(first_block_, block_of_all_, "", true, true));
    call.eraseFromParent();
  }

  // first * factor + (factor / size) * (thread of all - thread of its block)
  void replace_product(llvm::BinaryOperator& product, uint64_t factor) {
    ir_.SetInsertPoint(&product);
    const auto times = [&](Value* value, uint64_t by) {
      return by == 1 ? value : ir_.CreateMul(value, ir_.getInt32(static_cast<uint32_t>(by)));
    };
    Value* end = ir_.CreateAdd(times(first_block_, factor), times(thread_of_all_, factor / size_));
    Value* back = times(thread_of_block_, factor / size_);
    for (llvm::User* user : llvm::make_early_inc_range(product.users())) {
      auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(user);
      if (sum == nullptr || factor != size_) continue;
      const auto* disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(sum);
      if (sum->getOpcode() != Instruction::Add && (disjoint == nullptr || !disjoint->isDisjoint())) continue;
      Value* other = sum->getOperand(0) == &product ? sum->getOperand(1) : sum->getOperand(0);
      if (other != thread_of_block_) continue;
      sum->replaceAllUsesWith(end);
      sum->eraseFromParent();
    }
    if (!product.use_empty()) product.replaceAllUsesWith(ir_.CreateSub(end, back));
    product.eraseFromParent();
  }

  llvm::Function& thread_;
  const Dim3 block_;
  const unsigned size_, blocks_;
  llvm::IRBuilder<> ir_;
  Value *thread_of_all_ = nullptr, *first_block_ = nullptr, *block_of_all_ = nullptr,
        *thread_of_block_ = nullptr;
};

}  // namespace

unsigned merge_blocks(ThreadProgram& program, const Dim3& block, unsigned lanes) {
  const auto size = static_cast<unsigned>(block.count());
  // Half of a vector and more is full enough.
  if (size > cost::most_merged_block || 2 * size > lanes || program.shared_bytes != 0) return 1;
  if (llvm::any_of(llvm::instructions(*program.entry), meets_others)) return 1;
  const unsigned blocks = cost::merged_threads / size;
  Merge(*program.entry, block, blocks).run();
  return blocks;
}

}  // namespace heddle::exec::jit
