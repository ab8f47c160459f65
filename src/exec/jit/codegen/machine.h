// Machine code out of LLVM modules, in process.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "exec/jit/abi/code.h"
#include "exec/jit/abi/host.h"
#include "exec/jit/kernel/kernel.h"
#include "exec/jit/passes/passes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "support/result.h"

namespace heddle::exec::jit {

// Any thread may use it, several at once.
class Machine {
 public:
  explicit Machine(Host host);
  ~Machine();
  const Host& host() const;
  // Whether a gather takes less time than its loads one by one, as LLVM's tuning for the processor has it.
  bool gathers() const;
  // A function that code may call by name, besides the C library's and the compiler's own (symbols.h).
  // All of them before the first load.
  void bind(std::string name, const void* address);

  // LLVM's passes (pipeline.h), without what is switched off; the module is LLVM's from then on. What went
  // wrong, or nothing: then LLVM was in the middle of it, and module and context must be left as they are.
  std::optional<std::string> optimise(llvm::Module& module, Tier tier, PassSet off = {},
                                      LlvmTimes* times = nullptr);
  // What the disk cache keeps: a relocatable object. Of an optimised module, which is used up; functions to
  // be found are the external ones. Quick code keeps every value on the stack: of modules with more
  // instructions than that, what is live in registers where it can.
  static constexpr unsigned values_on_stack = 16'000;  // a vector of 64 bytes each at most
  // Of threads on their own 8 bytes each, on a stack of 4 MiB at most (fiber/emit.cpp), which many frames
  // share where functions call themselves.
  static constexpr unsigned values_on_thread_stack = 400'000, values_of_functions = 4'000;
  struct Object {
    std::string bytes;
    uint64_t largest_frame = 0;  // bytes of the stack
  };
  Result<Object, std::string> emit(llvm::Module& module, Tier tier, unsigned most_on_stack = values_on_stack);
  // Both.
  Result<Object, std::string> compile(llvm::Module& module, Tier tier,
                                      unsigned most_on_stack = values_on_stack);
  Result<std::shared_ptr<Code>, std::string> load(const Object& object) const;
  // Data layout, triple and the host's function attributes: before an analysis asks what the host costs.
  // optimise() does it for what has none yet.
  void prepare(llvm::Module& module);

 private:
  struct Inner;
  std::unique_ptr<Inner> inner_;
};

}  // namespace heddle::exec::jit
