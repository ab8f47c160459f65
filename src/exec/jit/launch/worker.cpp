#include "exec/jit/launch/worker.h"

#include <algorithm>
#include <utility>

#include "exec/jit/abi/local_layout.h"
#include "exec/jit/abi/place_register.h"
#include "exec/jit/fiber/blocks.h"
#include "exec/jit/fiber/clusters.h"
#include "exec/jit/fiber/turns.h"
#include "exec/jit/launch/faults.h"
#include "exec/jit/launch/host_state.h"
#include "exec/memory_map.h"
#include "observe/values_of.h"
#include "support/thread_object.h"

namespace heddle::exec::jit {

namespace {

// A KernelEntry for blocks that take turns.
void run_blocks_in_turns(Context* context, uint64_t first, uint64_t count) {
  const Job& job = static_cast<const Worker*>(context->worker)->job();
  const uint64_t local_bytes = local_bytes_of_block(context->local_stride, job.launch.shape.block.count());
  // Such blocks are not merged.
  const CompiledKernel& kernel = static_cast<const Worker*>(context->worker)->kernel();
  worker_blocks().run(*context, first, count, {kernel.entry, kernel.slot_bytes, local_bytes});
}

Incident interruption(Stop why) {
  Incident incident;
  incident.kind = why == Stop::timeout ? FaultKind::timeout : FaultKind::cancelled;
  incident.detail =
      why == Stop::timeout ? "the launch ran past the device's time limit" : "the host ended the launch";
  return incident;
}

}  // namespace

Worker::Worker() : thread_(Landing::this_thread()) {
  context_.worker = this;
  context_.told_warps = &told_warps_;
}

Worker& Worker::of_this_thread() { return thread_object<Worker>(); }

bool Worker::begin(Job& job, bool needed) {
  const Launch& launch = job.launch;
  const module::Function& entry = launch.module->image->functions[launch.function];
  job_ = &job;
  sink_ = launch.observer == nullptr ? nullptr : &launch.observer->sink();
  texel_sink_ = observe::texel_sink(sink_);
  // Blocks that run together take turns.
  choosing_sink_ = job.together ? nullptr : observe::choosing_sink(sink_);
  told_warps_ = ~0U;
  entered_ = false;
  context_.parameters = job.parameters;
  context_.symbols = job.symbols;
  context_.grid_id = launch.grid_id;
  context_.grid[0] = launch.shape.grid.x;
  context_.grid[1] = launch.shape.grid.y;
  context_.grid[2] = launch.shape.grid.z;
  for (std::size_t i = 0; i < std::size(context_.environment); ++i)
    context_.environment[i] = i < launch.environment.size() ? launch.environment[i] : 0;
  if (job.workspace) {  // where cooperative groups look for it
    context_.environment[1] = static_cast<uint32_t>(job.workspace->address() >> 32);
    context_.environment[2] = static_cast<uint32_t>(job.workspace->address());
  }
  if (job.place != 0) context_.environment[place_register] = job.place;
  const Dim3& cluster = launch.shape.cluster;
  context_.cluster[0] = cluster.x;
  context_.cluster[1] = cluster.y;
  context_.cluster[2] = cluster.z;
  context_.cluster_blocks = static_cast<uint32_t>(cluster.count());
  context_.cluster_rank = context_.shared_begin = 0;
  context_.dynamic_shared_bytes = launch.shape.dynamic_shared;
  context_.shared_bytes = entry.static_shared_bytes + launch.shape.dynamic_shared;
  context_.reserved_shared_bytes =
      launch.device != nullptr ? launch.device->arch.shared.reserved_per_block : 0;
  context_.first_thread = 0;
  context_.site = module::none;
  context_.together = job.together ? 1 : 0;
  context_.shared = shared_.place(context_.shared_bytes);
  if (context_.shared != nullptr) {
    context_.reserved_shared = context_.shared + reserved_shared_end - context_.reserved_shared_bytes;
    landing_.lend_when_touched(context_.reserved_shared, context_.reserved_shared_bytes);
  }
  if (take(job.kernel)) return true;
  if (needed) fail_for_memory(job.kernel);
  end();
  return false;
}

// Memory as this code wants it; between blocks.
bool Worker::take(const CompiledKernel& kernel) {
  Job& job = *job_;
  const Launch& launch = job.launch;
  tell_counts();  // of the code before
  kernel_ = &kernel;
  context_.takes_turns =
      kernel.blocks_wait || (job.together && !kernel.by_threads && !kernel.by_warps) ? 1 : 0;
  // Blocks that wait for one another run on small stacks, where nothing is compiled.
  if ((job.together || kernel.blocks_wait) && kernel.slow != nullptr) (void)kernel.slow->make();
  if (sink_ != nullptr && (launch.observer->needs() & observe::counts) != 0) {
    counts_.assign(kernel.sites.size(), {});
    context_.counts = counts_.data();
  }
  if (sink_ != nullptr && (observe::value_kinds_of(launch.observer, sink_) & observe::counts_carried) != 0) {
    carried_.assign(kernel.sites.size(), {});
    whole_context_.carried = carried_.data();
  }
  open_windows(kernel);
  repeat_sink_ = counts_repeats_of(launch) ? static_cast<observe::RepeatSink*>(sink_) : nullptr;
  counted_ = repeat_sink_ != nullptr ? repeats_.open(kernel.sites.size()) : nullptr;
  closed_ = repeat_sink_ != nullptr ? repeats_.open_closed(kernel.sites.size()) : nullptr;
  whole_context_.repeats = counted_;
  entered_ = false;
  context_.cluster_number = 0;
  context_.local_stride = local_stride_of(kernel.recursive ? launch.local_bytes : kernel.local_bytes);
  context_.local = local_.get(
      local_bytes_of_block(context_.local_stride, launch.shape.block.count() * kernel.merged_blocks));
  context_.slots = slots_.get(kernel.slot_bytes);
  // Steps take their registers from the start: native code writes them before it calls.
  if (kernel.uses_steps) {
    context_.step_registers = made_lanes().registers();
    textures_.begin(launch, kernel.textures, kernel.level, texel_sink_ != nullptr);
    context_.matrix_frame = matrices_.begin(launch, kernel.matrices, kernel.level);
  }
  if (repeat_sink_ != nullptr && (counted_ == nullptr || closed_ == nullptr)) return false;
  return context_.shared != nullptr && (context_.local != nullptr || kernel.local_bytes == 0) &&
         (context_.slots != nullptr || kernel.slot_bytes == 0);
}

void Worker::fail_for_memory(const CompiledKernel& kernel) {
  Incident incident;
  incident.kind = FaultKind::out_of_resources;
  incident.detail = "the host has no memory for a block: " + std::to_string(context_.shared_bytes) +
                    " bytes of shared memory, " + std::to_string(context_.local_stride) +
                    " bytes of local memory a thread";
  job_->fail(0, make_fault(job_->launch, kernel, Context{}, incident));
}

// A sink without windows gets closed ones: it is told everything.
void Worker::open_windows(const CompiledKernel& kernel) {
  context_.windows = nullptr;
  if (sink_ == nullptr || (job_->launch.observer->needs() & observe::spares_windows) == 0) return;
  context_.windows = sink_->windows(kernel.sites.size());
  if (context_.windows != nullptr) return;
  closed_windows_.assign(kernel.sites.size(), {});
  context_.windows = closed_windows_.data();
}

ToldNumbers& Worker::numbers() {
  if (!numbers_) numbers_.emplace(*job_->launch.module->image);
  return *numbers_;
}

void Worker::tell_counts() {
  for (std::size_t site = 0; site < counts_.size(); ++site)
    if (counts_[site] != observe::Count{})
      sink_->count({kernel_->sites[site].function, kernel_->sites[site].instruction}, counts_[site]);
  counts_.clear();
  auto* carried = carried_.empty() ? nullptr : dynamic_cast<observe::CarriedSink*>(sink_);
  for (std::size_t site = 0; site < carried_.size(); ++site)
    if (carried_[site] != observe::Carried{})
      carried->carried({kernel_->sites[site].function, kernel_->sites[site].instruction}, carried_[site]);
  carried_.clear();
  if (!repeats_.empty()) repeats_.tell(ear());
}

void Worker::end() {
  tell_counts();
  sink_ = nullptr;
  texel_sink_ = nullptr;
  choosing_sink_ = nullptr;
  numbers_.reset();
  job_ = nullptr;
  lanes_.reset();  // they know the launch
}

bool Worker::run(uint64_t first, uint64_t count) {
  if (job_->newest != nullptr) {
    const CompiledKernel& newest = *job_->newest->load(std::memory_order_acquire);
    // Blocks that run together began so. Without memory for the newest code the one before goes on.
    if (const CompiledKernel& before = *kernel_;
        &newest != &before && !job_->together && !take(newest) && !take(before)) {
      fail_for_memory(before);
      return false;
    }
  }
  rest_first_ = first, rest_count_ = count;
  while (rest_count_ != 0) {
    first = rest_first_, count = rest_count_;
    if (choosing_sink_ != nullptr) {
      choosing_sink_->begin(first, told_warps_);
      context_.told_warps = &told_warps_;
      count = 1;
    } else if (repeat_sink_ != nullptr) {
      // Those of which each access is told run apart.
      bool all = repeat_sink_->sees_all_of(first);
      uint64_t alike = 1;
      for (; alike < count; ++alike) {
        const bool next = repeat_sink_->sees_all_of(first + alike);
        if (next != all && !job_->together) break;
        all = all || next;
      }
      whole_context_.repeats = all ? closed_ : counted_;
      count = alike;
    }
    rest_first_ += count, rest_count_ -= count;
    if (!run_code(first, count)) return false;
  }
  return true;
}

// Who waits for others must know who they are.
bool Worker::run_code(uint64_t first, uint64_t count) {
  if (!kernel_->may_wait() || job_->together) return run_entry(first, count);
  job_->at_work.fetch_add(1, std::memory_order_relaxed);
  const bool done = run_entry(first, count);
  (void)all_wait(false);
  job_->others.fetch_sub(others_, std::memory_order_relaxed);  // of a fault
  others_ = 0;
  job_->at_work.fetch_sub(1, std::memory_order_relaxed);
  return done;
}

bool Worker::run_entry(uint64_t first, uint64_t count) {
  const bool flush_mode = kernel_->flush_mode;
  if (flush_mode) set_flush_mode(true);
  const KernelEntry entry = context_.takes_turns != 0 ? &run_blocks_in_turns : kernel_->entry;
  const bool done = landing_.run(entry, &context_, first, count, job_->stop);
  if (flush_mode) set_flush_mode(false);
  if (done) return true;
  explain();
  return false;
}

// ---- blocks that wait for others

// On a device those that are there at once have room there. Functions that call themselves take all the local
// memory that a launch may have, of each block.
bool Worker::may_begin_another() {
  if (kernel_->recursive || job_->stop.load(std::memory_order_relaxed) != 0) return false;
  uint64_t most = job_->most_at_once.load(std::memory_order_relaxed);
  if (most == 0) {
    most = job_->find_most_at_once ? std::max<uint64_t>(job_->find_most_at_once(), 1) : 1;
    job_->most_at_once.store(most, std::memory_order_relaxed);
  }
  const uint64_t firsts = job_->at_work.load(std::memory_order_relaxed);
  if (job_->others.fetch_add(1, std::memory_order_relaxed) + firsts < most) return true;
  job_->others.fetch_sub(1, std::memory_order_relaxed);
  return false;
}

uint64_t Worker::begin_another(uint64_t own) {
  if (!may_begin_another()) return no_block;
  uint64_t block = own;
  if (block == no_block && rest_count_ != 0) {
    block = rest_first_;
    rest_first_ += job_->in_cluster, rest_count_ -= job_->in_cluster;
  }
  if (block == no_block && (!job_->started || job_->started->may_begin(job_->handout.begun())))
    if (const Handout::Blocks taken = job_->handout.take_any(); taken.count != 0)
      block = (job_->order ? (*job_->order)[taken.first] : taken.first) * job_->in_cluster;
  if (block == no_block) {
    job_->others.fetch_sub(1, std::memory_order_relaxed);
    return no_block;
  }
  // On small stacks nothing is compiled.
  if (others_++ == 0 && kernel_->slow != nullptr) (void)kernel_->slow->make();
  tell_all(block);
  return block;
}

// Blocks that take turns cannot be asked about one by one.
void Worker::tell_all(uint64_t block) {
  context_.told_warps = &all_warps_;
  if (repeat_sink_ != nullptr && repeat_sink_->sees_all_of(block)) whole_context_.repeats = closed_;
}

void Worker::another_ended() {
  --others_;
  job_->others.fetch_sub(1, std::memory_order_relaxed);
}

Company Worker::all_wait(bool waits) {
  if (waits != waits_) {
    waits_ = waits;
    waits ? job_->waiting.fetch_add(1) : job_->waiting.fetch_sub(1);
  }
  const uint64_t at_work = job_->at_work.load();
  if (at_work <= 1) return Company::none;
  return job_->waiting.load() >= at_work ? Company::waits : Company::works;
}

void Worker::explain() {
  Job& job = *job_;
  const Trap& trap = landing_.trap();
  std::optional<Fault> fault;
  if (step_fault_) {
    fault = std::move(*step_fault_);
    step_fault_.reset();
  } else {
    std::optional<Incident> incident = std::move(incident_);
    incident_.reset();
    if (!incident && trap.number != 0) {
      if (trap.interrupted) {
        const auto why = static_cast<Stop>(job.stop.load());
        if (why != Stop::timeout && why != Stop::cancelled) return;  // another worker's fault
        incident = interruption(why);
        incident->site = context_.site;  // if there is nothing better: in the scheduler of fibers
        if (const Code* code = kernel_->code_at(trap.pc))
          if (const Place place = code->place(trap.pc); place.line != 0) incident->site = place.line - 1;
      } else {
        incident = incident_of(*this, trap);
      }
    }
    if (!incident) {  // did not begin, or a helper left: the job says why
      const auto why = static_cast<Stop>(job.stop.load());
      if (why != Stop::timeout && why != Stop::cancelled) return;
      incident = interruption(why);
      incident->site = context_.site;
    }
    fault = make_fault(job.launch, *kernel_, context_, *incident);
  }
  const Dim3& grid = job.launch.shape.grid;
  const Dim3& at = fault->block;
  const uint64_t block = at.x + uint64_t{grid.x} * (at.y + uint64_t{grid.y} * at.z);
  job.fail(block, std::move(*fault));
}

std::optional<uint64_t> Worker::shared_address_of(uintptr_t host) const {
  if (shared_.contains(host)) return host - reinterpret_cast<uintptr_t>(context_.shared);
  return worker_clusters().address_of(host);
}

void Worker::fail_between_blocks(Job& job) {
  const auto why = static_cast<Stop>(job.stop.load());
  if (why != Stop::timeout && why != Stop::cancelled) return;
  job.fail(job.handout.begun(), make_fault(job.launch, job.kernel, Context{}, interruption(why)));
}

ReferenceLanes& Worker::made_lanes() {
  if (lanes_ == nullptr) {
    lanes_ = job_->lanes->make(job_->launch, sink_, job_);
    context_.step_registers = lanes_->registers();
    entered_ = false;
  }
  return *lanes_;
}

// For the block that the context names: blocks that are there together have memory of their own.
ReferenceLanes& Worker::lanes() {
  made_lanes();
  if (!entered_ || !std::equal(context_.block, context_.block + 3, entered_block_)) {
    std::copy_n(context_.block, 3, entered_block_);
    entered_ = true;
    lanes_->enter({.block = {context_.block[0], context_.block[1], context_.block[2]},
                   .number = context_.cluster_number,
                   .rank = context_.cluster_rank,
                   .shared = context_.cluster_blocks == 1 ? context_.shared : context_.shared_of_cluster,
                   .shared_bytes = context_.shared_bytes,
                   .local = context_.local,
                   .local_stride = context_.local_stride});
  }
  return *lanes_;
}

}  // namespace heddle::exec::jit
