// A thread that runs blocks: its memory for them, and what became of them.
#pragma once

#include <memory>
#include <optional>

#include "exec/jit/abi/watched_context.h"
#include "exec/jit/launch/incident.h"
#include "exec/jit/launch/job.h"
#include "exec/jit/launch/landing.h"
#include "exec/jit/launch/regions.h"
#include "exec/jit/launch/repeats.h"
#include "exec/jit/matrix/unit.h"
#include "exec/jit/texture/unit.h"
#include "exec/told_numbers.h"
#include "observe/choice.h"

namespace heddle::exec::jit {

class Worker {
 public:
  Worker();
  // The calling thread's; made at its first call.
  static Worker& of_this_thread();

  // Makes everything ready for blocks of this job. False: there is no memory; what is missing the job is told
  // if it cannot do without this worker.
  bool begin(Job& job, bool needed);
  void end();
  // Runs blocks [first, first + count). False: the job is to end, and if it was this worker's fault, the job
  // knows.
  bool run(uint64_t first, uint64_t count);
  const CompiledKernel& kernel() const { return *kernel_; }
  // For a job that was stopped between blocks: nobody knows where.
  static void fail_between_blocks(Job& job);
  bool busy() const { return job_ != nullptr; }
  pid_t thread() const { return thread_; }

  // ---- for helpers, on the thread
  Job& job() { return *job_; }
  Landing& landing() { return landing_; }
  ReferenceLanes& lanes();
  texture::Unit& textures() { return textures_; }
  matrix::Unit& matrices() { return matrices_; }
  observe::Sink* sink() { return sink_; }  // nullptr: nobody watches
  observe::TexelSink* texel_sink() { return texel_sink_; }
  ToldNumbers& numbers();
  Repeats& repeats() { return repeats_; }
  Repeats::Ear ear() const {
    return {*repeat_sink_, *kernel_, windows(job_->launch.module->image->address_bits)};
  }
  // What a helper found; then it leaves through the landing, with no objects of its own left.
  Incident& new_incident() { return incident_.emplace(); }
  // Blocks of this worker that wait for others (fiber/turns.h).
  uint64_t begin_another(uint64_t own);
  void another_ended();
  Company all_wait(bool waits);
  void fault_of_step(Fault fault) { step_fault_ = std::move(fault); }

  // ---- for whoever explains a fault
  const Context& context() const { return context_; }
  // The window's address of a place in the shared memory of blocks.
  std::optional<uint64_t> shared_address_of(uintptr_t host) const;
  bool in_local(uintptr_t address) const { return local_.contains(address); }
  const Job& job() const { return *job_; }

 private:
  bool take(const CompiledKernel& kernel);
  void fail_for_memory(const CompiledKernel& kernel);
  void open_windows(const CompiledKernel& kernel);
  void tell_counts();
  bool run_code(uint64_t first, uint64_t count);
  bool run_entry(uint64_t first, uint64_t count);
  bool may_begin_another();
  void tell_all(uint64_t block);
  ReferenceLanes& made_lanes();
  void explain();

  WatchedContext whole_context_;
  Context& context_ = whole_context_.context;
  Landing landing_;
  SharedMemory shared_;
  Area local_, slots_;
  const pid_t thread_;
  Job* job_ = nullptr;
  observe::Sink* sink_ = nullptr;
  observe::TexelSink* texel_sink_ = nullptr;        // the same, where it wants texels
  observe::ChoosingSink* choosing_sink_ = nullptr;  // the same, where it chooses what it is told
  uint32_t told_warps_ = ~0U;
  observe::RepeatSink* repeat_sink_ = nullptr;  // the same, where the code counts repeats
  std::vector<observe::Count> counts_;          // by site of the kernel
  std::vector<observe::Carried> carried_;       // likewise
  std::vector<observe::Window> closed_windows_;
  std::optional<ToldNumbers> numbers_;  // of the launch's image, once asked for
  Repeats repeats_;
  std::byte *counted_ = nullptr, *closed_ = nullptr;  // its memory for the sites
  const CompiledKernel* kernel_ = nullptr;            // the code of the blocks that it runs now
  std::unique_ptr<ReferenceLanes> lanes_;
  texture::Unit textures_;
  matrix::Unit matrices_;
  uint32_t entered_block_[3] = {0, 0, 0};  // that the lanes stand for
  bool entered_ = false;
  uint64_t rest_first_ = 0, rest_count_ = 0;  // of the blocks to run those that no code was given
  uint64_t others_ = 0;                       // blocks that are there beside one
  bool waits_ = false;                        // all that are there do
  uint32_t all_warps_ = ~0U;                  // told_warps_ of blocks that take turns
  std::optional<Incident> incident_;          // a helper's
  std::optional<Fault> step_fault_;
};

}  // namespace heddle::exec::jit
