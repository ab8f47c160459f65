#include "frontend/kernel_directives.h"

#include <optional>

#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

namespace heddle::frontend {

namespace {

constexpr const char* annotations = "llvm.global.annotations";
constexpr unsigned first_with_clusters = 90;  // .reqnctapercluster: PTX ISA, "requires sm_90 or higher"

std::optional<llvm::StringRef> text_of(const llvm::Constant* pointer) {
  const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(pointer->stripPointerCasts());
  if (global == nullptr || !global->hasInitializer()) return std::nullopt;
  const auto* data = llvm::dyn_cast<llvm::ConstantDataSequential>(global->getInitializer());
  if (data == nullptr || !data->isCString()) return std::nullopt;
  return data->getAsCString();
}

std::vector<uint32_t> numbers_of(const llvm::Constant* pointer) {
  std::vector<uint32_t> numbers;
  const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(pointer->stripPointerCasts());
  if (global == nullptr || !global->hasInitializer()) return numbers;
  for (const llvm::Use& use : global->getInitializer()->operands())
    if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(use.get()))
      numbers.push_back(static_cast<uint32_t>(number->getZExtValue()));
  return numbers;
}

bool has_clusters(const llvm::Function& kernel) {
  llvm::StringRef cpu = kernel.getFnAttribute("target-cpu").getValueAsString();
  unsigned number = 0;
  return cpu.consume_front("sm_") && !cpu.consumeInteger(10, number) && number >= first_with_clusters;
}

}  // namespace

llvm::PreservedAnalyses KernelDirectivesPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  llvm::GlobalVariable* all = module.getNamedGlobal(annotations);
  if (all == nullptr || !all->hasInitializer()) return llvm::PreservedAnalyses::all();
  std::vector<llvm::Constant*> others;
  // {what, text, file, line, arguments}
  for (llvm::Use& use : all->getInitializer()->operands()) {
    auto* entry = llvm::cast<llvm::Constant>(use.get());
    const auto text = entry->getNumOperands() == 5 ? text_of(llvm::cast<llvm::Constant>(entry->getOperand(1)))
                                                   : std::nullopt;
    if (!text || !text->starts_with("heddle.")) {
      others.push_back(entry);
      continue;
    }
    auto* kernel = llvm::dyn_cast<llvm::Function>(entry->getOperand(0)->stripPointerCasts());
    const std::vector<uint32_t> numbers = numbers_of(llvm::cast<llvm::Constant>(entry->getOperand(4)));
    if (kernel == nullptr || numbers.empty()) continue;
    const auto number = [&](std::size_t i) { return std::to_string(i < numbers.size() ? numbers[i] : 1); };
    const std::string name = kernel->getName().str();
    if (*text == "heddle.maxnreg") found_->push_back({name, ".maxnreg " + number(0) + "\n"});
    if (*text == "heddle.cluster_dims" && has_clusters(*kernel))
      found_->push_back({name, ".explicitcluster\n.reqnctapercluster " + number(0) + ", " + number(1) + ", " +
                                   number(2) + "\n"});
  }
  if (others.size() == all->getInitializer()->getNumOperands()) return llvm::PreservedAnalyses::all();
  llvm::Type* element = all->getValueType()->getArrayElementType();
  const std::string section = all->getSection().str();
  all->eraseFromParent();
  if (!others.empty()) {
    auto* type = llvm::ArrayType::get(element, others.size());
    auto* kept = new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::AppendingLinkage,
                                          llvm::ConstantArray::get(type, others), annotations);
    kept->setSection(section);
  }
  return llvm::PreservedAnalyses::none();
}

std::string add_directives(std::string ptx, const std::vector<KernelDirective>& directives) {
  for (const KernelDirective& directive : directives) {
    const std::string head = ".entry " + directive.kernel + "(";
    for (std::size_t at = ptx.find(head); at != std::string::npos; at = ptx.find(head, at + 1)) {
      const std::size_t body = ptx.find_first_of("{;", at);
      if (body == std::string::npos || ptx[body] == ';') continue;  // a declaration
      ptx.insert(body, directive.text);
      break;
    }
  }
  return ptx;
}

}  // namespace heddle::frontend
