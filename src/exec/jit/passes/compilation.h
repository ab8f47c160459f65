// A kernel on its way from PTX to machine code: what the passes read and write, and who runs them.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exec/jit/ir/program.h"
#include "exec/jit/kernel/kernel.h"
#include "exec/jit/passes/passes.h"
#include "llvm/IR/Module.h"
#include "module/image.h"

namespace heddle::exec::jit {

class Machine;       // codegen/machine.h
class Cleaning;      // transform/canonical.h
class KernelWeaver;  // vectorize/weave.cpp
struct EndWeaver {
  void operator()(KernelWeaver* weaver) const;
};

// How the vectoriser goes about it.
struct Plan {
  unsigned lanes = 16;   // of one vector: 16 for AVX-512, 8 for AVX2, 4 for x86-64-v2
  unsigned vectors = 2;  // that one instruction of the program becomes: lanes * vectors is a multiple of 32
};

// Processor time by pass, in milliseconds. Of LLVM's own passes by their names, where they are asked for.
struct PassTimes {
  std::array<double, pass_count> of{};
  LlvmTimes of_llvm;
  double sum(Pass first, Pass last) const;  // both included
  PassTimes& operator+=(const PassTimes& other);
  std::string text() const;  // a line a pass, those of more time first
};

struct Compilation {
  Compilation();
  Compilation(Compilation&&) noexcept;
  Compilation& operator=(Compilation&&) noexcept;
  ~Compilation();

  // ---- what is asked for
  const module::Image* image = nullptr;
  uint32_t function = 0;  // an entry
  Meaning meaning;
  Shape shape;
  VectorLevel level = VectorLevel::v2;  // of the machine, when there is one
  bool gathers = false;                 // Machine::gathers()
  Machine* machine = nullptr;           // nullptr: the passes from expand_math on do not run
  std::optional<Tier> tier;             // none: passes of both tiers alone (given_plan)
  std::optional<Plan> given_plan;       // lanes and vectors, instead of chosen ones
  bool vectors = true;                  // else threads on their own
  bool large_by_threads = false;        // CompileRequest
  PassSet disabled;
  bool times_llvm = false;

  // ---- what becomes of it
  ThreadProgram program;
  pass_table::Paths path = pass_table::any;  // until it is chosen
  Plan plan;
  std::string refused;  // why the last path was not gone to its end; empty: it was
  std::string why_no_vectors;
  bool is_final = false;                // and no other path is tried: it is for the reference executor
  bool may_be_threads = false;          // Pass::vector_limit may choose so
  unsigned of_thread = 0, emitted = 0;  // instructions
  std::unique_ptr<llvm::Module> slow;   // in the program's context: parts that are apart
  std::vector<llvm::Function*> slow_functions;
  std::size_t slow_parts = 0;
  unsigned merged_blocks = 1;  // that are one for the vectoriser (transform/merge_blocks.h)
  llvm::Function *kernel = nullptr, *warp = nullptr;  // warp: what the kernel runs for each, by warps
  uint64_t slot_bytes = 0;
  uint64_t vector_instructions = 0;  // of vector code that was too long for quick code
  bool uses_shared = false, uses_steps = false, recursive = false;
  std::string object;  // machine code

  PassTimes times;
  uint32_t properties = 0;  // pass_table::Property

  // Between passes.
  std::unique_ptr<Cleaning> cleaning;
  std::unique_ptr<KernelWeaver, EndWeaver> weaver;  // goes before the program

  // The block as the vectoriser sees it.
  Shape vector_shape() const;
  bool by_threads() const { return path == pass_table::threads; }
  bool by_warps() const { return path == pass_table::warps; }
  // Whether it is part of what is compiled here: of this path and tier, and not switched off.
  bool runs(Pass pass) const;
  void give_up(std::string why) { refused = std::move(why); }
};

// All passes of the table, in its order, until one gives up; then, if the vectoriser did, the threads' path
// from the beginning. `after` is called behind each pass of the table, whether it ran or not, on each path;
// where it gives false, that was the last one.
using AfterPass = std::function<bool(Pass pass, Compilation& compilation)>;
void run_passes(Compilation& compilation, const AfterPass& after = nullptr);

// The last ones alone, from share_math on: of a module that is vector code already.
void run_machine_passes(Compilation& compilation);

// What is wrong with the code between two passes, or nothing (verify.cpp).
std::string find_broken(const Compilation& compilation);

namespace pass {
#define HEDDLE_PASS(id, paths, tiers, may_be_off, needs, gives, breaks, title) void id(Compilation&);
#define HEDDLE_PART(id, of, tiers, title)
#include "exec/jit/passes/passes.def"
#undef HEDDLE_PART
#undef HEDDLE_PASS
}  // namespace pass

}  // namespace heddle::exec::jit
