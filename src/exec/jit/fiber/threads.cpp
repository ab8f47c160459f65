#include "exec/jit/fiber/threads.h"

#include <bit>
#include <cstring>

#include "exec/jit/fiber/collective.h"
#include "exec/jit/ir/ops.h"
#include "exec/jit/passes/costs.h"
#include "exec/memory_map.h"

namespace heddle::exec::jit {

namespace {

// A thread gives way at a backward branch after so many, sooner when it looks at memory that others write
// (emit.h). Rounds in which everybody only looks: then whoever waits for company goes on without.
constexpr uint32_t frame_room = 16 << 10;

}  // namespace

void Threads::run(Context& context, uint64_t first, uint64_t count, ThreadEntry entry,
                  const ThreadKernel& kernel) {
  hooks_.begin_host(&context);
  home_.threads = this;
  home_.next = [](FiberHome* home, Fiber* f) { return static_cast<Home*>(home)->threads->next(*f); };
  entry_ = entry;
  kernel_ = &kernel;
  blocks_of_cluster_ = context.cluster_blocks;
  workers_ = {.shared = context.shared, .reserved = context.reserved_shared, .local = context.local};
  if (!turns_.run(context, first, count, kernel.looks != 0, *this))
    hooks_.fault(&context, ~0u, static_cast<uint32_t>(FaultKind::out_of_resources), 0, 0, 0, 0, 0);
  context.shared = workers_.shared;
  context.reserved_shared = workers_.reserved;
  context.local = workers_.local;
  hooks_.end_host(&context);
}

// One block uses the worker's memory; several need their own.
bool Threads::make_room(Context& context, std::size_t place, bool alone) {
  const uint32_t threads = kernel_->block[0] * kernel_->block[1] * kernel_->block[2];
  if (place == groups_.size()) groups_.push_back(std::make_unique<Group>());
  Group& group = *groups_[place];
  if (!group.stacks.reserve(threads, kernel_->stack_bytes, place * threads)) return false;
  group.memory = workers_;
  group.number = static_cast<uint32_t>(place / blocks_of_cluster_);
  group.rank = static_cast<uint32_t>(place % blocks_of_cluster_);
  group.cluster = worker_clusters().make_room(context, group.number, group.rank);
  if (group.cluster == nullptr) return false;
  if (blocks_of_cluster_ > 1) {
    if (!group.own.reserve_local(context.local_stride * threads)) return false;
    group.memory = {.shared = group.cluster->memory.of_all(), .local = group.own.of(0).local};
    return true;
  }
  if (alone) return true;
  if (!group.own.reserve(context, 1, context.local_stride * threads)) return false;
  group.memory = group.own.of(0);
  return true;
}

void Threads::begin(Context& context, std::size_t place, uint64_t block) {
  Group& group = *groups_[place];
  const uint32_t* b = kernel_->block;
  const uint32_t threads = b[0] * b[1] * b[2];
  find_block(context, block, group.index);
  if (group.rank == 0) group.cluster->begin(blocks_of_cluster_, threads);
  if (context.shared_bytes != 0)
    std::memset(group.memory.shared + shared_address(group.rank, 0), 0, context.shared_bytes);
  group.barriers.reset(threads);
  group.fibers.assign(threads, {});
  group.warps.assign((threads + 31) / 32, {});
  for (uint32_t w = 0; w < group.warps.size(); ++w) group.warps[w].first = w * 32;
  group.living = threads;
  group.turn = ~0U;
  group.idle = group.quiet = 0;
  for (uint32_t t = 0; t < threads; ++t) {
    Fiber& f = group.fibers[t];
    f.home = &home_;
    f.context = &context;
    f.shared = group.memory.shared;
    f.shared_bytes = context.shared_bytes;
    f.reserved = group.memory.reserved;
    f.reserved_bytes = context.reserved_shared_bytes;
    f.local = group.memory.local + t * context.local_stride;
    f.local_bytes = context.local_stride;
    f.tid[0] = t % b[0];
    f.tid[1] = t / b[0] % b[1];
    f.tid[2] = t / b[0] / b[1];
    std::memcpy(f.block, group.index, sizeof f.block);
    f.rank = group.rank;
    f.thread = t;
    f.lane = t % 32;
    f.warp = t / 32;
    f.patience = cost::patience_of_threads;
    std::byte* top = group.stacks.top(t);
    f.stack_end = top - kernel_->stack_bytes + frame_room;
    start(f, entry_, top);
    Warp& warp = group.warps[f.warp];
    warp.alive |= 1u << f.lane;
    warp.ready |= 1u << f.lane;
  }
}

Turn Threads::go_on(Context& context, std::size_t place) {
  group_ = groups_[place].get();
  std::memcpy(context.block, group_->index, sizeof context.block);
  context.cluster_number = group_->number;
  if (blocks_of_cluster_ > 1) {
    enter_cluster(context, group_->cluster->memory, group_->rank);
  } else {
    context.shared = group_->memory.shared;
    context.reserved_shared = group_->memory.reserved;
  }
  context.local = group_->memory.local;
  turn_ = Turn::ended;
  ran_ = progress_ = moved_ = moved_in_turn_ = false;
  if (Fiber* const first = next_warp()) {
    hooks_.end_host(&context);
    heddle_jit_enter(&home_, first);
    hooks_.begin_host(&context);
  }
  return turn_;
}

// Runs for every wish of every thread. What only looks at lanes and requests is no helper of the run's: an
// interrupt may leave it anywhere.
Fiber* Threads::next(Fiber& f) {
  const Request& r = f.request;
  f.context->site = r.site;
  Warp& warp = group_->warps[group_->turn];
  const uint32_t lane = 1u << f.lane, others = warp.ready & ~lane;
  warp.last_first &= ~lane;
  if (r.want > Want::step && r.want != Want::barrier) {
    gather(f);
  } else if (r.want == Want::turn) {
    f.patience = cost::patience_of_threads;
    gave_way_ = true;
    moved_ |= r.what == 0 || f.came != 0;
    f.came = 0;
  } else {
    hooks_.begin_host(f.context);
    if (r.want == Want::step) {
      moved_ = true;
      step(f, lane);
    } else if (r.want == Want::fault) {
      report(f, r.what, r.arguments);
    } else {
      progress_ = moved_ = true;
      if (r.want == Want::end)
        ended(f);
      else
        barrier(f);
    }
    hooks_.end_host(f.context);
    if (r.want == Want::step) return &f;
  }
  // Lanes that came together set out in the order that holds there, whichever lane was the last to come, went
  // away to another place or has exited: not from that one on.
  if (r.want != Want::turn && (warp.ready & ~others) != 0) return resumed(warp);
  if (const uint32_t behind = warp.ready & ~(lane | (lane - 1)); behind != 0 && warp.last_first == 0)
    return resumed(fiber_of(warp, static_cast<uint32_t>(std::countr_zero(behind))));
  if (warp.ready != 0 && (!gave_way_ || (warp.ready & warp.last_first) != 0)) return resumed(warp);
  return next_warp();
}

// The first one whose turn it is.
Fiber* Threads::resumed(const Warp& warp) {
  const uint32_t backward = warp.ready & warp.last_first;
  return resumed(fiber_of(warp, static_cast<uint32_t>(backward != 0 ? std::bit_width(backward) - 1
                                                                    : std::countr_zero(warp.ready))));
}

Fiber* Threads::resumed(Fiber& f) {
  f.context->first_thread = f.thread;
  return &f;
}

// nullptr: nobody, the block's turn is over.
Fiber* Threads::next_warp() {
  Group& group = *group_;
  while (group.living != 0) {
    if (++group.turn == group.warps.size()) {
      group.turn = ~0U;
      if (!end_of_round()) return nullptr;
      group.turn = 0;
    }
    const Warp& warp = group.warps[group.turn];
    if (warp.ready == 0) continue;
    ran_ = true;
    group.cluster->idle_turns = 0;
    gave_way_ = false;
    return resumed(warp);
  }
  --group.cluster->living;
  turn_ = Turn::ended;
  return nullptr;
}

// False: it is other blocks' turn.
bool Threads::end_of_round() {
  Group& group = *group_;
  group.idle = progress_ ? 0 : group.idle + 1;
  if (!ran_ || group.idle >= cost::idle_rounds) {
    group.idle = 0;
    Context& context = *group.fibers[0].context;
    hooks_.begin_host(&context);
    if (release_loose())
      moved_ = ran_ = true;
    else if (!ran_ && !group.cluster->others_may_go_on())
      stuck();
    hooks_.end_host(&context);
    if (!ran_) {
      turn_ = Turn::looked;
      return false;
    }
  }
  moved_in_turn_ |= moved_;
  group.quiet = moved_ ? 0 : group.quiet + 1;
  ran_ = progress_ = moved_ = false;
  if (group.quiet >= cost::quiet_rounds_of_threads) {
    turn_ = moved_in_turn_ ? Turn::waits : Turn::looked;
    return false;
  }
  if (!turns_.is_spent()) return true;
  turn_ = Turn::spent;
  return false;
}

void Threads::step(const Fiber& first, uint32_t lanes) {
  Context& context = *first.context;
  const auto each = [&](auto&& f) {
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
      const Request& r = fiber_of(warp_of(first), lane).request;
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

void Threads::barrier(Fiber& f) {
  const Request& r = f.request;
  if (const auto kind = static_cast<BarrierKind>(r.what); is_of_cluster(kind))
    return barrier_of_cluster(f, kind == BarrierKind::cluster_arrive);
  const bool waits = static_cast<BarrierKind>(r.what) != BarrierKind::arrive;
  if (waits) warp_of(f).ready &= ~(1u << f.lane);
  const char* illegal = group_->barriers.arrive(
      f.thread, {static_cast<uint32_t>(r.arguments[0]), static_cast<uint32_t>(r.arguments[1]),
                 (r.arguments[2] & 1) != 0, waits});
  if (illegal) fault(f, FaultKind::illegal_barrier);
  open_barriers();
}

void Threads::barrier_of_cluster(Fiber& f, bool arrives) {
  ClusterBarrier& barrier = group_->cluster->barrier;
  bool waits = false;
  const uint32_t lane = 1u << f.lane;
  const char* illegal = arrives ? barrier.arrive(group_->rank, f.warp, lane)
                                : barrier.wait(group_->rank, f.warp, lane, f.thread, waits);
  if (illegal) fault(f, FaultKind::illegal_barrier);
  if (waits) warp_of(f).ready &= ~lane;
  open_cluster();
}

void Threads::open_cluster() {
  Cluster& cluster = *group_->cluster;
  for (const ClusterBarrier::Waiter& waiter : cluster.barrier.open()) {
    Group& group = *groups_[std::size_t{group_->number} * blocks_of_cluster_ + waiter.rank];
    const Fiber& f = group.fibers[waiter.thread];
    group.warps[f.warp].ready |= 1u << f.lane;
    cluster.idle_turns = 0;
  }
}

void Threads::open_barriers() {
  Barriers::Opened opened;
  while (group_->barriers.open(opened)) {
    for (uint32_t t : opened.waited) {
      Fiber& f = group_->fibers[t];
      warp_of(f).ready |= 1u << f.lane;
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
  Warp& warp = group_->warps[group_->turn];
  const uint32_t lane = 1u << f.lane;
  const bool named = f.request.sync != 0;
  uint32_t& waiting = named ? warp.gathering : warp.loose;
  warp.ready &= ~lane;
  waiting |= lane;
  // Most come one after another: this is for the last one to look into.
  const uint32_t members = named ? f.request.members : ~0u;
  if ((members & warp.alive & ~waiting) == 0 && finish_gathering(f, false)) {
    warp.alone = 0;
    return;
  }
  // All wait, at several places: whoever is waited for by its name must go on.
  if (warp.loose != 0 && (warp.loose | warp.gathering) == warp.alive) go_on_without_others(warp);
}

// Lanes that want the same as `like` go on when all living members are there, or whoever is when `anyone`.
// Named members may come from different places of the program, others meet at one.
bool Threads::finish_gathering(const Fiber& like, bool anyone) {
  Warp& warp = warp_of(like);
  const Request& wanted = like.request;
  const bool named = wanted.sync != 0;
  uint32_t& waiting = named ? warp.gathering : warp.loose;
  const uint32_t members = named ? wanted.members & warp.alive : warp.alive;
  LaneRequests requests;
  uint32_t there = 0;
  for (uint32_t rest = waiting; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    Request& r = fiber_of(warp, lane).request;
    if (r.want != wanted.want || r.what != wanted.what ||
        (named ? r.members != wanted.members : r.site != wanted.site))
      continue;
    requests[lane] = &r;
    there |= 1u << lane;
  }
  if (!anyone && (members & ~there) != 0) return false;
  if (wanted.want == Want::step_together) {
    hooks_.begin_host(like.context);
    step(like, there);
    hooks_.end_host(like.context);
  } else {
    evaluate_collective(requests, there);
  }
  waiting &= ~there;
  warp.ready |= there;
  if (wanted.want == Want::in_step && wanted.arguments[0] != 0) warp.last_first |= there;
  progress_ = true;
  return true;
}

// Others do not come, or only look at memory: the lanes that are together go on without them.
bool Threads::release_loose() {
  bool any = false;
  for (Warp& warp : group_->warps) {
    if (warp.loose == 0) continue;
    go_on_without_others(warp);
    any = true;
  }
  return any;
}

// Those at the earliest place of the program: so they come to where the others are, as on a device lanes that
// parted meet again. Unless they go round and round, perhaps for what the others would do.
void Threads::go_on_without_others(Warp& warp) {
  const bool last = ++warp.alone > cost::most_alone;
  if (last) warp.alone = 0;
  const Fiber* chosen = nullptr;
  for (uint32_t rest = warp.loose; rest != 0; rest &= rest - 1) {
    const Fiber& f = fiber_of(warp, static_cast<uint32_t>(std::countr_zero(rest)));
    const bool better = chosen != nullptr && (last ? f.request.place > chosen->request.place
                                                   : f.request.place < chosen->request.place);
    if (chosen == nullptr || better) chosen = &f;
  }
  (void)finish_gathering(*chosen, true);
}

void Threads::ended(Fiber& f) {
  Warp& warp = warp_of(f);
  --group_->living;
  warp.alive &= ~(1u << f.lane);
  warp.ready &= ~(1u << f.lane);
  group_->barriers.exit(f.thread);
  open_barriers();
  group_->cluster->barrier.exit(group_->rank, f.warp, 1u << f.lane);
  open_cluster();
  // Nobody waits for a lane that has exited.
  for (uint32_t rest = warp.alive; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    if (((warp.gathering | warp.loose) >> lane & 1) != 0) (void)finish_gathering(fiber_of(warp, lane), false);
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
  for (const Warp& warp : group_->warps) {
    if (warp.alive != 0)
      fault(fiber_of(warp, static_cast<uint32_t>(std::countr_zero(warp.alive))), FaultKind::illegal_barrier);
  }
  __builtin_unreachable();
}

}  // namespace heddle::exec::jit
