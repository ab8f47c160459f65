// One thread's program: PTX as scalar LLVM IR. What every later stage begins with.
//
// `entry` is `void @thread()`: no arguments, everything comes from operations (ops.h). Device functions are
// lowered into it at their calls, each call anew; `exit` is a branch to the one return. Registers are SSA
// values of the types i1, i16, i32, i64, i128, float (.f32) and double (.f64); f16, bf16 and packed values
// are integers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "exec/jit/abi/lanes.h"
#include "exec/jit/abi/observed.h"
#include "exec/jit/abi/site.h"
#include "exec/jit/ir/meaning.h"
#include "exec/jit/matrix/form.h"
#include "exec/launch.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "module/image.h"
#include "support/result.h"

namespace heddle::exec::jit {

// A variable in local memory: a .local one, a .param one of a function or around a call. Each body that is
// lowered in place has its own.
struct LocalVariable {
  uint32_t offset = 0;  // in the thread's local memory
  uint32_t bytes = 0, align = 1;
  bool fixed = false;  // a step or a called function finds it in the frame: it may not become registers
};

// A function that may be active twice in one thread. `void @function()`: arguments and results pass through
// its frame in local memory, where the caller finds it by the operation `call`. Offsets of variables, and
// local_address, count from the frame of the function that they are in.
struct CalledFunction {
  uint32_t function = 0;  // of the image
  llvm::Function* code = nullptr;
};

struct ThreadProgram {
  ThreadProgram() = default;
  ThreadProgram(ThreadProgram&&) = default;
  ThreadProgram& operator=(ThreadProgram&& other) noexcept {  // the module goes before its context
    std::destroy_at(this);
    return *std::construct_at(this, std::move(other));
  }
  ~ThreadProgram() = default;

  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  llvm::Function* entry = nullptr;
  std::vector<Site> sites;
  AccessTable lanes;
  matrix::Forms matrices;  // among the steps, by site
  std::vector<LocalVariable> variables;
  std::vector<CalledFunction> functions;
  uint32_t local_bytes = 0;      // of one thread; of one activation where there are functions
  uint32_t shared_bytes = 0;     // static
  uint64_t parameter_bytes = 0;  // of the launch
  unsigned local_granule = 0;    // not 0: lanes lie side by side (transform/local_rows.h)
  unsigned address_bits = 64;
  Observed observed = observe::nothing;  // what the code tells
  bool in_cluster = false;               // of several blocks, which reach one another's shared memory
  Needs needs;
  // The code takes subnormals of f32 for zeros and gives none because the host does so while it runs (on
  // x86-64 MXCSR with FTZ and DAZ: their rule is that of .ftz): every instruction that could tell says .ftz.
  bool flush_mode = false;
};

// Lowers an entry of the image; device functions included. Never fails: what cannot be lowered is named in
// `needs`.
ThreadProgram lower(const module::Image& image, uint32_t entry, const Meaning& meaning);

}  // namespace heddle::exec::jit
