// Machine code out of LLVM modules, in process.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "exec/jit/kernel.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "support/result.h"

namespace heddle::exec::jit {

// What the code is made for: this host, or less when HEDDLE_JIT_CPU says so.
struct Host {
  VectorLevel level = VectorLevel::v2;
  std::string cpu;       // LLVM's name
  std::string features;  // LLVM's feature string
  unsigned vector_bits() const {
    return level == VectorLevel::avx512 ? 512 : level == VectorLevel::avx2 ? 256 : 128;
  }
  unsigned lanes() const { return vector_bits() / 32; }
};
Result<Host, std::string> find_host(const char* forced);  // HEDDLE_JIT_CPU or nullptr

// Machine code in memory; frees it at the end.
class Code {
 public:
  virtual ~Code() = default;
  virtual void* find(std::string_view symbol) const = 0;
  virtual uintptr_t begin() const = 0;
  virtual uintptr_t end() const = 0;
  // Line and column of the debug location at an instruction's address; 0, 0 when unknown. Slow: for faults.
  struct Place {
    uint32_t line = 0, column = 0;
  };
  virtual Place place(uintptr_t pc) const = 0;
};

class Machine {
 public:
  explicit Machine(Host host);
  ~Machine();
  const Host& host() const;
  // Optimises and compiles. `helpers`: addresses that the code may call, by name.
  struct Object {
    std::string bytes;  // a relocatable object: what the disk cache keeps
  };
  Result<Object, std::string> compile(llvm::Module& module, Tier tier);
  Result<std::shared_ptr<Code>, std::string> load(const Object& object);
  void prepare(llvm::Module& module);  // data layout, triple, function attributes of the host

 private:
  struct Inner;
  std::unique_ptr<Inner> inner_;
};

}  // namespace heddle::exec::jit
