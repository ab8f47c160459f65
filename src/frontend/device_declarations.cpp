#include "frontend/device_declarations.h"

#include "frontend/software_floats.gen.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

namespace heddle::frontend {

namespace {

constexpr unsigned shared_space = 3;  // of NVPTX

const llvm::StringSet<>& math_functions() {
  static const llvm::StringSet<> names = [] {
    llvm::StringSet<> all;
    for (const DemotedFunction& function : demoted_functions) {
      all.insert(function.name);
      all.insert(function.single);
    }
    return all;
  }();
  return names;
}

void only_computes(llvm::Function& function) {
  const bool points =
      llvm::any_of(function.args(), [](const llvm::Argument& one) { return one.getType()->isPointerTy(); });
  function.setMemoryEffects(points ? llvm::MemoryEffects::argMemOnly(llvm::ModRefInfo::Mod)
                                   : llvm::MemoryEffects::none());
  for (const auto attribute : {llvm::Attribute::NoUnwind, llvm::Attribute::WillReturn,
                               llvm::Attribute::NoSync, llvm::Attribute::NoFree, llvm::Attribute::NoCallback})
    function.addFnAttr(attribute);
  function.removeFnAttr(llvm::Attribute::Convergent);
  for (llvm::User* user : function.users())
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(user);
        call != nullptr && call->getCalledFunction() == &function)
      call->removeFnAttr(llvm::Attribute::Convergent);
}

bool is_dynamic_shared(const llvm::GlobalVariable& variable) {
  const auto* array = llvm::dyn_cast<llvm::ArrayType>(variable.getValueType());
  return variable.getAddressSpace() == shared_space && variable.isDeclaration() && array != nullptr &&
         array->getNumElements() == 0;
}

}  // namespace

llvm::PreservedAnalyses DeviceDeclarationsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  const llvm::Align wanted(16);
  for (llvm::GlobalVariable& variable : module.globals())
    if (is_dynamic_shared(variable) && variable.getAlign().valueOrOne() < wanted)
      variable.setAlignment(wanted);
  for (llvm::Function& function : module)
    if (function.isDeclaration() && math_functions().contains(function.getName())) only_computes(function);
  return llvm::PreservedAnalyses::none();
}

}  // namespace heddle::frontend
