#include "frontend/shared_order.h"

#include <string>
#include <vector>

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/SROA.h"

namespace heddle::frontend {

namespace {

constexpr unsigned generic_space = 0, shared_space = 3;  // of the NVPTX back end
constexpr char fence_text[] = "// shared memory keeps its order";

// The place that an instruction writes to; nullptr: none, or not one alone.
const llvm::Value* written(const llvm::Instruction& i) {
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) return store->getPointerOperand();
  if (const auto* atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&i)) return atomic->getPointerOperand();
  if (const auto* atomic = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&i)) return atomic->getPointerOperand();
  if (const auto* memory = llvm::dyn_cast<llvm::AnyMemIntrinsic>(&i)) return memory->getRawDest();
  return nullptr;
}

// Reads and writes all memory, and is a comment in the PTX. Not LLVM's fence, which keeps no store from being
// left out; and there until the end, since the back end leaves stores out as well.
llvm::InlineAsm* fence_in(llvm::LLVMContext& context) {
  return llvm::InlineAsm::get(llvm::FunctionType::get(llvm::Type::getVoidTy(context), false), fence_text,
                              "~{memory}", /*hasSideEffects=*/true);
}

}  // namespace

llvm::PreservedAnalyses KeepSharedOrderPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  std::vector<llvm::Instruction*> stores;
  for (llvm::Instruction& i : llvm::instructions(function)) {
    const llvm::Value* place = written(i);
    if (place == nullptr) continue;
    const unsigned space = place->getType()->getPointerAddressSpace();
    const llvm::Value* object = llvm::getUnderlyingObject(place);
    const unsigned of_object = object->getType()->getPointerAddressSpace();
    if (space == shared_space || of_object == shared_space ||
        (generic_ && space == generic_space && of_object == generic_space &&
         !llvm::isa<llvm::AllocaInst>(object)))
      stores.push_back(&i);
  }
  for (llvm::Instruction* store : stores) {
    const auto fence = [&](llvm::Instruction* before) {
      llvm::CallInst* call = llvm::IRBuilder<>(before).CreateCall(fence_in(function.getContext()));
      call->setDoesNotThrow();
    };
    fence(store);
    fence(store->getNextNode());
  }
  return stores.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

void add_shared_order(llvm::ModulePassManager& passes, bool generic) {
  llvm::FunctionPassManager each;
  each.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  each.addPass(llvm::InferAddressSpacesPass());
  each.addPass(KeepSharedOrderPass(generic));
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(each)));
}

void drop_shared_order(std::string& ptx) {
  static const std::string written =
      "\t// begin inline asm\n\t" + std::string(fence_text) + "\n\t// end inline asm\n";
  std::string kept;
  std::size_t from = 0;
  for (std::size_t at = 0; (at = ptx.find(written, from)) != std::string::npos; from = at + written.size())
    kept.append(ptx, from, at - from);
  if (from != 0) ptx = kept.append(ptx, from);
}

}  // namespace heddle::frontend
