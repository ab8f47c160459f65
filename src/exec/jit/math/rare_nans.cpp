#include "exec/jit/math/rare_nans.h"

#include "exec/jit/ir/ops.h"
#include "exec/jit/passes/costs.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace heddle::exec::jit {

namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

bool is_first_nan(const Value* value) { return op_of(value) == Op::first_nan; }

// A NaN if one of its sources is.
bool keeps_nans(const Instruction& i) {
  if (!i.getType()->getScalarType()->isDoubleTy()) return false;
  switch (i.getOpcode()) {
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FMul:
    case Instruction::FDiv:
    case Instruction::FNeg: return true;
    default: break;
  }
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i))
    return call->getIntrinsicID() == llvm::Intrinsic::fma || call->getIntrinsicID() == llvm::Intrinsic::sqrt;
  const auto op = op_of(&i);
  return op == Op::rounded || op == Op::first_nan;
}

// Arithmetic of one block, in its order, and the instruction before which its results are there.
struct Piece {
  llvm::SmallSetVector<Instruction*, 32> code;
  Instruction* end = nullptr;
  unsigned first_nans = 0;
};

// The first piece of the block that is worth it, if any.
Piece find_piece(BasicBlock& block) {
  Piece piece;
  for (Instruction& i : block) {
    if (llvm::isa<llvm::PHINode>(i)) continue;
    if (keeps_nans(i)) {
      piece.code.insert(&i);
      piece.first_nans += is_first_nan(&i);
      continue;
    }
    const bool ends = i.isTerminator() || llvm::any_of(i.operand_values(), [&](Value* operand) {
                        auto* source = llvm::dyn_cast<Instruction>(operand);
                        return source != nullptr && piece.code.contains(source);
                      });
    if (!ends) continue;
    piece.end = &i;
    if (piece.first_nans >= cost::least_payloads) return piece;
    piece = {};
  }
  return {};
}

// What it is where nothing is a NaN.
Value* plain(const Piece& piece, Value* value) {
  for (;;) {
    auto* i = llvm::dyn_cast<Instruction>(value);
    if (i == nullptr || !is_first_nan(i) || !piece.code.contains(i)) return value;
    value = i->getOperand(0);
  }
}

// A NaN of the source is one of the number that is asked for: the operation has it among its own sources, or
// minus it.
bool shows(const Piece& piece, const Instruction& first_nan) {
  const auto* operation = llvm::dyn_cast<Instruction>(plain(piece, first_nan.getOperand(0)));
  if (operation == nullptr || !keeps_nans(*operation)) return false;
  const Value* source = first_nan.getOperand(1);
  return llvm::any_of(operation->operand_values(), [&](const Value* operand) {
    return operand == source ||
           match(operand, llvm::PatternMatch::m_FNeg(llvm::PatternMatch::m_Specific(source)));
  });
}

Value* any_nan(llvm::IRBuilder<>& ir, llvm::ArrayRef<Value*> values) {
  llvm::MapVector<llvm::Type*, llvm::SmallVector<Value*, 8>> by_type;
  for (Value* value : values) by_type[value->getType()].push_back(value);
  Value* any = ir.getFalse();
  for (auto& [type, same] : by_type) {
    Value* of_type = nullptr;
    for (std::size_t n = 0; n < same.size(); n += 2) {  // one comparison is of two
      Value* pair = ir.CreateFCmpUNO(same[n], same[std::min(n + 1, same.size() - 1)]);
      of_type = of_type == nullptr ? pair : ir.CreateOr(of_type, pair);
    }
    if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
      of_type = ir.CreateIsNotNull(ir.CreateBitCast(of_type, ir.getIntNTy(vector->getNumElements())));
    any = ir.CreateOr(any, of_type);
  }
  return any;
}

// Gives the block behind it.
BasicBlock* divide(const Piece& piece) {
  BasicBlock* block = piece.end->getParent();
  llvm::SmallVector<Instruction*, 16> results;
  for (Instruction* i : piece.code) {
    const auto is_elsewhere = [&](llvm::User* user) {
      return !piece.code.contains(llvm::cast<Instruction>(user));
    };
    if (llvm::any_of(i->users(), is_elsewhere)) results.push_back(i);
  }
  BasicBlock* after = block->splitBasicBlock(piece.end, "numbers");
  auto* with_nans = BasicBlock::Create(block->getContext(), "nans", block->getParent());
  llvm::IRBuilder<> ir(with_nans);
  llvm::ValueToValueMapTy copies;
  for (Instruction* i : piece.code) {
    Instruction* copy = i->clone();
    ir.Insert(copy);
    llvm::RemapInstruction(copy, copies, llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
    copies[i] = copy;
  }
  ir.SetCurrentDebugLocation(piece.end->getDebugLoc());
  ir.CreateBr(after);

  llvm::SmallSetVector<Value*, 16> numbers;
  for (Instruction* result : results) {
    Value* number = plain(piece, result);
    numbers.insert(number);
    auto* phi = llvm::PHINode::Create(result->getType(), 2, "", after->begin());
    result->replaceUsesWithIf(
        phi, [&](llvm::Use& use) { return !piece.code.contains(llvm::cast<Instruction>(use.getUser())); });
    phi->addIncoming(number, block);
    phi->addIncoming(copies[result], with_nans);
  }
  for (Instruction* i : piece.code)
    if (is_first_nan(i) && !shows(piece, *i)) numbers.insert(plain(piece, i->getOperand(1)));
  for (Instruction* i : piece.code)
    if (is_first_nan(i)) i->replaceAllUsesWith(i->getOperand(0));
  for (Instruction* i : llvm::reverse(piece.code.getArrayRef()))
    if (is_first_nan(i)) i->eraseFromParent();

  Instruction* leaves = block->getTerminator();
  ir.SetInsertPoint(leaves);
  auto* branch = ir.CreateCondBr(any_nan(ir, numbers.getArrayRef()), with_nans, after);
  branch->setMetadata(llvm::LLVMContext::MD_prof,
                      llvm::MDBuilder(block->getContext()).createUnlikelyBranchWeights());
  leaves->eraseFromParent();
  return after;
}

}  // namespace

void expect_few_nans(llvm::Function& function) {
  llvm::SmallVector<BasicBlock*, 32> blocks;
  for (BasicBlock& block : function) blocks.push_back(&block);
  for (BasicBlock* block : blocks)
    for (Piece piece = find_piece(*block); piece.end != nullptr; piece = find_piece(*block))
      block = divide(piece);
}

}  // namespace heddle::exec::jit
