#include "frontend/back_end.h"

#include <algorithm>

#include "frontend/own_lines.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

namespace heddle::frontend {

namespace {

bool is_vector(llvm::Type* type, unsigned count, unsigned bits) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector != nullptr && vector->getNumElements() == count &&
         vector->getElementType()->isIntegerTy(bits);
}

// What stands for the instruction; nullptr: it may stay.
llvm::Value* in_halves(llvm::LoadInst& load) {
  if (!is_vector(load.getType(), 16, 8) || load.getAlign() >= 16) return nullptr;
  llvm::IRBuilder<> ir(&load);
  auto* half = llvm::FixedVectorType::get(ir.getInt8Ty(), 8);
  llvm::Value* pointer = load.getPointerOperand();
  llvm::LoadInst* low = ir.CreateAlignedLoad(half, pointer, load.getAlign(), load.isVolatile());
  llvm::LoadInst* high = ir.CreateAlignedLoad(half, ir.CreateConstInBoundsGEP1_64(ir.getInt8Ty(), pointer, 8),
                                              llvm::commonAlignment(load.getAlign(), 8), load.isVolatile());
  for (llvm::LoadInst* part : {low, high})
    part->copyMetadata(load, {llvm::LLVMContext::MD_invariant_load, llvm::LLVMContext::MD_nontemporal});
  return ir.CreateShuffleVector(low, high, llvm::to_vector<16>(llvm::seq(0, 16)));
}

llvm::Value* as_choice(llvm::SExtInst& extension) {
  llvm::Type* type = extension.getType();
  if (!is_vector(type, 2, 16) || !is_vector(extension.getSrcTy(), 2, 1)) return nullptr;
  llvm::IRBuilder<> ir(&extension);
  return ir.CreateSelect(extension.getOperand(0), llvm::Constant::getAllOnesValue(type),
                         llvm::Constant::getNullValue(type));
}

llvm::Value* four_at_a_time(llvm::FPExtInst& extension) {
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(extension.getType());
  if (type == nullptr || type->getNumElements() <= 4) return nullptr;
  llvm::IRBuilder<> ir(&extension);
  const int count = static_cast<int>(type->getNumElements());
  llvm::Value* whole = llvm::PoisonValue::get(extension.getType());
  for (int first = 0; first < count; first += 4) {
    const int end = std::min(first + 4, count);
    llvm::Value* part =
        ir.CreateShuffleVector(extension.getOperand(0), llvm::to_vector<4>(llvm::seq(first, end)));
    part = ir.CreateFPExt(
        part, llvm::FixedVectorType::get(type->getElementType(), static_cast<unsigned>(end - first)));
    // The part as wide as the whole, then its elements in their places.
    llvm::SmallVector<int, 16> widened(static_cast<size_t>(count), llvm::PoisonMaskElem), places;
    for (int i = 0; i < end - first; ++i) widened[static_cast<size_t>(i)] = i;
    for (int i = 0; i < count; ++i) places.push_back(i >= first && i < end ? count + i - first : i);
    whole = ir.CreateShuffleVector(whole, ir.CreateShuffleVector(part, widened), places);
  }
  return whole;
}

llvm::Value* other_form(llvm::Instruction& instruction) {
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return in_halves(*load);
  if (auto* extension = llvm::dyn_cast<llvm::SExtInst>(&instruction)) return as_choice(*extension);
  if (auto* extension = llvm::dyn_cast<llvm::FPExtInst>(&instruction)) return four_at_a_time(*extension);
  return nullptr;
}

constexpr unsigned local_space = 5;  // of NVPTX

bool name_local_memory(llvm::Instruction& instruction) {
  const auto name = [&](auto* access, unsigned operand) {
    if (access == nullptr || !access->isVolatile()) return false;
    auto* variable = llvm::dyn_cast<llvm::AllocaInst>(access->getPointerOperand());
    if (variable == nullptr || variable->getAddressSpace() != 0) return false;
    llvm::IRBuilder<> ir(&instruction);
    access->setOperand(operand, ir.CreateAddrSpaceCast(variable, ir.getPtrTy(local_space)));
    return true;
  };
  return name(llvm::dyn_cast<llvm::LoadInst>(&instruction), llvm::LoadInst::getPointerOperandIndex()) ||
         name(llvm::dyn_cast<llvm::StoreInst>(&instruction), llvm::StoreInst::getPointerOperandIndex());
}

bool align_alloca(llvm::Instruction& instruction) {
  const llvm::Align wanted(16);
  auto* memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
  if (memory == nullptr || memory->isStaticAlloca() || memory->getAlign() >= wanted) return false;
  memory->setAlignment(wanted);
  return true;
}

bool is_byte_pair(llvm::Type* type) { return is_vector(type, 2, 8); }

llvm::Value* as_word(llvm::IRBuilder<>& ir, llvm::Value* pair) {
  llvm::Type* word = ir.getInt16Ty();
  llvm::Value* low = ir.CreateZExt(ir.CreateExtractElement(pair, uint64_t{0}), word);
  llvm::Value* high = ir.CreateZExt(ir.CreateExtractElement(pair, uint64_t{1}), word);
  return ir.CreateOr(low, ir.CreateShl(high, 8));
}

llvm::Value* as_byte_pair(llvm::IRBuilder<>& ir, llvm::Value* word) {
  llvm::Value* pair = llvm::PoisonValue::get(llvm::FixedVectorType::get(ir.getInt8Ty(), 2));
  pair = ir.CreateInsertElement(pair, ir.CreateTrunc(word, ir.getInt8Ty()), uint64_t{0});
  return ir.CreateInsertElement(pair, ir.CreateTrunc(ir.CreateLShr(word, 8), ir.getInt8Ty()), uint64_t{1});
}

// Kernels take what the host gives them, and their parameters are read as they lie.
bool passes_byte_pairs(const llvm::Function& function) {
  const llvm::CallingConv::ID convention = function.getCallingConv();
  if (function.isIntrinsic() || function.isVarArg() || convention == llvm::CallingConv::PTX_Kernel ||
      convention == llvm::CallingConv::SPIR_KERNEL)
    return false;
  const llvm::FunctionType* type = function.getFunctionType();
  if (!is_byte_pair(type->getReturnType()) && llvm::none_of(type->params(), is_byte_pair)) return false;
  return llvm::all_of(function.users(), [&](const llvm::User* user) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    return call != nullptr && call->getCalledFunction() == &function && !call->isMustTailCall();
  });
}

llvm::FunctionType* with_words(llvm::FunctionType* type) {
  llvm::Type* word = llvm::Type::getInt16Ty(type->getContext());
  const auto passed = [&](llvm::Type* one) { return is_byte_pair(one) ? word : one; };
  llvm::SmallVector<llvm::Type*, 8> parameters;
  for (llvm::Type* one : type->params()) parameters.push_back(passed(one));
  return llvm::FunctionType::get(passed(type->getReturnType()), parameters, false);
}

void call_with_words(llvm::CallInst& call, llvm::Function& callee) {
  llvm::IRBuilder<> ir(&call);
  llvm::SmallVector<llvm::Value*, 8> arguments;
  for (llvm::Value* one : call.args())
    arguments.push_back(is_byte_pair(one->getType()) ? as_word(ir, one) : one);
  llvm::CallInst* made = ir.CreateCall(&callee, arguments);
  made->setCallingConv(call.getCallingConv());
  made->setAttributes(call.getAttributes());
  made->setTailCallKind(call.getTailCallKind());
  made->copyMetadata(call);
  call.replaceAllUsesWith(is_byte_pair(call.getType()) ? as_byte_pair(ir, made) : made);
  call.eraseFromParent();
}

void pass_words(llvm::Function& function) {
  llvm::Function* made = llvm::Function::Create(with_words(function.getFunctionType()), function.getLinkage(),
                                                function.getAddressSpace(), "", function.getParent());
  made->copyAttributesFrom(&function);
  made->copyMetadata(&function, 0);
  made->takeName(&function);
  if (!function.isDeclaration()) {
    made->splice(made->begin(), &function);
    llvm::IRBuilder<> ir(&made->getEntryBlock(), made->getEntryBlock().begin());
    for (llvm::Argument& before : function.args()) {
      llvm::Argument* after = made->getArg(before.getArgNo());
      after->takeName(&before);
      if (!before.use_empty())
        before.replaceAllUsesWith(is_byte_pair(before.getType()) ? as_byte_pair(ir, after) : after);
    }
    if (is_byte_pair(function.getReturnType()))
      for (llvm::BasicBlock& block : *made)
        if (auto* end = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator())) {
          llvm::IRBuilder<> at_end(end);
          at_end.CreateRet(as_word(at_end, end->getReturnValue()));
          end->eraseFromParent();
        }
  }
  for (llvm::User* user : llvm::make_early_inc_range(function.users()))
    call_with_words(*llvm::cast<llvm::CallInst>(user), *made);
  function.eraseFromParent();
}

bool write_as_word(llvm::GlobalVariable& variable) {
  if (!variable.getValueType()->is16bitFPTy() || !variable.hasInitializer()) return false;
  const auto* number = llvm::dyn_cast<llvm::ConstantFP>(variable.getInitializer());
  if (number == nullptr) return false;
  llvm::Constant* bits =
      llvm::ConstantInt::get(variable.getContext(), number->getValueAPF().bitcastToAPInt());
  auto* made =
      new llvm::GlobalVariable(*variable.getParent(), bits->getType(), variable.isConstant(),
                               variable.getLinkage(), bits, "", &variable, variable.getThreadLocalMode(),
                               variable.getAddressSpace(), variable.isExternallyInitialized());
  made->copyAttributesFrom(&variable);
  made->setComdat(variable.getComdat());
  made->copyMetadata(&variable, 0);
  made->takeName(&variable);
  variable.replaceAllUsesWith(made);
  variable.eraseFromParent();
  return true;
}

}  // namespace

llvm::PreservedAnalyses BackEndPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  use_own_lines(module);
  bool changed = false;
  for (llvm::GlobalVariable& variable : llvm::make_early_inc_range(module.globals()))
    changed |= write_as_word(variable);
  for (llvm::Function& function : llvm::make_early_inc_range(module))
    if (passes_byte_pairs(function)) {
      pass_words(function);
      changed = true;
    }
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      changed |= name_local_memory(instruction);
      changed |= align_alloca(instruction);
      if (llvm::Value* other = other_form(instruction); other != nullptr) {
        instruction.replaceAllUsesWith(other);
        instruction.eraseFromParent();
        changed = true;
      }
    }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace heddle::frontend
