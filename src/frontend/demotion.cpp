#include "frontend/demotion.h"

#include <string>
#include <utility>

#include "frontend/demotion_pragma.h"
#include "frontend/software_floats.gen.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace heddle::frontend {

namespace {

llvm::StringRef text(std::string_view view) { return {view.data(), view.size()}; }

bool is_double(const llvm::Type* type) { return type->getScalarType()->isDoubleTy(); }

// The same type of floats.
llvm::Type* single(llvm::Type* type) {
  return is_double(type) ? type->getWithNewType(llvm::Type::getFloatTy(type->getContext())) : type;
}

llvm::Value* narrowed(llvm::IRBuilder<>& ir, llvm::Value* value) {
  if (!is_double(value->getType())) return value;
  if (auto* wide = llvm::dyn_cast<llvm::FPExtInst>(value); wide != nullptr)
    if (wide->getOperand(0)->getType() == single(value->getType())) return wide->getOperand(0);
  return ir.CreateFPTrunc(value, single(value->getType()));
}

llvm::Value* widened(llvm::IRBuilder<>& ir, llvm::Value* value, llvm::Type* as) {
  return value->getType() == as ? value : ir.CreateFPExt(value, as);
}

void demote_call(llvm::Module& module, llvm::CallInst& call, const DemotedFunction& function) {
  llvm::IRBuilder<> entry(&*call.getFunction()->getEntryBlock().getFirstInsertionPt());
  llvm::IRBuilder<> ir(&call);
  llvm::SmallVector<llvm::Value*, 4> arguments;
  llvm::SmallVector<llvm::Type*, 4> types;
  llvm::SmallVector<std::pair<llvm::Value*, llvm::Value*>, 2> results;  // where the call puts one; its place
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    llvm::Value* argument = call.getArgOperand(i);
    if (i < function.takes.size() && function.takes[i] == 'P') {
      llvm::Value* slot = entry.CreateAlloca(entry.getFloatTy());
      results.emplace_back(slot, argument);
      argument = ir.CreateAddrSpaceCast(slot, argument->getType());
    }
    arguments.push_back(narrowed(ir, argument));
    types.push_back(arguments.back()->getType());
  }
  const llvm::FunctionCallee callee = module.getOrInsertFunction(
      text(function.single), llvm::FunctionType::get(single(call.getType()), types, false));
  llvm::Value* result = ir.CreateCall(callee, arguments);
  for (const auto& [slot, place] : results)
    ir.CreateStore(ir.CreateFPExt(ir.CreateLoad(ir.getFloatTy(), slot), ir.getDoubleTy()), place);
  if (!call.getType()->isVoidTy()) call.replaceAllUsesWith(widened(ir, result, call.getType()));
  call.eraseFromParent();
}

// Functions of libdevice that look at a double's bits. The sign is that of a float, behind an instruction
// that LLVM does not know: it takes the sign of a narrowed number for that of the number.
llvm::Value* sign(llvm::IRBuilder<>& ir, llvm::CallInst& call) {
  auto* type = llvm::FunctionType::get(ir.getInt32Ty(), {ir.getFloatTy()}, false);
  llvm::Value* bits = ir.CreateCall(type, llvm::InlineAsm::get(type, "mov.b32 $0, $1;", "=r,f", false),
                                    {narrowed(ir, call.getArgOperand(0))});
  return ir.CreateZExtOrTrunc(ir.CreateLShr(bits, 31), call.getType());
}
llvm::Value* with_sign(llvm::IRBuilder<>& ir, llvm::CallInst& call) {
  return ir.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, call.getArgOperand(0), call.getArgOperand(1));
}

bool replace_calls(llvm::Module& module, const char* name,
                   llvm::Value* (*instead)(llvm::IRBuilder<>&, llvm::CallInst&)) {
  llvm::Function* function = module.getFunction(name);
  if (function == nullptr) return false;
  for (llvm::User* user : llvm::make_early_inc_range(function->users())) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    if (call == nullptr || call->getCalledFunction() != function) continue;
    llvm::IRBuilder<> ir(call);
    call->replaceAllUsesWith(instead(ir, *call));
    call->eraseFromParent();
  }
  return true;
}

llvm::Value* demoted_intrinsic(llvm::IRBuilder<>& ir, llvm::IntrinsicInst& call) {
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::fabs:
    case llvm::Intrinsic::floor:
    case llvm::Intrinsic::ceil:
    case llvm::Intrinsic::trunc:
    case llvm::Intrinsic::rint:
    case llvm::Intrinsic::nearbyint:
    case llvm::Intrinsic::roundeven:
    case llvm::Intrinsic::minnum:
    case llvm::Intrinsic::maxnum:
    case llvm::Intrinsic::sqrt:
    case llvm::Intrinsic::fma:
    case llvm::Intrinsic::fmuladd:
    case llvm::Intrinsic::copysign: break;
    default: return nullptr;
  }
  llvm::SmallVector<llvm::Value*, 3> arguments;
  for (llvm::Value* argument : call.args()) arguments.push_back(narrowed(ir, argument));
  return ir.CreateIntrinsic(call.getIntrinsicID(), {single(call.getType())}, arguments);
}

// The instruction on floats in the place of one on doubles; null: it is none, or one that only moves them.
llvm::Value* demoted(llvm::Instruction& instruction) {
  llvm::IRBuilder<> ir(&instruction);
  const auto operand = [&](unsigned i) { return narrowed(ir, instruction.getOperand(i)); };
  if (auto* comparison = llvm::dyn_cast<llvm::FCmpInst>(&instruction)) {
    if (!is_double(comparison->getOperand(0)->getType())) return nullptr;
    return ir.CreateFCmp(comparison->getPredicate(), operand(0), operand(1));
  }
  switch (instruction.getOpcode()) {
    case llvm::Instruction::FPToSI:
    case llvm::Instruction::FPToUI:
      if (!is_double(instruction.getOperand(0)->getType())) return nullptr;
      return ir.CreateCast(llvm::cast<llvm::CastInst>(instruction).getOpcode(), operand(0),
                           instruction.getType());
    default: break;
  }
  if (!is_double(instruction.getType())) return nullptr;
  if (auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) {
    llvm::Value* result = ir.CreateBinOp(binary->getOpcode(), operand(0), operand(1));
    if (auto* made = llvm::dyn_cast<llvm::Instruction>(result)) made->copyFastMathFlags(binary);
    return result;
  }
  switch (instruction.getOpcode()) {
    case llvm::Instruction::FNeg: return ir.CreateFNegFMF(operand(0), &instruction);
    case llvm::Instruction::SIToFP:
    case llvm::Instruction::UIToFP:
      return ir.CreateCast(llvm::cast<llvm::CastInst>(instruction).getOpcode(), instruction.getOperand(0),
                           single(instruction.getType()));
    default: break;
  }
  auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call == nullptr ? nullptr : demoted_intrinsic(ir, *call);
}

// A number as it lies in memory: null where nothing is to be changed.
llvm::Constant* in_memory(llvm::Constant* constant) {
  if (auto* number = llvm::dyn_cast<llvm::ConstantFP>(constant)) {
    if (!number->getType()->isDoubleTy()) return nullptr;
    llvm::APFloat value = number->getValueAPF();
    bool inexact = false;
    value.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &inexact);
    const llvm::APFloat bits(llvm::APFloat::IEEEdouble(), value.bitcastToAPInt().zext(64));
    return llvm::ConstantFP::get(number->getContext(), bits);
  }
  const auto* type = constant->getType();
  const bool sequence = llvm::isa<llvm::ConstantDataSequential>(constant);
  if (!sequence && !llvm::isa<llvm::ConstantAggregate>(constant)) return nullptr;
  if (sequence && !is_double(llvm::cast<llvm::ConstantDataSequential>(constant)->getElementType()))
    return nullptr;
  llvm::SmallVector<llvm::Constant*> elements;
  bool changed = false;
  for (unsigned i = 0; llvm::Constant* element = constant->getAggregateElement(i); ++i) {
    llvm::Constant* instead = in_memory(element);
    changed |= instead != nullptr;
    elements.push_back(instead != nullptr ? instead : element);
  }
  if (!changed) return nullptr;
  if (auto* structure = llvm::dyn_cast<llvm::StructType>(type))
    return llvm::ConstantStruct::get(const_cast<llvm::StructType*>(structure), elements);
  if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type))
    return llvm::ConstantArray::get(const_cast<llvm::ArrayType*>(array), elements);
  return llvm::ConstantVector::get(elements);
}

// As an integer, which is not rounded again.
bool store_number(llvm::StoreInst& store) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(store.getValueOperand());
  if (constant == nullptr || !is_double(constant->getType())) return false;
  llvm::Constant* bits = in_memory(constant);
  if (bits == nullptr) return false;
  llvm::Type* integer = bits->getType()->getWithNewType(llvm::Type::getInt64Ty(bits->getContext()));
  store.setOperand(0, llvm::ConstantExpr::getBitCast(bits, integer));
  return true;
}

// Where doubles were, for the assembler's warning: it finds none any more.
void mark(llvm::IRBuilder<>& ir) {
  const std::string pragma = ".pragma \"" + std::string(demotion_pragma) + "\";";
  auto* type = llvm::FunctionType::get(ir.getVoidTy(), false);
  ir.CreateCall(type, llvm::InlineAsm::get(type, pragma, "", true));
}

}  // namespace

llvm::PreservedAnalyses DemoteCallsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  bool changed = replace_calls(module, "__nv_signbitd", sign);
  changed |= replace_calls(module, "__nv_copysign", with_sign);
  for (const DemotedFunction& demoted : demoted_functions) {
    llvm::Function* function = module.getFunction(text(demoted.name));
    if (function == nullptr) continue;
    for (llvm::User* user : llvm::make_early_inc_range(function->users())) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(user);
      if (call == nullptr || call->getCalledFunction() != function) continue;
      demote_call(module, *call, demoted);
      changed = true;
    }
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses DemoteArithmeticPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  bool changed = false;
  for (llvm::Function& function : module) {
    bool marked = false;
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) changed |= store_number(*store);
      llvm::Value* result = demoted(instruction);
      if (result == nullptr) continue;
      llvm::IRBuilder<> ir(&instruction);
      if (!std::exchange(marked, true)) mark(ir);
      instruction.replaceAllUsesWith(widened(ir, result, instruction.getType()));
      instruction.eraseFromParent();
      changed = true;
    }
  }
  for (llvm::GlobalVariable& variable : module.globals()) {
    // The text of a single number is one of its value, which the mapping rounds.
    if (!variable.hasInitializer() || llvm::isa<llvm::ConstantFP>(variable.getInitializer())) continue;
    llvm::Constant* value = in_memory(variable.getInitializer());
    if (value == nullptr) continue;
    variable.setInitializer(value);
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace heddle::frontend
