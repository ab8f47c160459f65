#include "frontend/device_launch.h"

#include <algorithm>
#include <vector>

#include "llvm/IR/Constants.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::frontend {

namespace {

constexpr const char* configure_name = "__cudaPushCallConfiguration";

// One launch: the call with its configuration, and the call of the kernel.
struct Launch {
  llvm::CallInst* configure = nullptr;
  llvm::CallInst* kernel = nullptr;
};

// configure() != 0 branches around the arguments and the kernel, whose call is the last thing before both
// ways meet again.
Launch find_launch(llvm::CallInst* configure) {
  const auto nothing = Launch{configure, nullptr};
  if (!configure->hasOneUse()) return nothing;
  auto* refused = llvm::dyn_cast<llvm::ICmpInst>(configure->user_back());
  if (refused == nullptr || !refused->hasOneUse()) return nothing;
  auto* branch = llvm::dyn_cast<llvm::BranchInst>(refused->user_back());
  if (branch == nullptr || !branch->isConditional()) return nothing;
  llvm::BasicBlock* behind = branch->getSuccessor(0);
  for (llvm::BasicBlock* before : llvm::predecessors(behind)) {
    if (before == branch->getParent()) continue;
    for (llvm::Instruction& last : llvm::reverse(*before)) {
      if (last.isTerminator() || llvm::isa<llvm::IntrinsicInst>(last)) continue;
      auto* call = llvm::dyn_cast<llvm::CallInst>(&last);
      if (call != nullptr && call->getType()->isVoidTy()) return {configure, call};
      break;
    }
  }
  return nothing;
}

class Rewriter {
 public:
  explicit Rewriter(llvm::Module& module)
      : module_(module),
        layout_(module.getDataLayout()),
        ir_(module.getContext()),
        pointer_(ir_.getPtrTy()),
        dim3_(llvm::StructType::get(ir_.getInt32Ty(), ir_.getInt32Ty(), ir_.getInt32Ty())) {}

  void rewrite(const Launch& launch) {
    keep_configuration(*launch.configure);
    ir_.SetInsertPoint(launch.kernel);
    llvm::Value* kernel = launch.kernel->getCalledOperand();
    annotate(kernel);
    llvm::CallInst* buffer =
        ir_.CreateCall(get_buffer(), {kernel, grid_, block_, ir_.CreateTrunc(shared_, ir_.getInt32Ty())});
    for (const unsigned dimension : {1u, 2u}) add_dim3_attributes(*buffer, dimension);
    llvm::Instruction* then = llvm::SplitBlockAndInsertIfThen(
        ir_.CreateICmpNE(buffer, llvm::ConstantPointerNull::get(pointer_)), launch.kernel, false);
    ir_.SetInsertPoint(then);
    store_arguments(*launch.kernel, buffer);
    ir_.CreateCall(launch_device(), {buffer, stream_});
    launch.kernel->eraseFromParent();
  }

 private:
  // The configuration in variables that last until the launch; the way to it is always taken.
  void keep_configuration(llvm::CallInst& configure) {
    llvm::BasicBlock& entry = configure.getFunction()->getEntryBlock();
    ir_.SetInsertPoint(&entry, entry.getFirstInsertionPt());
    grid_ = ir_.CreateAlloca(dim3_, nullptr, "launch.grid");
    block_ = ir_.CreateAlloca(dim3_, nullptr, "launch.block");
    ir_.SetInsertPoint(&configure);
    const uint64_t bytes = layout_.getTypeAllocSize(dim3_);
    ir_.CreateMemCpy(grid_, llvm::Align(4), configure.getArgOperand(0), llvm::Align(4), bytes);
    ir_.CreateMemCpy(block_, llvm::Align(4), configure.getArgOperand(1), llvm::Align(4), bytes);
    shared_ = configure.getArgOperand(2);
    stream_ = configure.getArgOperand(3);
    configure.replaceAllUsesWith(llvm::ConstantInt::get(configure.getType(), 0));
    configure.eraseFromParent();
  }

  // "The parameters must be laid out as a struct": each at the next place that its own alignment allows.
  void store_arguments(const llvm::CallInst& call, llvm::Value* buffer) {
    uint64_t offset = 0;
    for (unsigned i = 0; i < call.arg_size(); ++i) {
      llvm::Value* argument = call.getArgOperand(i);
      llvm::Type* whole = call.isByValArgument(i) ? call.getParamByValType(i) : argument->getType();
      llvm::Align align = layout_.getABITypeAlign(whole);
      if (const auto asked = call.getParamAlign(i); asked && call.isByValArgument(i))
        align = std::max(align, *asked);
      const uint64_t bytes = layout_.getTypeAllocSize(whole);
      offset = llvm::alignTo(offset, align);
      llvm::Value* to = ir_.CreateConstGEP1_64(ir_.getInt8Ty(), buffer, offset);
      if (call.isByValArgument(i)) {
        ir_.CreateMemCpy(to, align, argument, call.getParamAlign(i), bytes);
      } else {
        if (argument->getType()->isIntegerTy(1)) argument = ir_.CreateZExt(argument, ir_.getInt8Ty());
        ir_.CreateAlignedStore(argument, to, align);
      }
      offset += bytes;
    }
  }

  // The backend takes a function that is only declared for one that can be called.
  void annotate(llvm::Value* kernel) {
    auto* function = llvm::dyn_cast<llvm::Function>(kernel);
    if (function == nullptr || !function->isDeclaration()) return;
    llvm::NamedMDNode* all = module_.getOrInsertNamedMetadata("nvvm.annotations");
    auto* node = llvm::MDNode::get(module_.getContext(), {llvm::ValueAsMetadata::get(function),
                                                          llvm::MDString::get(module_.getContext(), "kernel"),
                                                          llvm::ConstantAsMetadata::get(ir_.getInt32(1))});
    if (!llvm::is_contained(all->operands(), node)) all->addOperand(node);
  }

  template <class Call>
  void add_dim3_attributes(Call& call, unsigned parameter) {
    call.addParamAttr(parameter, llvm::Attribute::getWithByValType(module_.getContext(), dim3_));
    call.addParamAttr(parameter, llvm::Attribute::getWithAlignment(module_.getContext(), llvm::Align(4)));
  }

  llvm::FunctionCallee get_buffer() {
    llvm::FunctionCallee callee = module_.getOrInsertFunction("cudaGetParameterBufferV2", pointer_, pointer_,
                                                              pointer_, pointer_, ir_.getInt32Ty());
    if (auto* function = llvm::dyn_cast<llvm::Function>(callee.getCallee()))
      for (const unsigned dimension : {1u, 2u}) add_dim3_attributes(*function, dimension);
    return callee;
  }
  llvm::FunctionCallee launch_device() {
    return module_.getOrInsertFunction("cudaLaunchDeviceV2", ir_.getInt32Ty(), pointer_, pointer_);
  }

  llvm::Module& module_;
  const llvm::DataLayout& layout_;
  llvm::IRBuilder<> ir_;
  llvm::PointerType* pointer_;
  llvm::StructType* dim3_;
  llvm::Value *grid_ = nullptr, *block_ = nullptr, *shared_ = nullptr, *stream_ = nullptr;
};

}  // namespace

llvm::PreservedAnalyses DeviceLaunchPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  llvm::Function* configure = module.getFunction(configure_name);
  if (configure == nullptr) return llvm::PreservedAnalyses::all();
  std::vector<Launch> launches;
  for (llvm::User* user : configure->users())
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(user);
        call != nullptr && call->getCalledOperand() == configure)
      launches.push_back(find_launch(call));
  for (const Launch& launch : launches) {
    if (launch.kernel != nullptr) {
      Rewriter(module).rewrite(launch);
    } else {
      module.getContext().diagnose(llvm::DiagnosticInfoUnsupported(
          *launch.configure->getFunction(), "a launch in device code whose kernel cannot be found",
          launch.configure->getDebugLoc()));
    }
  }
  if (configure->use_empty()) configure->eraseFromParent();
  return llvm::PreservedAnalyses::none();
}

}  // namespace heddle::frontend
