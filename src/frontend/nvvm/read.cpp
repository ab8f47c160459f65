#include "frontend/nvvm/program.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/IPO/Internalize.h"

namespace heddle::frontend::nvvm {

namespace {

void wrong(NvvmResult& result, NvvmStatus status, const std::string& text) {
  result.status = status;
  result.log += "error: " + text + "\n";
}

std::string in_words(const llvm::SMDiagnostic& problem) {
  std::string place = problem.getFilename().str();
  if (problem.getLineNo() > 0)
    place +=
        " (" + std::to_string(problem.getLineNo()) + ", " + std::to_string(problem.getColumnNo() + 1) + ")";
  return place + ": " + problem.getMessage().str();
}

// NVVM IR Specification, "NVVM IR Version": !nvvmir.version = !{i32 major, i32 minor[, i32 debug major, i32
// debug minor]}. A module without it is of the first one.
bool has_known_version(const llvm::Module& module, std::string& found) {
  const llvm::NamedMDNode* list = module.getNamedMetadata("nvvmir.version");
  if (list == nullptr) return true;
  for (const llvm::MDNode* node : list->operands()) {
    std::vector<uint64_t> numbers;
    for (const llvm::MDOperand& operand : node->operands())
      if (const auto* number = llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(operand))
        numbers.push_back(number->getLimitedValue());
    found.clear();
    for (const uint64_t number : numbers) found += (found.empty() ? "" : ".") + std::to_string(number);
    if (numbers.size() < 2 || numbers[0] < 1 || numbers[0] > static_cast<uint64_t>(nvvm_versions.major))
      return false;
    if (numbers.size() > 2 && numbers[2] > static_cast<uint64_t>(nvvm_versions.debug_major)) return false;
  }
  return true;
}

// "nvptx64-nvidia-cuda", "nvptx64-unknown-cuda"; a library may say nothing.
bool has_known_triple(const llvm::Module& module) {
  const llvm::StringRef triple = module.getTargetTriple();
  return triple.empty() || triple.starts_with("nvptx64-");
}

// LLVM drops debug information that says no version of its own. NVVM IR says it in nvvmir.version, and 3 is
// the same one.
std::string with_debug_version(const std::string& text) {
  const llvm::StringRef all = text;
  if (!all.contains("!DICompileUnit(") || all.contains("\"Debug Info Version\"")) return text;
  constexpr const char* number = "!4294967295";  // of a node that no compiler has come to
  return text + "\n!llvm.module.flags = !{" + number + "}\n" + number +
         " = !{i32 2, !\"Debug Info Version\", i32 3}\n";
}

std::unique_ptr<llvm::Module> read_module(const NvvmModule& source, llvm::LLVMContext& context,
                                          NvvmResult& result) {
  llvm::SMDiagnostic problem;
  // Text is read up to a zero, which is behind a string.
  const bool is_text = !llvm::StringRef(source.bytes).starts_with("BC") &&
                       !llvm::StringRef(source.bytes).starts_with("\xde\xc0\x17\x0b");
  const std::string bytes = is_text ? with_debug_version(source.bytes) : source.bytes;
  const auto buffer = llvm::MemoryBuffer::getMemBuffer(bytes, source.name);
  std::unique_ptr<llvm::Module> module = llvm::parseIR(buffer->getMemBufferRef(), problem, context);
  if (!module) {
    wrong(result, NvvmStatus::invalid_ir, in_words(problem));
    return nullptr;
  }
  std::string version;
  if (!has_known_version(*module, version)) {
    wrong(result, NvvmStatus::wrong_version,
          source.name + ": it is NVVM IR of version " + version + ", the newest that is read is " +
              std::to_string(nvvm_versions.major) + "." + std::to_string(nvvm_versions.minor) + "." +
              std::to_string(nvvm_versions.debug_major) + "." + std::to_string(nvvm_versions.debug_minor));
    return nullptr;
  }
  if (!has_known_triple(*module)) {
    wrong(result, NvvmStatus::invalid_ir,
          source.name + ": its target is '" + module->getTargetTriple() +
              "', which must be nvptx64-nvidia-cuda");
    return nullptr;
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  bool broken_debug = false;
  if (llvm::verifyModule(*module, &stream, &broken_debug)) {
    wrong(result, NvvmStatus::invalid_ir, source.name + ": " + text);
    return nullptr;
  }
  if (broken_debug) llvm::StripDebugInfo(*module);
  // What it says of versions and of its layout is settled, and need not agree with the others'.
  if (llvm::NamedMDNode* versions = module->getNamedMetadata("nvvmir.version")) versions->eraseFromParent();
  module->setTargetTriple("nvptx64-nvidia-cuda");
  module->setDataLayout("");
  return module;
}

void internalize(llvm::Module& whole, const llvm::StringSet<>& taken) {
  llvm::internalizeModule(whole, [&](const llvm::GlobalValue& value) {
    return !value.hasName() || !taken.contains(value.getName());
  });
}

}  // namespace

std::unique_ptr<llvm::Module> read_modules(const std::vector<NvvmModule>& modules, llvm::LLVMContext& context,
                                           NvvmResult& result) {
  auto whole = std::make_unique<llvm::Module>("nvvm", context);
  whole->setTargetTriple("nvptx64-nvidia-cuda");
  llvm::Linker linker(*whole);
  // Libraries behind everything that may call them.
  for (const bool lazy : {false, true})
    for (const NvvmModule& source : modules) {
      if (source.lazy != lazy) continue;
      std::unique_ptr<llvm::Module> module = read_module(source, context, result);
      if (!module) return nullptr;
      const bool failed =
          lazy ? linker.linkInModule(std::move(module), llvm::Linker::LinkOnlyNeeded, internalize)
               : linker.linkInModule(std::move(module));
      if (failed) {
        wrong(result, NvvmStatus::invalid_ir, source.name + ": it does not fit the modules before it");
        return nullptr;
      }
    }
  if (const std::string problem = define_intrinsics(*whole); !problem.empty()) {
    wrong(result, NvvmStatus::invalid_ir, problem);
    return nullptr;
  }
  return whole;
}

}  // namespace heddle::frontend::nvvm
