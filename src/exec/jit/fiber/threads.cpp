#include "exec/jit/fiber/threads.h"

#include <bit>
#include <cstring>

#include "exec/jit/fiber/collective.h"
#include "exec/jit/thread/ops.h"

namespace heddle::exec::jit {

namespace {

// A thread gives way at a backward branch after so many, sooner when it looks at memory that others write
// (emit.h). Rounds in which everybody only looks: then whoever waits for company goes on without.
constexpr int32_t full_patience = 8192;
constexpr unsigned idle_rounds = 2;

}  // namespace

void Threads::run(Context& context, uint64_t first, uint64_t count, ThreadEntry entry,
                  const ThreadKernel& kernel) {
  hooks_.begin_host(&context);
  const uint32_t* b = kernel.block;
  const uint32_t threads = b[0] * b[1] * b[2];
  fibers_.assign(threads, {});
  states_.assign(threads, State::ready);
  alive_.assign((threads + 31) / 32, 0);
  for (uint32_t t = 0; t < threads; ++t) {
    Fiber& f = fibers_[t];
    f.context = &context;
    f.shared = context.shared;
    f.shared_bytes = context.shared_bytes;
    f.local = context.local + t * context.local_stride;
    f.local_bytes = context.local_stride;
    f.tid[0] = t % b[0];
    f.tid[1] = t / b[0] % b[1];
    f.tid[2] = t / b[0] / b[1];
    f.thread = t;
    f.lane = t % 32;
    f.warp = t / 32;
  }
  if (!stacks_.reserve(threads, kernel.stack_bytes)) fault(fibers_[0], FaultKind::out_of_resources);
  for (uint64_t block = first; block < first + count; ++block) {
    const uint64_t row = block / context.grid[0];
    context.block[0] = static_cast<uint32_t>(block % context.grid[0]);
    context.block[1] = static_cast<uint32_t>(row % context.grid[1]);
    context.block[2] = static_cast<uint32_t>(row / context.grid[1]);
    if (context.shared_bytes != 0) std::memset(context.shared, 0, context.shared_bytes);
    run_block(entry);
  }
  hooks_.end_host(&context);
}

void Threads::run_block(ThreadEntry entry) {
  const auto threads = static_cast<uint32_t>(fibers_.size());
  living_ = threads;
  barriers_.reset(threads);
  for (uint32_t t = 0; t < threads; ++t) {
    Fiber& f = fibers_[t];
    std::memcpy(f.block, f.context->block, sizeof f.block);
    f.patience = full_patience;
    start(f, entry, stacks_.top(t));
    states_[t] = State::ready;
    if (f.lane == 0) alive_[f.warp] = 0;
    alive_[f.warp] |= 1u << f.lane;
  }
  unsigned idle = 0;
  while (living_ != 0) {
    progress_ = false;
    bool ran = false;
    for (uint32_t t = 0; t < threads; ++t) {
      if (states_[t] != State::ready) continue;
      ran = true;
      run_thread(t);
    }
    idle = progress_ ? 0 : idle + 1;
    if (living_ == 0 || (ran && idle < idle_rounds)) continue;
    idle = 0;
    if (!release_loose() && !ran) stuck();
  }
}

void Threads::run_thread(uint32_t thread) {
  Fiber& f = fibers_[thread];
  f.context->first_thread = thread;
  for (;;) {
    hooks_.end_host(f.context);
    heddle_jit_resume(&f);
    hooks_.begin_host(f.context);
    const Request& r = f.request;
    f.context->site = r.site;
    switch (r.want) {
      case Want::turn: f.patience = full_patience; return;
      case Want::step: step(f, 1u << f.lane); continue;
      case Want::fault: report(f, r.what, r.arguments);
      case Want::end:
        states_[thread] = State::ended;
        progress_ = true;
        ended(f);
        return;
      case Want::barrier:
        progress_ = true;
        arrive(f);
        return;
      default:
        gather(f);
        if (states_[thread] != State::ready) return;
        progress_ = true;
        continue;
    }
  }
}

void Threads::step(const Fiber& first, uint32_t lanes) {
  Context& context = *first.context;
  const auto each = [&](auto&& f) {
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
      const Request& r = fiber_of(first.warp, lane).request;
      f(lane, reinterpret_cast<uint64_t*>(r.arguments[0]),
        *reinterpret_cast<const StepSlots*>(r.arguments[1]));
    }
  };
  each([&](uint32_t lane, const uint64_t* values, const StepSlots& s) {
    for (uint32_t i = s.results; i < s.results + s.sources; ++i)
      context.step_registers[s.slots()[i] * 32 + lane] = values[i];
  });
  hooks_.step(&context, first.request.site, first.warp, lanes);
  each([&](uint32_t lane, uint64_t* values, const StepSlots& s) {
    for (uint32_t i = 0; i < s.results; ++i) values[i] = context.step_registers[s.slots()[i] * 32 + lane];
  });
}

// ---- barriers

void Threads::arrive(Fiber& f) {
  const Request& r = f.request;
  const auto kind = static_cast<BarrierKind>(r.what);
  const bool waits = kind != BarrierKind::arrive;
  if (waits) states_[f.thread] = State::barrier;
  const char* illegal =
      barriers_.arrive(f.thread, {static_cast<uint32_t>(r.arguments[0]),
                                  static_cast<uint32_t>(r.arguments[1]), (r.arguments[2] & 1) != 0, waits});
  if (illegal) fault(f, FaultKind::illegal_barrier);
  open_barriers();
}

void Threads::open_barriers() {
  Barriers::Opened opened;
  while (barriers_.open(opened)) {
    for (uint32_t t : opened.waited) {
      states_[t] = State::ready;
      Request& r = fibers_[t].request;
      switch (static_cast<BarrierKind>(r.what)) {
        case BarrierKind::popc: r.results[0] = opened.popc; break;
        case BarrierKind::and_: r.results[0] = opened.and_ ? 1 : 0; break;
        case BarrierKind::or_: r.results[0] = opened.or_ ? 1 : 0; break;
        default: break;
      }
    }
  }
}

// ---- lanes that come together

void Threads::gather(Fiber& f) {
  const Request& r = f.request;
  const uint32_t members = r.sync != 0 ? r.members : ~0u;
  states_[f.thread] = r.sync != 0 ? State::gathering : State::loose;
  (void)finish_gathering(f, members, false);
}

// Lanes that want the same as `like` go on when all living `members` are there, or whoever is when `anyone`.
// Named members may come from different places of the program, others meet at one.
bool Threads::finish_gathering(const Fiber& like, uint32_t members, bool anyone) {
  const State state = states_[like.thread];
  const Request& wanted = like.request;
  LaneRequests requests{};
  uint32_t there = 0;
  for (uint32_t rest = alive_[like.warp]; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    Fiber& f = fiber_of(like.warp, lane);
    const Request& r = f.request;
    if (states_[f.thread] != state || r.want != wanted.want || r.what != wanted.what ||
        (state == State::loose ? r.site != wanted.site : r.members != wanted.members)) {
      continue;
    }
    requests[lane] = &f.request;
    there |= 1u << lane;
  }
  if (!anyone && (members & alive_[like.warp] & ~there) != 0) return false;
  if (wanted.want == Want::step_together) {
    step(like, there);
  } else {
    evaluate_collective(requests);
  }
  for (uint32_t rest = there; rest != 0; rest &= rest - 1) {
    states_[like.warp * 32 + static_cast<uint32_t>(std::countr_zero(rest))] = State::ready;
  }
  progress_ = true;
  return true;
}

// Others do not come, or only look at memory: the lanes that are together go on without them.
bool Threads::release_loose() {
  bool any = false;
  for (uint32_t warp = 0; warp < alive_.size(); ++warp) {
    for (uint32_t rest = alive_[warp]; rest != 0; rest &= rest - 1) {
      const Fiber& f = fiber_of(warp, static_cast<uint32_t>(std::countr_zero(rest)));
      if (states_[f.thread] != State::loose) continue;
      any |= finish_gathering(f, 0, true);
      break;
    }
  }
  return any;
}

void Threads::ended(Fiber& f) {
  --living_;
  alive_[f.warp] &= ~(1u << f.lane);
  barriers_.exit(f.thread);
  open_barriers();
  // Nobody waits for a lane that has exited.
  for (uint32_t rest = alive_[f.warp]; rest != 0; rest &= rest - 1) {
    const Fiber& other = fiber_of(f.warp, static_cast<uint32_t>(std::countr_zero(rest)));
    const State state = states_[other.thread];
    if (state == State::gathering) (void)finish_gathering(other, other.request.members, false);
    if (state == State::loose) (void)finish_gathering(other, ~0u, false);
  }
}

// ---- faults

void Threads::fault(const Fiber& f, FaultKind kind) { report(f, static_cast<uint32_t>(kind), {0, 0, 0, 0}); }

void Threads::report(const Fiber& f, uint32_t kind, const uint64_t (&arguments)[4]) {
  hooks_.fault(f.context, f.request.site, kind, f.thread, arguments[0], static_cast<uint32_t>(arguments[1]),
               static_cast<uint32_t>(arguments[2]), static_cast<uint32_t>(arguments[3]));
  __builtin_unreachable();
}

// No thread of the block can go on.
void Threads::stuck() {
  for (const Fiber& f : fibers_) {
    if (states_[f.thread] != State::ended) fault(f, FaultKind::illegal_barrier);
  }
  __builtin_unreachable();
}

}  // namespace heddle::exec::jit
