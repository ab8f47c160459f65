// What all parts of the emitter share for one kernel: the function in work, the block that runs, memory.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "exec/jit/analysis/flow.h"
#include "exec/jit/analysis/geometry.h"
#include "exec/jit/analysis/pattern.h"
#include "exec/jit/analysis/record.h"
#include "exec/jit/ir/program.h"
#include "exec/jit/kernel/kernel.h"
#include "exec/jit/passes/passes.h"
#include "exec/jit/transform/fission.h"
#include "exec/jit/transform/serial.h"
#include "exec/jit/vectorize/rep.h"
#include "exec/memory_map.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/IRBuilder.h"
#include "module/image.h"

namespace heddle::exec::jit {

// One region with what the analyses say, for groups (fast) and for warps (slow).
struct Region {
  llvm::Function* function = nullptr;
  std::unique_ptr<Flow> fast_flow, slow_flow;
  std::unique_ptr<Patterns> fast, slow;
  std::vector<SerialPart> serial;
  llvm::SmallVector<uint32_t, 4> outcomes;  // where the block may go on: regions, or region_end
  unsigned at_work = ~0U;  // threads of the block behind which none does anything (analysis/idle_threads.h)

  bool is_certain() const { return outcomes.size() == 1; }
  const SerialPart* part_behind(const llvm::BasicBlock* branch) const;
  bool is_serial(const llvm::BasicBlock* block) const;
};

// The code of a region from where slow code begins to where the kernel goes on (slow_part.h).
struct SlowPart {
  llvm::BasicBlock* begin = nullptr;
  llvm::SmallVector<llvm::BasicBlock*, 4> ends;
};

// Values that live across barriers. Fast code and slow code keep theirs apart.
struct SlotHome {
  llvm::Type* type = nullptr;
  Pattern fast, slow;
  llvm::Value *fast_home = nullptr, *slow_home = nullptr;  // arrays: [group][part], [warp][part]
};

class Weaver {
 public:
  // `merged`: so many blocks of the launch are one of this geometry.
  Weaver(ThreadProgram& program, const Geometry& geometry, unsigned merged, VectorLevel level);
  uint32_t variable_offset(uint32_t variable) const { return program_.variables[variable].offset; }
  // Of the step at this site; nullptr: it is another instruction.
  const matrix::Form* matrix_form(uint32_t site) const {
    const auto found = program_.matrices.find(site);
    return found == program_.matrices.end() ? nullptr : &found->second;
  }
  // The elements of a run whose first one has this site, as they come in the program.
  std::vector<uint32_t> in_program_order(uint32_t site, unsigned elements) const;
  const WindowMap& windows() const { return exec::windows(program_.address_bits); }
  // Accesses in windows of the observer's are not told.
  bool looks_at_windows() const { return (program_.observed & observe::spares_windows) != 0; }
  // Whether each visit and access is told (observe/choice.h) is asked by code that tells visits.
  bool asks_who_is_told() const { return (program_.observed & observe::visits) != 0; }

  llvm::Module& module;
  llvm::LLVMContext& context;
  llvm::IRBuilder<> builder;
  const Geometry geometry;
  const unsigned merged;
  const VectorLevel level;
  llvm::Function* kernel = nullptr;
  LaneBuilder lanes;
  const bool flush_mode;  // the host runs the kernel in its mode without subnormals

  // ---- of the launch and the block that runs
  llvm::Value* run = nullptr;  // Context*
  llvm::Value* first_vector = nullptr;
  std::array<llvm::Value*, 3> ctaid{}, nctaid{};
  llvm::Value* threads_here = nullptr;  // of a block that several have become
  llvm::Value *shared = nullptr, *shared_of_cluster = nullptr, *parameters = nullptr, *symbols = nullptr,
              *local = nullptr, *local_stride = nullptr;
  // i1: stores may go past the caches (stream.h), and how many blocks there are; nullptr: none of the
  // kernel's.
  llvm::Value *streams = nullptr, *blocks = nullptr;
  bool uses_shared = false, uses_steps = false;
  PassSet passes;  // of which this kernel is made: parts of Pass::weave are asked for
  bool gathers = false, on_their_own = false;  // of the Plan
  AccessMeans access_means() const { return {level, gathers, &passes}; }
  std::vector<SlowPart> slow_parts;  // of the regions that fast code comes first in

  llvm::Value* step_registers();  // pointer

  // ---- of the regions
  std::vector<SlotHome> slots;
  llvm::Value* next_region = nullptr;  // alloca i32: where the block goes on
  llvm::Value* sticky = nullptr;       // alloca [groups x i8]: stays in slow code
  llvm::Value* live = nullptr;  // alloca [warps][vectors of a warp] masks: threads that have not exited
  std::array<llvm::Value*, 3> contributed{};  // alloca i32: barrier reductions, popc, and, or
  std::array<llvm::Value*, 3> reduced{};      // their results

  llvm::AllocaInst* make_alloca(llvm::Type* type, const llvm::Twine& name = "");
  llvm::Value* context_field(llvm::Type* type, std::size_t offset, const llvm::Twine& name);  // loaded
  void store_context_field(llvm::Value* value, std::size_t offset);
  llvm::Value* writes_stream(uint64_t bytes_of_thread);  // i1: as a launch that writes so much
  llvm::BasicBlock* block(const llvm::Twine& name);
  llvm::FunctionCallee helper(const char* name, llvm::Type* result, llvm::ArrayRef<llvm::Type*> arguments,
                              bool returns = true);

  // Which memories can not be the same: accesses of a space with a home of its own say so.
  enum Memory : unsigned { global_memory, shared_memory, local_memory, frame_memory, memories };
  void mark(llvm::Instruction* access, Memory memory);

  // Where the following instructions come from: a load may become part of the machine instruction that uses
  // its value, which then is what faults.
  void come_from(const llvm::Instruction& of, const AccessLanes& lanes = {});
  // Whom a fault is told of; `element` of a run, which has a site each.
  void locate(llvm::Instruction* access, const llvm::Instruction& of, const AccessLanes& lanes,
              unsigned element = 0);

  // Loop metadata: as it is; not by several turns where their number is not known.
  llvm::MDNode* no_unroll();
  llvm::MDNode* no_unroll_at_run_time();

 private:
  llvm::MDNode* loop_metadata(const char* unroll);
  llvm::DILocation* place_of(const llvm::Instruction& of, const AccessLanes& lanes, unsigned element);

  ThreadProgram& program_;
  std::array<llvm::MDNode*, memories> scope_{}, others_{};
  llvm::DISubprogram* subprogram_ = nullptr;
};

}  // namespace heddle::exec::jit
