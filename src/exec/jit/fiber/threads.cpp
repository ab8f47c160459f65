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
constexpr uint32_t frame_room = 16 << 10;

}  // namespace

void Threads::run(Context& context, uint64_t first, uint64_t count, ThreadEntry entry,
                  const ThreadKernel& kernel) {
  hooks_.begin_host(&context);
  const uint32_t threads = kernel.block[0] * kernel.block[1] * kernel.block[2];
  const uint64_t at_once = context.together != 0 ? count : 1;
  make_room(context, at_once, threads);
  if (!stacks_.reserve(fibers_.size(), kernel.stack_bytes)) {
    fibers_[0].context = &context;
    fault(fibers_[0], FaultKind::out_of_resources);
  }
  for (uint64_t block = first; block < first + count; block += at_once) {
    for (uint64_t i = 0; i < at_once; ++i) begin(context, groups_[i], block + i, kernel, entry);
    run_groups(context);
  }
  hooks_.end_host(&context);
}

// One block uses the worker's memory; several need their own.
void Threads::make_room(const Context& context, uint64_t groups, uint32_t threads) {
  const uint64_t shared = whole_lines(context.shared_bytes),
                 reserved = whole_lines(context.reserved_shared_bytes);
  const uint64_t local = context.local_stride * threads;
  groups_.resize(groups);
  fibers_.assign(groups * threads, {});
  states_.assign(fibers_.size(), State::ended);
  memory_.clear();
  if (groups > 1) memory_.resize(groups * (shared + reserved + local) + cache_line);
  const auto start = reinterpret_cast<uintptr_t>(memory_.data());
  std::byte* at = groups > 1 ? memory_.data() + (cache_line - start % cache_line) % cache_line : nullptr;
  for (uint32_t i = 0; i < groups; ++i) {
    Group& g = groups_[i];
    g.first = i * threads;
    g.alive.assign((threads + 31) / 32, 0);
    g.shared = context.shared;
    g.reserved = context.reserved_shared;
    g.local = context.local;
    if (groups == 1) continue;
    g.shared = at;
    g.reserved = at + shared;
    g.local = at + shared + reserved;
    at += shared + reserved + local;
  }
  current_ = nullptr;
  living_ = 0;
}

void Threads::begin(Context& context, Group& group, uint64_t block, const ThreadKernel& kernel,
                    ThreadEntry entry) {
  const uint32_t* b = kernel.block;
  const uint32_t threads = b[0] * b[1] * b[2];
  const uint64_t row = block / context.grid[0];
  group.index[0] = static_cast<uint32_t>(block % context.grid[0]);
  group.index[1] = static_cast<uint32_t>(row % context.grid[1]);
  group.index[2] = static_cast<uint32_t>(row / context.grid[1]);
  if (context.shared_bytes != 0) std::memset(group.shared, 0, context.shared_bytes);
  group.barriers.reset(threads);
  living_ += threads;
  for (uint32_t t = 0; t < threads; ++t) {
    Fiber& f = fibers_[group.first + t];
    f.context = &context;
    f.shared = group.shared;
    f.shared_bytes = context.shared_bytes;
    f.reserved = group.reserved;
    f.reserved_bytes = context.reserved_shared_bytes;
    f.local = group.local + t * context.local_stride;
    f.local_bytes = context.local_stride;
    f.tid[0] = t % b[0];
    f.tid[1] = t / b[0] % b[1];
    f.tid[2] = t / b[0] / b[1];
    std::memcpy(f.block, group.index, sizeof f.block);
    f.thread = t;
    f.lane = t % 32;
    f.warp = t / 32;
    f.group = static_cast<uint32_t>(&group - groups_.data());
    f.patience = full_patience;
    std::byte* top = stacks_.top(group.first + t);
    f.stack_end = top - kernel.stack_bytes + frame_room;
    start(f, entry, top);
    states_[group.first + t] = State::ready;
    group.alive[f.warp] |= 1u << f.lane;
  }
  current_ = nullptr;
}

void Threads::run_groups(Context& context) {
  unsigned idle = 0;
  while (living_ != 0) {
    progress_ = false;
    bool ran = false;
    for (Fiber& f : fibers_) {
      if (state(f) != State::ready) continue;
      ran = true;
      if (const Group& group = group_of(f); &group != current_) {
        current_ = &group;
        std::memcpy(context.block, group.index, sizeof context.block);
        context.shared = group.shared;
        context.reserved_shared = group.reserved;
        context.local = group.local;
      }
      run_thread(f);
    }
    idle = progress_ ? 0 : idle + 1;
    if (living_ == 0 || (ran && idle < idle_rounds)) continue;
    idle = 0;
    if (!release_loose() && !ran) stuck();
  }
}

void Threads::run_thread(Fiber& f) {
  f.context->first_thread = f.thread;
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
        state(f) = State::ended;
        progress_ = true;
        ended(f);
        return;
      case Want::barrier:
        progress_ = true;
        arrive(f);
        if (state(f) != State::ready) return;
        continue;
      default:
        gather(f);
        if (state(f) != State::ready) return;
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
      const Request& r = neighbour(first, lane).request;
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
  const bool waits = static_cast<BarrierKind>(r.what) != BarrierKind::arrive;
  if (waits) state(f) = State::barrier;
  const char* illegal = group_of(f).barriers.arrive(
      f.thread, {static_cast<uint32_t>(r.arguments[0]), static_cast<uint32_t>(r.arguments[1]),
                 (r.arguments[2] & 1) != 0, waits});
  if (illegal) fault(f, FaultKind::illegal_barrier);
  open_barriers(group_of(f));
}

void Threads::open_barriers(Group& group) {
  Barriers::Opened opened;
  while (group.barriers.open(opened)) {
    for (uint32_t t : opened.waited) {
      Fiber& f = fibers_[group.first + t];
      state(f) = State::ready;
      Request& r = f.request;
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
  state(f) = r.sync != 0 ? State::gathering : State::loose;
  (void)finish_gathering(f, members, false);
}

// Lanes mostly come one after another: who has come asks first for the one behind it, which is on its way.
bool Threads::all_wait(const Fiber& like, uint32_t lanes) {
  const State how = state(like);
  const State* warp = &states_[number(like) - like.lane];
  const uint32_t turn = like.lane + 1;
  for (uint32_t rest = std::rotr(lanes, static_cast<int>(turn)); rest != 0; rest &= rest - 1)
    if (warp[(static_cast<uint32_t>(std::countr_zero(rest)) + turn) % 32] != how) return false;
  return true;
}

// Lanes that want the same as `like` go on when all living `members` are there, or whoever is when `anyone`.
// Named members may come from different places of the program, others meet at one.
bool Threads::finish_gathering(const Fiber& like, uint32_t members, bool anyone) {
  const State how = state(like);
  const Request& wanted = like.request;
  const uint32_t alive = group_of(like).alive[like.warp];
  if (!anyone && !all_wait(like, members & alive)) return false;
  LaneRequests requests{};
  uint32_t there = 0;
  for (uint32_t rest = alive; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    Fiber& f = neighbour(like, lane);
    const Request& r = f.request;
    if (state(f) != how || r.want != wanted.want || r.what != wanted.what ||
        (how == State::loose ? r.site != wanted.site : r.members != wanted.members)) {
      continue;
    }
    requests[lane] = &f.request;
    there |= 1u << lane;
  }
  if (!anyone && (members & alive & ~there) != 0) return false;
  if (wanted.want == Want::step_together) {
    step(like, there);
  } else {
    evaluate_collective(requests);
  }
  for (uint32_t rest = there; rest != 0; rest &= rest - 1) {
    state(neighbour(like, static_cast<uint32_t>(std::countr_zero(rest)))) = State::ready;
  }
  progress_ = true;
  return true;
}

// Others do not come, or only look at memory: the lanes that are together go on without them.
bool Threads::release_loose() {
  bool any = false;
  for (Fiber& first : fibers_) {
    if (first.lane != 0) continue;
    for (uint32_t rest = group_of(first).alive[first.warp]; rest != 0; rest &= rest - 1) {
      const Fiber& f = neighbour(first, static_cast<uint32_t>(std::countr_zero(rest)));
      if (state(f) != State::loose) continue;
      any |= finish_gathering(f, 0, true);
      break;
    }
  }
  return any;
}

void Threads::ended(Fiber& f) {
  Group& group = group_of(f);
  --living_;
  group.alive[f.warp] &= ~(1u << f.lane);
  group.barriers.exit(f.thread);
  open_barriers(group);
  // Nobody waits for a lane that has exited.
  for (uint32_t rest = group.alive[f.warp]; rest != 0; rest &= rest - 1) {
    const Fiber& other = neighbour(f, static_cast<uint32_t>(std::countr_zero(rest)));
    const State how = state(other);
    if (how == State::gathering) (void)finish_gathering(other, other.request.members, false);
    if (how == State::loose) (void)finish_gathering(other, ~0u, false);
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
    if (state(f) != State::ended) fault(f, FaultKind::illegal_barrier);
  }
  __builtin_unreachable();
}

}  // namespace heddle::exec::jit
