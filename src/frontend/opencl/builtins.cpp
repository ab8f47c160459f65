#include <algorithm>
#include <set>

#include "frontend/opencl/body.h"
#include "frontend/opencl/program.h"
#include "frontend/opencl/rules.gen.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"

namespace heddle::frontend::opencl {

namespace {

const RuleRow* find_rule(std::string_view name) {
  if (name.starts_with("convert_")) name = "convert_*";
  const auto* found = std::ranges::lower_bound(rule_rows, name, {}, &RuleRow::name);
  return found == rule_rows.end() || found->name != name ? nullptr : found;
}

bool define_by(Rule rule, Body& body) {
  switch (rule) {
    case Rule::each:
    case Rule::elementwise: return define_elementwise(body, false);
    case Rule::relational: return define_elementwise(body, true);
    case Rule::any_of: return define_any_all(body, false);
    case Rule::all_of: return define_any_all(body, true);
    case Rule::select: return define_select(body);
    case Rule::convert: return define_convert(body);
    case Rule::vload: return define_vload(body);
    case Rule::vstore: return define_vstore(body);
    case Rule::vload_half: return define_vload_half(body);
    case Rule::vstore_half: return define_vstore_half(body);
    case Rule::shuffle: return define_shuffle(body);
    case Rule::atomic: return define_atomic(body);
    case Rule::async_copy: return define_async_copy(body);
    case Rule::nothing: return define_nothing(body);
    case Rule::to_space: return define_to_space(body);
    case Rule::read_image: return define_read_image(body);
    case Rule::write_image: return define_write_image(body);
    case Rule::query_image: return define_query_image(body);
    case Rule::library:
    case Rule::sampler:
    case Rule::printf: return false;
  }
  return false;
}

// False when it has no body of our making; then nothing has changed.
bool define(llvm::Module& module, llvm::Function& function, const Mangled& mangled, Rule rule, bool is_1x) {
  llvm::BasicBlock* entry = llvm::BasicBlock::Create(module.getContext(), "", &function);
  llvm::IRBuilder<> ir(entry);
  Body body{module, function, mangled, ir, is_1x};
  if (!define_by(rule, body)) {
    function.deleteBody();
    function.setLinkage(llvm::GlobalValue::ExternalLinkage);
    return false;
  }
  function.setLinkage(llvm::GlobalValue::InternalLinkage);
  function.setDSOLocal(true);
  // The declaration's promises about memory are about what a caller sees, which a body with a place for a
  // result of its own breaks.
  llvm::AttributeMask gone;
  for (const auto kind : {llvm::Attribute::Memory, llvm::Attribute::NoInline, llvm::Attribute::OptimizeNone})
    gone.addAttribute(kind);
  function.removeFnAttrs(gone);
  function.addFnAttr(llvm::Attribute::AlwaysInline);
  return true;
}

Mangled unmangled(const llvm::Function& function) {
  return {std::string_view(function.getName().data(), function.getName().size()), {}};
}

// One pass over what is declared; the names that the library has to give.
std::vector<std::string> define_declared(llvm::Module& module, std::set<std::string>& tried, bool is_1x) {
  std::vector<std::string> wanted;
  bool again = true;
  while (again) {
    again = false;
    std::vector<llvm::Function*> declared;
    for (llvm::Function& function : module)
      if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty())
        declared.push_back(&function);
    for (llvm::Function* function : declared) {
      if (!tried.insert(function->getName().str()).second) continue;
      const auto mangled =
          read_mangled(std::string_view(function->getName().data(), function->getName().size()));
      const Mangled name = mangled ? *mangled : unmangled(*function);
      const RuleRow* row = find_rule(name.name);
      if (row != nullptr && row->rule != Rule::library && row->rule != Rule::sampler &&
          row->rule != Rule::printf && define(module, *function, name, row->rule, is_1x)) {
        again = true;
        continue;
      }
      if (mangled) wanted.push_back(function->getName().str());
    }
  }
  return wanted;
}

// Functions of the library have no opinion about the processor: the program's is theirs.
void adopt(llvm::Module& module, const std::set<std::string>& own) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || own.contains(function.getName().str())) continue;
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
    // It was a call in the library alone.
    if (function.hasFnAttribute(llvm::Attribute::NoInline)) {
      function.removeFnAttr(llvm::Attribute::NoInline);
      function.addFnAttr(llvm::Attribute::AlwaysInline);
    }
  }
}

// 33 numbers of shared memory (devlib/opencl/work_group.cl).
void define_scratch(llvm::Module& module) {
  llvm::Function* function = module.getFunction("__heddle_group_scratch");
  if (function == nullptr || !function->isDeclaration()) return;
  llvm::LLVMContext& context = module.getContext();
  auto* type = llvm::ArrayType::get(llvm::Type::getInt64Ty(context), 33);
  auto* memory = new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::InternalLinkage,
                                          llvm::UndefValue::get(type), "__heddle_group_memory", nullptr,
                                          llvm::GlobalValue::NotThreadLocal, 3);
  memory->setAlignment(llvm::Align(8));
  llvm::IRBuilder<> ir(llvm::BasicBlock::Create(context, "", function));
  ir.CreateRet(memory);
  function->setLinkage(llvm::GlobalValue::InternalLinkage);
  function->addFnAttr(llvm::Attribute::AlwaysInline);
}

// Calls say of themselves what the declaration said.
void forget_memory_of_calls(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::instructions(function))
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction))
        if (const llvm::Function* callee = call->getCalledFunction();
            callee != nullptr && !callee->isDeclaration() && callee->hasInternalLinkage()) {
          llvm::AttributeMask gone;
          gone.addAttribute(llvm::Attribute::Memory);
          call->removeFnAttrs(gone);
        }
}

}  // namespace

std::string define_builtins(llvm::Module& module, bool is_1x) {
  std::set<std::string> own, tried;
  for (const llvm::Function& function : module)
    if (!function.isDeclaration()) own.insert(function.getName().str());
  while (true) {
    std::vector<std::string> wanted = define_declared(module, tried, is_1x);
    if (wanted.empty()) break;
    for (const std::string_view part : library_parts(wanted)) {
      auto parsed = llvm::getLazyBitcodeModule(
          llvm::MemoryBufferRef(llvm::StringRef(part.data(), part.size()), "opencl library"),
          module.getContext());
      if (!parsed) return "the built-in library cannot be read: " + llvm::toString(parsed.takeError());
      (*parsed)->setTargetTriple(module.getTargetTriple());
      (*parsed)->setDataLayout(module.getDataLayout());
      if (llvm::Linker::linkModules(module, std::move(*parsed), llvm::Linker::LinkOnlyNeeded))
        return "the built-in library cannot be linked";
    }
    define_scratch(module);
  }
  adopt(module, own);
  forget_memory_of_calls(module);
  return {};
}

}  // namespace heddle::frontend::opencl
