// What native code calls: context.h. A helper that has found a fault does not return, and has no objects to
// destroy when it leaves.
#include <bit>
#include <chrono>
#include <cstring>
#include <span>

#include "exec/jit/abi/context.h"
#include "exec/jit/abi/local_layout.h"
#include "exec/jit/launch/host_state.h"
#include "exec/jit/launch/worker.h"
#include "exec/jit/matrix/touches.h"
#include "exec/memory_map.h"
#include "exec/told_access.h"
#include "observe/values_of.h"

namespace heddle::exec::jit {

namespace {

Worker& worker_of(Context* context) { return *static_cast<Worker*>(context->worker); }

void begin_helper(Worker& worker) {
  worker.landing().begin_helper();
  if (worker.kernel().flush_mode) set_flush_mode(false);
}

// The end of every helper: somebody may have wanted to stop this thread meanwhile. Then it is told where it
// was: code that somebody watches is in helpers most of its time.
void back_to_code(Worker& worker, Context* context = nullptr, uint32_t site = 0) {
  worker.landing().end_helper();
  if (worker.kernel().flush_mode && !worker.landing().in_helper()) set_flush_mode(true);
  if (worker.job().stop.load(std::memory_order_acquire) == 0) return;
  if (context != nullptr) context->site = site;
  worker.landing().leave();
}

// Whether the host flushes subnormals while this kernel runs, and not in here.
class KeepSubnormals {
 public:
  explicit KeepSubnormals(bool flushes) : flushes_(flushes) {
    if (flushes_) set_flush_mode(false);
  }
  ~KeepSubnormals() {
    if (flushes_) set_flush_mode(true);
  }
  KeepSubnormals(const KeepSubnormals&) = delete;
  KeepSubnormals& operator=(const KeepSubnormals&) = delete;

 private:
  const bool flushes_;
};

// Registers of a warp between where the reference executor and the matrix unit have them.
void to_step_registers(std::span<const matrix::Register> some, const std::byte* frame, uint64_t* registers) {
  for (const matrix::Register& r : some)
    for (uint32_t lane = 0; lane < matrix::warp_lanes; ++lane) {
      uint64_t value = 0;
      std::memcpy(&value, frame + r.at + r.bytes * lane, r.bytes);
      if (r.slot != module::none) registers[r.slot * matrix::warp_lanes + lane] = value;
    }
}
void to_frame(std::span<const matrix::Register> some, const uint64_t* registers, std::byte* frame) {
  for (const matrix::Register& r : some)
    for (uint32_t lane = 0; lane < matrix::warp_lanes; ++lane)
      if (r.slot != module::none)
        std::memcpy(frame + r.at + r.bytes * lane, registers + r.slot * matrix::warp_lanes + lane, r.bytes);
}

bool step(Worker& worker, uint32_t site_index, uint32_t warp, uint32_t lanes) {
  const Site& site = worker.kernel().sites[site_index];
  using Answer = texture::Unit::Answer;
  uint64_t* registers = worker.context().step_registers;
  const matrix::Form* form = worker.matrices().form_at(site_index);
  // The matrix unit tells an observer nothing of memory.
  const observe::Observer* observer = worker.job().launch.observer;
  const bool observed = observer != nullptr && (observer->needs() & observe::accesses) != 0;
  if (form != nullptr && lanes == ~0U && !(observed && matrix::touches_memory(*form))) {
    std::byte* frame = worker.context().matrix_frame;
    to_frame(form->in, registers, frame);
    if (worker.matrices().run(site_index, worker.context(), frame)) {
      to_step_registers(form->out, frame, registers);
      return true;
    }
  }
  const Answer answer = worker.textures().step(site_index, lanes, registers);
  if (answer == Answer::done) {
    const uint32_t* block = worker.context().block;
    if (observe::TexelSink* sink = worker.texel_sink(); sink != nullptr && worker.textures().looked())
      sink->look({.place = {site.function, site.instruction},
                  .block = {block[0], block[1], block[2]},
                  .warp = warp,
                  .lanes = lanes,
                  .texels = worker.textures().seen()});
    return true;
  }
  const uint32_t some = answer == Answer::first ? lanes & ~(lanes - 1) : lanes;
  uint32_t carry = 0;  // instructions with a condition code are never steps
  ReferenceLanes& reference = worker.lanes();
  if (!reference.execute(site.function, site.instruction, warp, some, site.frame, carry)) return false;
  if (answer == Answer::first) worker.textures().tell(site_index, lanes, registers);
  return true;
}

void note_step_fault(Worker& worker, uint32_t site) {
  Fault fault = worker.lanes().take_fault();
  add_line(fault, *worker.job().launch.module->image, worker.kernel(), site);
  worker.fault_of_step(std::move(fault));
}

void describe(Worker& worker, Incident& incident) {
  const Launch& launch = worker.job().launch;
  incident.detail = describe_access(launch, worker.context().cluster_rank, incident.kind, incident.space,
                                    incident.address, incident.bytes, incident.write, launch.local_bytes);
}

// A generic address in its window.
void sort_into_window(const WindowMap& window, uint64_t generic, module::Space& space, uint64_t& address) {
  space = module::Space::global;
  address = generic;
  if (generic - window.shared_base < window.shared_bytes) {
    space = module::Space::shared;
    address = generic - window.shared_base;
  } else if (generic - window.local_base < window.local_bytes) {
    space = module::Space::local;
    address = generic - window.local_base;
  } else if (generic - window.param_base < window.param_bytes) {
    space = module::Space::param;
  }
}

std::byte* place_in_cluster(const Context& context, uint64_t address, uint64_t bytes) {
  const uint64_t rank = address >> shared_rank_shift, offset = shared_offset(address);
  const uint64_t begin = reserved_shared_end - context.reserved_shared_bytes;
  const bool is_there =
      offset + bytes <= context.shared_bytes || (offset >= begin && offset + bytes <= reserved_shared_end);
  return rank < context.cluster_blocks && is_there ? context.shared_of_cluster + address : nullptr;
}

// nullptr: no memory that may be used so.
std::byte* place(const Context& context, const Launch& launch, module::Space space, uint64_t address,
                 uint32_t thread, uint64_t bytes, bool write) {
  switch (space) {
    case module::Space::shared: {
      if (context.cluster_blocks > 1) return place_in_cluster(context, address, bytes);
      if (address + bytes <= context.shared_bytes) return context.shared + address;
      // What the system keeps, at the end of the block's part of the window.
      constexpr uint64_t end = reserved_shared_end;
      const uint64_t begin = end - context.reserved_shared_bytes;
      return address >= begin && address + bytes <= end ? context.reserved_shared + (address - begin)
                                                        : nullptr;
    }
    case module::Space::local:
      if (address + bytes > context.local_stride) return nullptr;
      return context.local + thread * context.local_stride + address;
    case module::Space::param: {
      const uint64_t offset = address - windows(launch.module->image->address_bits).param_base;
      if (write || offset + bytes > launch.params.size()) return nullptr;
      return const_cast<std::byte*>(context.parameters) + offset;
    }
    default:
      if (launch.memory != nullptr && !launch.memory->accessible(address, bytes, write)) return nullptr;
      return reinterpret_cast<std::byte*>(static_cast<uintptr_t>(address));
  }
}

// nullptr: a fault, which the worker knows.
std::byte* resolve(Worker& worker, const Context& context, uint32_t site, uint64_t generic, uint32_t thread,
                   uint32_t bytes, bool write) {
  const Launch& launch = worker.job().launch;
  module::Space space;
  uint64_t address;
  sort_into_window(windows(launch.module->image->address_bits), generic, space, address);
  const bool misaligned = (address & (bytes - 1)) != 0;
  std::byte* host = misaligned ? nullptr : place(context, launch, space, address, thread, bytes, write);
  if (host != nullptr) return host;
  Incident& incident = worker.new_incident();
  incident.kind = misaligned ? FaultKind::misaligned_address : FaultKind::illegal_address;
  incident.site = site;
  incident.thread = thread;
  incident.address = address;
  incident.bytes = bytes;
  incident.write = write;
  incident.space = space;
  describe(worker, incident);
  return nullptr;
}

uint64_t steady_nanoseconds() {
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

// Cycles at the device's clock since some block of the launch first asked.
uint64_t clock_of(Job& job) {
  const uint64_t now = steady_nanoseconds();
  uint64_t start = job.clock_start.load(std::memory_order_relaxed);
  if (start == 0 && job.clock_start.compare_exchange_strong(start, now - 1)) start = now - 1;
  const uint64_t khz = job.launch.device == nullptr ? 1'000'000 : job.launch.device->clock.core_khz;
  return (now - std::min(now, start)) * khz / 1'000'000;
}

}  // namespace

extern "C" {

void heddle_jit_step(Context* context, uint32_t site, uint32_t warp, uint32_t lanes) {
  Worker& worker = worker_of(context);
  begin_helper(worker);
  if (!step(worker, site, warp, lanes)) {
    note_step_fault(worker, site);
    worker.landing().leave();
  }
  back_to_code(worker, context, site);
}

void heddle_jit_matrix(Context* context, uint32_t site, uint32_t warp, uint32_t lanes) {
  if (lanes == 0) return;
  Worker& worker = worker_of(context);
  if (lanes == ~0U) {
    // Nothing here takes locks or memory: a signal may end it anywhere.
    const KeepSubnormals mode(worker.kernel().flush_mode);
    if (worker.matrices().run(site, *context, context->matrix_frame)) return;
  }
  begin_helper(worker);
  const matrix::Form& form = *worker.matrices().form_at(site);
  ReferenceLanes& reference = worker.lanes();
  to_step_registers(form.in, context->matrix_frame, context->step_registers);
  const Site& at = worker.kernel().sites[site];
  uint32_t carry = 0;
  if (!reference.execute(at.function, at.instruction, warp, lanes, at.frame, carry)) {
    note_step_fault(worker, site);
    worker.landing().leave();
  }
  to_frame(form.out, context->step_registers, context->matrix_frame);
  back_to_code(worker, context, site);
}

void heddle_jit_fault(Context* context, uint32_t site, uint32_t kind, uint32_t thread, uint64_t address,
                      uint32_t bytes, uint32_t write, uint32_t space) {
  Worker& worker = worker_of(context);
  begin_helper(worker);
  Incident& incident = worker.new_incident();
  incident.kind = static_cast<FaultKind>(kind);
  incident.site = site;
  incident.thread = thread;
  incident.address = address;
  incident.bytes = bytes;
  incident.write = write != 0;
  incident.space = static_cast<module::Space>(space);
  if (bytes != 0) {
    if (incident.space == module::Space::local && worker.kernel().local_granule != 0)
      incident.address = local_place(address, context->local_stride, worker.kernel().local_granule).offset;
    if (incident.space == module::Space::generic)
      sort_into_window(windows(worker.job().launch.module->image->address_bits), address, incident.space,
                       incident.address);
    describe(worker, incident);
  } else if (incident.kind == FaultKind::trap) {
    incident.detail = "the program executed a trap";
  } else if (incident.kind == FaultKind::stack_overflow) {
    incident.detail = "the calls of the thread need more than its stack of " +
                      std::to_string(worker.job().launch.local_bytes) + " bytes";
  }
  worker.landing().leave();
}

std::byte* heddle_jit_resolve(Context* context, uint64_t generic, uint32_t thread, uint32_t bytes,
                              uint32_t write, uint32_t site) {
  Worker& worker = worker_of(context);
  begin_helper(worker);
  std::byte* host = resolve(worker, *context, site, generic, thread, bytes, write != 0);
  if (host == nullptr) worker.landing().leave();
  back_to_code(worker);
  return host;
}

void heddle_jit_observe(Context* context, uint32_t site, uint32_t bytes, uint32_t space, uint32_t kind,
                        uint32_t warp, uint32_t lanes, uint64_t* addresses) {
  if (lanes == 0) return;
  Worker& worker = worker_of(context);
  begin_helper(worker);
  const Site& at = worker.kernel().sites[site];
  tell(*worker.sink(),
       {.place = {at.function, at.instruction},
        .block = {context->block[0], context->block[1], context->block[2]},
        .warp = warp,
        .lanes = lanes,
        .bytes = bytes,
        .kind = static_cast<observe::AccessKind>(kind),
        .window = context->windows != nullptr ? &context->windows[site] : nullptr},
       static_cast<module::Space>(space), windows(worker.job().launch.module->image->address_bits),
       addresses);
  back_to_code(worker, context, site);
}

void heddle_jit_observe_row(Context* context, uint32_t site, void* entry, uint64_t key, uint64_t base,
                            uint32_t warp, uint32_t lanes) {
  Worker& worker = worker_of(context);
  begin_helper(worker);
  worker.repeats().come(
      *static_cast<Repeat*>(entry),
      {.site = site, .key = key, .base = base, .warp = warp, .lanes = lanes, .block = context->block},
      worker.ear());
  back_to_code(worker, context, site);
}

void heddle_jit_observe_lanes(Context* context, uint32_t site, void* entry, uint64_t key, uint32_t warp,
                              uint32_t lanes, uint64_t* addresses) {
  Worker& worker = worker_of(context);
  begin_helper(worker);
  worker.repeats().come(static_cast<RepeatOfLanes*>(entry)->repeat,
                        {.site = site,
                         .key = key,
                         .base = addresses[std::countr_zero(lanes)],
                         .warp = warp,
                         .lanes = lanes,
                         .block = context->block,
                         .addresses = addresses},
                        worker.ear());
  back_to_code(worker, context, site);
}

void heddle_jit_observe_value(Context* context, uint32_t site, uint32_t warp, uint32_t lanes) {
  if (lanes == 0) return;
  Worker& worker = worker_of(context);
  begin_helper(worker);
  const Site& at = worker.kernel().sites[site];
  ToldNumbers& numbers = worker.numbers();
  const uint8_t kinds = observe::value_kinds_of(worker.job().launch.observer, worker.sink());
  // Of the warps that are looked at together one has something to tell.
  if (exceptional_lanes(numbers.of(at.function, at.instruction), numbers.use(at.function, at.instruction),
                        kinds, lanes, context->addresses) != 0)
    static_cast<observe::ValueSink*>(worker.sink())
        ->value({.place = {at.function, at.instruction},
                 .block = {context->block[0], context->block[1], context->block[2]},
                 .warp = warp,
                 .lanes = lanes,
                 .bits = context->addresses});
  back_to_code(worker, context, site);
}

void heddle_jit_observe_visit(Context* context, uint32_t site, uint32_t warp, uint32_t lanes) {
  if (lanes == 0) return;
  Worker& worker = worker_of(context);
  begin_helper(worker);
  const Site& at = worker.kernel().sites[site];
  worker.sink()->visit({.place = {at.function, at.instruction},
                        .block = {context->block[0], context->block[1], context->block[2]},
                        .warp = warp,
                        .lanes = lanes});
  back_to_code(worker, context, site);
}

void heddle_jit_observe_sync(Context* context, uint32_t site, uint32_t kind, uint32_t warp, uint32_t lanes,
                             const uint32_t* a, const uint32_t* b) {
  if (lanes == 0) return;
  Worker& worker = worker_of(context);
  begin_helper(worker);
  const Site& at = worker.kernel().sites[site];
  observe::Sync told{.place = {at.function, at.instruction},
                     .block = {context->block[0], context->block[1], context->block[2]},
                     .warp = warp,
                     .kind = static_cast<observe::SyncKind>(kind)};
  // Mostly all lanes have the same.
  if (told.kind == observe::SyncKind::begin || told.kind == observe::SyncKind::exit) {
    told.lanes = lanes;
    worker.sink()->sync(told);
    return back_to_code(worker, context, site);
  }
  uint32_t differs = ~lanes;
  for (unsigned lane = 1; lane < observe::warp_lanes; ++lane) differs |= (a[lane] ^ a[0]) | (b[lane] ^ b[0]);
  if (differs == 0) {
    told.a = a[0], told.b = b[0], told.lanes = lanes;
    worker.sink()->sync(told);
    return back_to_code(worker, context, site);
  }
  for (uint32_t left = lanes; left != 0; left &= ~told.lanes) {
    const int first = std::countr_zero(left);
    told.a = a[first], told.b = b[first], told.lanes = 0;
    for (uint32_t rest = left; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (a[lane] == told.a && b[lane] == told.b) told.lanes |= uint32_t{1} << lane;
    }
    worker.sink()->sync(told);
  }
  back_to_code(worker, context, site);
}

uint64_t heddle_jit_clock(Context* context, uint32_t which) {
  Worker& worker = worker_of(context);
  begin_helper(worker);
  uint64_t value = 0;
  if (which == 2) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    value = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  } else {
    value = clock_of(worker.job());
    if (which == 0) value &= 0xffff'ffff;
  }
  back_to_code(worker);
  return value;
}

uint32_t heddle_jit_slow(Context* context, uint32_t part, void* frame) {
  Worker& worker = worker_of(context);
  SlowCode& slow = *worker.kernel().slow;
  if (slow.find(part) == nullptr) {
    begin_helper(worker);
    if (const std::string* why_not = slow.make()) {
      Incident& incident = worker.new_incident();
      incident.kind = FaultKind::cancelled;
      incident.detail = *why_not;
      worker.landing().leave();
    }
    back_to_code(worker);
  }
  return slow.find(part)(context, frame);
}

void heddle_jit_begin_host(Context* context) { begin_helper(worker_of(context)); }
void heddle_jit_end_host(Context* context) { back_to_code(worker_of(context)); }

uint64_t heddle_jit_begin_another(Context* context, uint64_t own) {
  return worker_of(context).begin_another(own);
}
void heddle_jit_another_ended(Context* context) { worker_of(context).another_ended(); }
Company heddle_jit_all_wait(Context* context, bool waits) { return worker_of(context).all_wait(waits); }

}  // extern "C"

}  // namespace heddle::exec::jit
