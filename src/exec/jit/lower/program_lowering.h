// A program in work: what the bodies that are lowered into one thread share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "exec/jit/ir/program.h"
#include "exec/memory_map.h"
#include "exec/told_numbers.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "module/image.h"

namespace heddle::exec::jit {

// How a function's code uses its registers: asked once, for all its bodies.
struct RegisterUse {
  std::vector<int8_t>
      float_votes;  // by slot: above 0, the slot is rather a float (or double) than an integer
};

struct ProgramLowering {
  ProgramLowering(const module::Image& image, uint32_t entry, const Meaning& meaning, ThreadProgram& program);

  const module::Image& image;
  const module::Function& entry;
  const Meaning& meaning;
  ThreadProgram& program;
  const WindowMap& windows;
  llvm::IRBuilder<> ir;
  llvm::Function* thread = nullptr;
  llvm::DISubprogram* scope = nullptr;
  llvm::BasicBlock* end = nullptr;  // where threads end
  std::size_t instructions = 0;     // lowered so far
  ToldNumbers numbers;

  // From here on, instructions are at this place of the PTX.
  uint32_t at_site(const Site& site);
  llvm::AllocaInst* make_alloca(llvm::Type* type);
  uint64_t shared_offset(uint32_t symbol) const;
  const RegisterUse& register_use(uint32_t function);
  uint32_t make_variable(uint64_t offset, uint64_t bytes, uint32_t align);
  std::unordered_map<uint32_t, uint32_t> static_variables;  // those of the module: symbol -> variable
  void need_reference(std::string_view reason);
  void finish();
  // A function of its own is wanted; of those that nobody has lowered yet, the next becomes `thread`.
  void want_function(uint32_t function);
  std::optional<uint32_t> begin_function();
  bool in_function = false;  // not in the entry

 private:
  llvm::Function* begin(const std::string& name);

  std::unordered_map<uint32_t, RegisterUse> register_use_;
  std::vector<uint32_t> wanted_;
};

}  // namespace heddle::exec::jit
