#include "frontend/uniform_loads.h"

#include <vector>

#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Vectorize/LoadStoreVectorizer.h"

namespace heddle::frontend {

namespace {

constexpr unsigned global_space = 1;  // of NVPTX
constexpr uint64_t most_bytes = 16;

bool has_instruction(const llvm::Function& function) {
  const llvm::StringRef processor = function.getFnAttribute("target-cpu").getValueAsString();
  return processor == "sm_20" || processor == "sm_21";
}

bool is_kernel(const llvm::Function& function) {
  if (function.getCallingConv() == llvm::CallingConv::PTX_Kernel) return true;
  const llvm::NamedMDNode* annotations = function.getParent()->getNamedMetadata("nvvm.annotations");
  if (annotations == nullptr) return false;
  for (const llvm::MDNode* node : annotations->operands()) {
    if (node->getNumOperands() < 2) continue;
    const auto* about = llvm::mdconst::dyn_extract_or_null<llvm::Function>(node->getOperand(0));
    const auto* what = llvm::dyn_cast<llvm::MDString>(node->getOperand(1));
    if (about == &function && what != nullptr && what->getString() == "kernel") return true;
  }
  return false;
}

// What the hardware can load at once: numbers, and two or four of them.
bool is_loadable(llvm::Type* type, const llvm::DataLayout& layout) {
  llvm::Type* element = type;
  if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    if (vector->getNumElements() != 2 && vector->getNumElements() != 4) return false;
    element = vector->getElementType();
    if (element->isPointerTy()) return false;
  }
  const bool whole = element->isIntegerTy(8) || element->isIntegerTy(16) || element->isIntegerTy(32) ||
                     element->isIntegerTy(64);
  const bool number = whole || element->isFloatTy() || element->isDoubleTy() || element->isPointerTy();
  return number && layout.getTypeStoreSize(type).getFixedValue() <= most_bytes;
}

bool is_only_read(const llvm::Value* pointer) {
  llvm::SmallVector<const llvm::Value*, 4> objects;
  llvm::getUnderlyingObjects(pointer, objects);
  return llvm::all_of(objects, [](const llvm::Value* object) {
    if (const auto* argument = llvm::dyn_cast<llvm::Argument>(object))
      return argument->hasNoAliasAttr() && argument->onlyReadsMemory();
    const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(object);
    return variable != nullptr && variable->isConstant() && variable->getAddressSpace() == global_space;
  });
}

bool is_in_global_memory(const llvm::LoadInst& load) {
  const unsigned space = load.getPointerAddressSpace();
  return space == global_space || space == 0;  // a kernel's arguments point there
}

// For LLVM's analysis of these targets every call differs between threads, of these too.
bool is_same_in_block(const llvm::Value& value) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&value);
  if (call == nullptr) return false;
  switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
    case llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
    case llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
    case llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
    case llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
    case llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
    case llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_x:
    case llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_y:
    case llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_z: return true;
    default: return false;
  }
}

// Where it is used, by all threads of a block.
bool is_uniform(const llvm::Use& use, const llvm::UniformityInfo& uniformity, unsigned depth = 0) {
  constexpr unsigned deepest = 12;
  if (!uniformity.isDivergentUse(use) || is_same_in_block(*use)) return true;
  // What is computed in the same block, or at the beginning, does not come from different trips of a loop.
  const auto* made = llvm::dyn_cast<llvm::Instruction>(use.get());
  const auto* user = llvm::cast<llvm::Instruction>(use.getUser());
  const bool computed = made != nullptr &&
                        (made->getParent() == user->getParent() || made->getParent()->isEntryBlock()) &&
                        (made->isBinaryOp() || made->isCast() || llvm::isa<llvm::GetElementPtrInst>(made));
  return computed && depth < deepest &&
         llvm::all_of(
             made->operands(),
             [&](const llvm::Use& operand) { return is_uniform(operand, uniformity, depth + 1); });
}

void replace(llvm::LoadInst& load) {
  llvm::IRBuilder<> ir(&load);
  llvm::Type* type = load.getType();
  const llvm::Type* element = type->getScalarType();
  const llvm::Intrinsic::ID which = element->isPointerTy()         ? llvm::Intrinsic::nvvm_ldu_global_p
                                    : element->isFloatingPointTy() ? llvm::Intrinsic::nvvm_ldu_global_f
                                                                   : llvm::Intrinsic::nvvm_ldu_global_i;
  llvm::Value* pointer = ir.CreateAddrSpaceCast(load.getPointerOperand(), ir.getPtrTy(global_space));
  llvm::Value* align = ir.getInt32(static_cast<uint32_t>(load.getAlign().value()));
  llvm::CallInst* call = ir.CreateIntrinsic(which, {type, pointer->getType()}, {pointer, align});
  call->takeName(&load);
  load.replaceAllUsesWith(call);
  load.eraseFromParent();
}

}  // namespace

llvm::PreservedAnalyses UniformLoadsPass::run(llvm::Function& function,
                                              llvm::FunctionAnalysisManager& analyses) {
  if (!has_instruction(function) || function.hasOptNone() || !is_kernel(function))
    return llvm::PreservedAnalyses::all();
  // Loads that lie side by side become one before it is too late for that.
  llvm::LoadStoreVectorizerPass().run(function, analyses);
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  std::vector<llvm::LoadInst*> candidates, chosen;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (load == nullptr || !load->isSimple() || !is_in_global_memory(*load) ||
        !is_loadable(load->getType(), layout) ||
        load->getAlign().value() < layout.getTypeStoreSize(load->getType()).getFixedValue() ||
        !is_only_read(load->getPointerOperand()))
      continue;
    candidates.push_back(load);
  }
  if (candidates.empty()) return llvm::PreservedAnalyses::none();
  const llvm::UniformityInfo& uniformity = analyses.getResult<llvm::UniformityInfoAnalysis>(function);
  for (llvm::LoadInst* load : candidates)
    if (is_uniform(load->getOperandUse(llvm::LoadInst::getPointerOperandIndex()), uniformity))
      chosen.push_back(load);
  for (llvm::LoadInst* load : chosen) replace(*load);
  return llvm::PreservedAnalyses::none();
}

}  // namespace heddle::frontend
