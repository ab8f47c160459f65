#include "exec/jit/fiber/warps.h"

#include <bit>
#include <cstring>
#include <thread>

#include "exec/jit/fiber/blocks.h"
#include "exec/jit/fiber/collective.h"
#include "exec/jit/ir/ops.h"
#include "exec/jit/passes/costs.h"
#include "exec/memory_map.h"
#include "support/thread_object.h"

namespace heddle::exec::jit {

void Warps::run(Context& context, uint64_t first, uint64_t count, WarpEntry entry, const WarpKernel& kernel) {
  hooks_.begin_host(&context);
  running_ = nullptr;
  group_ = in_place_ = nullptr;
  entry_ = entry;
  kernel_ = &kernel;
  workers_local_ = context.local;
  std::byte *const workers_shared = context.shared, *const workers_reserved = context.reserved_shared;
  blocks_of_cluster_ = context.cluster_blocks;
  several_ = blocks_of_cluster_ > 1;
  patience_ = cost::patience_of_warps;
  if (!turns_.run(context, first, count, true, *this))
    hooks_.fault(&context, ~0u, static_cast<uint32_t>(FaultKind::out_of_resources), 0, 0, 0, 0, 0);
  context.local = workers_local_;
  context.shared = workers_shared;
  context.reserved_shared = workers_reserved;
  hooks_.end_host(&context);
}

// One block uses the worker's memory. Several take turns in its shared memory, whose place the code knows by
// heart, and have local memory of their own; so does the one that began alone, from then on.
bool Warps::make_room(Context& context, std::size_t place, bool alone) {
  const uint32_t threads = kernel_->block[0] * kernel_->block[1] * kernel_->block[2];
  const std::size_t warps = (threads + 31) / 32;
  if (place == groups_.size()) groups_.push_back(std::make_unique<Group>());
  Group& group = *groups_[place];
  if (!group.stacks.reserve(warps, vector_stack_bytes, place * warps)) return false;
  group.number = static_cast<uint32_t>(place / context.cluster_blocks);
  group.rank = static_cast<uint32_t>(place % context.cluster_blocks);
  group.cluster = worker_clusters().make_room(context, group.number, group.rank);
  if (group.cluster == nullptr) return false;
  if (context.cluster_blocks > 1) {  // with memory for each of its blocks, in a place of its own
    group.kept = {};
    if (!group.own.reserve_local(context.local_stride * warps * 32)) return false;
    group.kept.local = group.own.of(0).local;
    return true;
  }
  if (alone) {
    in_place_ = nullptr;
    group.kept = {.local = workers_local_};
    return true;
  }
  several_ = true;
  if (in_place_ == &group) in_place_ = nullptr;
  if (in_place_ != nullptr && in_place_->kept.shared == nullptr) {
    if (!keep_apart(context, *in_place_)) return false;
    in_place_->kept.local = workers_local_;
  }
  return keep_apart(context, group);
}

bool Warps::keep_apart(const Context& context, Group& group) {
  const uint64_t warps = (kernel_->block[0] * kernel_->block[1] * kernel_->block[2] + 31) / 32;
  if (!group.own.reserve(context, 1, context.local_stride * warps * 32)) return false;
  group.kept = group.own.of(0);
  return true;
}

Warps::Part& Warps::new_part() {
  Group& group = *group_;
  if (group.used == group.parts.size()) group.parts.push_back(std::make_unique<Part>());
  Part& part = *group.parts[group.used++];
  part.owner = this;
  part.ready = true;
  part.ended = false;
  part.gathering = part.gone = 0;
  ++group.living;
  return part;
}

void Warps::begin(Context& context, std::size_t place, uint64_t block) {
  Group& group = *groups_[place];
  group_ = &group;
  const uint32_t threads = kernel_->block[0] * kernel_->block[1] * kernel_->block[2];
  const uint32_t warps = (threads + 31) / 32;
  find_block(context, block, group.index);
  group.barriers.reset(threads);
  group.by_thread.assign(threads, nullptr);
  group.warps.resize(warps);
  group.used = group.living = 0;
  group.idle = group.quiet = 0;
  if (group.rank == 0) group.cluster->begin(context.cluster_blocks, threads);
  if (context.cluster_blocks > 1)
    std::memset(group.cluster->memory.of_all() + shared_address(group.rank, 0), 0, context.shared_bytes);
  else if (group.kept.shared != nullptr)
    std::memset(group.kept.shared, 0, context.shared_bytes);
  else if (context.shared_bytes != 0)
    std::memset(context.shared, 0, context.shared_bytes);
  for (uint32_t w = 0; w < warps; ++w) {
    Part& part = new_part();
    const uint32_t there = threads - w * 32;
    part.context = &context;
    part.entry = entry_;
    part.warp = w;
    part.lanes = there >= 32 ? ~0u : (1u << there) - 1;
    part.first_thread = w * 32;
    part.active = part.lanes;
    group.warps[w].parts = 1;
    group.warps[w].on_stack = &part;
    start(part, &run_part, group.stacks.top(w));
    for (uint32_t t = w * 32; t < threads && t < w * 32 + 32; ++t) group.by_thread[t] = &part;
  }
}

// UBSan looks for a function's type in front of it; before machine code of ours there may be no page. The
// part that comes to the end need not be the one that began.
__attribute__((no_sanitize("function"))) void Warps::run_part(Fiber* fiber) {
  auto* first = static_cast<Part*>(fiber);
  Warps& warps = *first->owner;
  first->entry(first->context, 0, first->warp);
  warps.running_->request.want = Want::end;
  heddle_jit_yield(warps.running_);
}

Turn Warps::go_on(Context& context, std::size_t place) {
  Group& group = *groups_[place];
  enter_group(context, group);
  moved_in_turn_ = false;
  Turn turn = Turn::ended;
  while (group.living != 0) {
    bool ran = false;
    progress_ = perhaps_ = for_lanes_ = false;
    for (std::size_t p = 0; p < group.used; ++p) {
      if (!group.parts[p]->ready) continue;
      ran = true;
      go_on(context, *group.parts[p]);
    }
    if (group.living == 0) break;
    if (ran) {
      group.cluster->idle_turns = 0;
    } else {
      if (!group.cluster->others_may_go_on()) nobody_goes_on();
      return Turn::looked;
    }
    if (!end_of_round(turn)) return turn;
  }
  --group.cluster->living;
  return Turn::ended;
}

void Warps::nobody_goes_on() {
  Group& group = *group_;
  for (std::size_t p = 0; p < group.used; ++p)
    if (!group.parts[p]->ended) fault(*group.parts[p], FaultKind::illegal_barrier);
}

// False: it is other blocks' turn, and what this one came to.
bool Warps::end_of_round(Turn& turn) {
  Group& group = *group_;
  group.idle = progress_ ? 0 : group.idle + 1;
  if (!turns_.several() && group.idle % cost::rounds_to_yield == cost::rounds_to_yield - 1)
    std::this_thread::yield();
  const bool moved = progress_ || perhaps_;
  moved_in_turn_ |= moved;
  group.quiet = moved ? 0 : group.quiet + 1;
  // A warp may have to part first. Of several blocks others have a turn soon, and this one again.
  const uint32_t enough =
      several_ ? cost::quiet_rounds_of_several : cost::quiet_rounds_of_warps + (for_lanes_ ? patience_ : 0);
  if (group.quiet >= enough) {
    turn = moved_in_turn_ ? Turn::waits : Turn::looked;
    return false;
  }
  if (!turns_.is_spent()) return true;
  turn = Turn::spent;
  return false;
}

void Warps::copy_shared(const Context& context, Group& group, bool out) const {
  if (group.kept.shared == nullptr) return;
  const auto copy = [&](std::byte* kept, std::byte* used, uint64_t bytes) {
    if (bytes != 0) std::memcpy(out ? kept : used, out ? used : kept, bytes);
  };
  copy(group.kept.shared, context.shared, context.shared_bytes);
  copy(group.kept.reserved, context.reserved_shared, context.reserved_shared_bytes);
}

void Warps::enter_group(Context& context, Group& group) {
  group_ = &group;
  context.cluster_number = group.number;
  if (context.cluster_blocks > 1) {
    enter_cluster(context, group.cluster->memory, group.rank);
  } else if (in_place_ != &group) {
    if (in_place_ != nullptr && in_place_->living != 0) copy_shared(context, *in_place_, true);
    copy_shared(context, group, false);
    in_place_ = &group;
  }
  context.local = group.kept.local;
  std::memcpy(context.block, group.index, sizeof context.block);
}

// Its stack.
void Warps::enter(Context& context, Part& part) {
  context.first_thread = part.first_thread;
  context.active = part.active;
  context.gone = part.gone;
  Warp& warp = warp_of(part);
  context.parted = warp.parts > 1 ? 1 : 0;
  if (warp.on_stack == &part) return;
  if (warp.on_stack != nullptr) {
    auto& before = const_cast<Part&>(*warp.on_stack);
    auto* const bottom = static_cast<std::byte*>(before.stack);
    before.kept.assign(bottom, group_->stacks.top(part.warp));
  }
  std::memcpy(part.stack, part.kept.data(), part.kept.size());
  warp.on_stack = &part;
}

void Warps::go_on(Context& context, Part& part) {
  enter(context, part);
  running_ = &part;
  hooks_.end_host(&context);
  heddle_jit_resume(&part);
  hooks_.begin_host(&context);
  running_ = nullptr;
  part.first_thread = context.first_thread;
  part.active = context.active;
  part.gone = context.gone;
  if (part.gone != 0) {
    group_->cluster->barrier.exit(group_->rank, part.warp, part.gone);
    open_cluster();
  }
  switch (part.request.want) {
    case Want::turn: return;
    case Want::step: return split(part);
    case Want::end: ended(part); break;
    case Want::barrier: arrive(part); break;
    default: finish_gathering(part); break;
  }
  progress_ = true;
}

// ---- parts

bool Warps::give_way(WaitFor whom) {
  running_->request.want = Want::turn;
  perhaps_ |= whom == WaitFor::perhaps;
  for_lanes_ |= whom == WaitFor::lanes;
  heddle_jit_yield(running_);
  return whom != WaitFor::others && group_->idle >= patience_;
}

bool Warps::part(uint32_t lanes) {
  Part* const before = running_;
  before->request.want = Want::step;
  before->request.members = lanes;
  heddle_jit_yield(before);
  return running_ != before;
}

// The new part has the same stack, of which it takes a copy.
void Warps::split(Part& part) {
  Part& other = new_part();
  const uint32_t lanes = part.request.members;
  static_cast<Fiber&>(other) = part;
  other.entry = part.entry;
  other.lanes = lanes;
  other.first_thread = part.first_thread;
  other.active = part.active;
  other.gone = part.gone & lanes;
  other.kept.assign(static_cast<std::byte*>(part.stack), group_->stacks.top(part.warp));
  part.lanes &= ~lanes;
  part.gone &= ~lanes;
  Warp& warp = warp_of(part);
  ++warp.parts;
  if (!warp.requests) warp.requests = std::make_unique<std::array<Request, 32>>();
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
    group_->by_thread[part.warp * 32 + static_cast<uint32_t>(std::countr_zero(rest))] = &other;
  patience_ = std::max(patience_ / 2, cost::least_patience_of_warps);
  group_->idle = group_->quiet = 0;
}

void Warps::ended(Part& part) {
  part.ready = false;
  part.ended = true;
  Group& group = *group_;
  --group.living;
  for (uint32_t rest = part.lanes; rest != 0; rest &= rest - 1)
    group.barriers.exit(part.warp * 32 + static_cast<uint32_t>(std::countr_zero(rest)));
  group.cluster->barrier.exit(group.rank, part.warp, part.lanes);
  if (Warp& warp = warp_of(part); warp.on_stack == &part) warp.on_stack = nullptr;
  open_barriers();
  open_cluster();
  if (warp_of(part).parts > 1) look_at_gathering(part);
}

// ---- barriers

uint64_t Warps::barrier(uint32_t site, const Arrival& arrival) {
  Part* const part = running_;
  part->request.want = Want::barrier;
  part->request.site = site;
  part->arrival = arrival;
  heddle_jit_yield(part);
  return part->request.results[0];
}

// All of the part's lanes have come: of those that are not active none comes to a barrier any more.
void Warps::arrive(Part& part) {
  const Arrival& a = part.arrival;
  if (is_of_cluster(static_cast<BarrierKind>(a.kind))) return arrive_at_cluster(part);
  const bool waits = static_cast<BarrierKind>(a.kind) != BarrierKind::arrive;
  part.ready = !waits;
  const char* illegal = a.count == 0 && !a.all
                            ? "a barrier of no threads"
                            : group_->barriers.arrive(part.warp, part.lanes, a.active, a.predicates,
                                                      {a.id, a.all ? 0 : a.count, false, waits});
  if (illegal != nullptr) fault(part, FaultKind::illegal_barrier);
  open_barriers();
}

// Each lane comes and waits for itself.
void Warps::arrive_at_cluster(Part& part) {
  ClusterBarrier& barrier = group_->cluster->barrier;
  bool waits = false;
  const bool only_arrives = static_cast<BarrierKind>(part.arrival.kind) == BarrierKind::cluster_arrive;
  const uint32_t first = part.warp * 32 + static_cast<uint32_t>(std::countr_zero(part.lanes));
  const char* illegal = only_arrives
                            ? barrier.arrive(group_->rank, part.warp, part.arrival.active)
                            : barrier.wait(group_->rank, part.warp, part.arrival.active, first, waits);
  if (illegal != nullptr) fault(part, FaultKind::illegal_barrier);
  part.ready = !waits;
  open_cluster();
}

void Warps::open_cluster() {
  Cluster& cluster = *group_->cluster;
  for (const ClusterBarrier::Waiter& waiter : cluster.barrier.open()) {
    const std::size_t place = group_->number * std::size_t{blocks_of_cluster_} + waiter.rank;
    groups_[place]->by_thread[waiter.thread]->ready = true;
    cluster.idle_turns = 0;
  }
}

void Warps::open_barriers() {
  Group& group = *group_;
  Barriers::Opened opened;
  while (group.barriers.open(opened)) {
    for (const uint32_t thread : opened.waited) {
      Part& part = *group.by_thread[thread];
      part.ready = true;
      uint64_t& result = part.request.results[0];
      switch (static_cast<BarrierKind>(part.arrival.kind)) {
        case BarrierKind::popc: result = opened.popc; break;
        case BarrierKind::and_: result = opened.and_ ? 1 : 0; break;
        case BarrierKind::or_: result = opened.or_ ? 1 : 0; break;
        default: break;
      }
    }
  }
}

// ---- lanes of a warp that parted

void Warps::gather(Want want, uint32_t what, uint32_t site, uint32_t lanes, LaneTable& table) {
  Part* const part = running_;
  part->request.want = want;
  part->request.site = site;
  part->gathering = lanes;
  std::array<Request, 32>& requests = *warp_of(*part).requests;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    Request& r = requests[lane];
    r.want = want;
    r.what = what;
    r.site = site;
    r.members = static_cast<uint32_t>(table.values[LaneTable::members][lane]);
    for (uint32_t i = 0; i < LaneTable::arguments; ++i) r.arguments[i] = table.values[i][lane];
  }
  heddle_jit_yield(part);
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    for (uint32_t i = 0; i < 2; ++i) table.values[LaneTable::results + i][lane] = requests[lane].results[i];
  }
}

void Warps::finish_gathering(Part& part) {
  part.ready = part.gathering == 0;
  look_at_gathering(part);
}

namespace {

std::byte* place_of(const Context& context, const TogetherStep& step, const LaneColumn& column,
                    uint32_t lane) {
  std::byte* const base =
      step.matrix != 0 ? context.matrix_frame : reinterpret_cast<std::byte*>(context.step_registers);
  return base + column.at + std::size_t{lane} * column.bytes;
}

}  // namespace

void Warps::step_together(uint32_t site, uint32_t lanes, const TogetherStep& step) {
  Part* const part = running_;
  Context& context = *part->context;
  part->request.want = Want::step_together;
  part->request.site = site;
  part->gathering = lanes;
  part->step = &step;
  const auto each_place = [&](uint32_t first, uint32_t last, auto&& f) {
    std::size_t at = 0;
    for (uint32_t c = first; c < last; ++c) {
      const LaneColumn& column = step.columns()[c];
      for (uint32_t lane = 0; lane < 32; ++lane, at += column.bytes)
        if ((lanes >> lane & 1) != 0)
          f(part->columns.data() + at, place_of(context, step, column, lane), column.bytes);
    }
  };
  std::size_t bytes = 0;
  for (uint32_t c = 0; c < step.sources + step.results; ++c)
    bytes += std::size_t{32} * step.columns()[c].bytes;
  part->columns.resize(bytes);
  each_place(0, step.sources,
             [](std::byte* own, const std::byte* place, uint32_t size) { std::memcpy(own, place, size); });
  std::array<Request, 32>& requests = *warp_of(*part).requests;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    Request& r = requests[static_cast<uint32_t>(std::countr_zero(rest))];
    r.want = Want::step_together;
    r.what = r.site = site;
    r.members = ~0U;
  }
  heddle_jit_yield(part);
  each_place(step.sources, step.sources + step.results,
             [](const std::byte* own, std::byte* place, uint32_t size) { std::memcpy(place, own, size); });
}

// With the registers of all parts; each gets its lanes' results.
void Warps::do_together(const Part& of_warp, const Request& wanted, uint32_t there) {
  Context& context = *of_warp.context;
  const auto each_place = [&](bool results, auto&& f) {
    for (std::size_t p = 0; p < group_->used; ++p) {
      Part& part = *group_->parts[p];
      if (part.ended || part.warp != of_warp.warp || (part.gathering & there) == 0) continue;
      const TogetherStep& step = *part.step;
      std::size_t at = 0;
      const uint32_t first = results ? step.sources : 0, last = step.sources + (results ? step.results : 0);
      for (uint32_t c = first; c < last; ++c) {
        const LaneColumn& column = step.columns()[c];
        for (uint32_t lane = 0; lane < 32; ++lane, at += column.bytes)
          if ((part.gathering >> lane & 1) != 0)
            f(part.columns.data() + at, place_of(context, step, column, lane), column.bytes);
      }
    }
  };
  each_place(false,
             [](const std::byte* own, std::byte* place, uint32_t size) { std::memcpy(place, own, size); });
  (of_warp.step->matrix != 0 ? hooks_.matrix : hooks_.step)(&context, wanted.site, of_warp.warp, there);
  each_place(true,
             [](std::byte* own, const std::byte* place, uint32_t size) { std::memcpy(own, place, size); });
}

// Lanes go on whose members are all there, wherever they stand, and want the same.
void Warps::look_at_gathering(const Part& of_warp) {
  const Warp& warp = warp_of(of_warp);
  if (!warp.requests) return;
  uint32_t alive = 0, waiting = 0;
  const auto each = [&](auto&& f) {
    for (std::size_t p = 0; p < group_->used; ++p) {
      Part& part = *group_->parts[p];
      if (!part.ended && part.warp == of_warp.warp) f(part);
    }
  };
  each([&](Part& part) {
    alive |= part.lanes & ~part.gone;
    waiting |= part.gathering;
  });
  std::array<Request, 32>& all = *warp.requests;
  for (uint32_t rest = waiting; rest != 0;) {
    const Request& wanted = all[static_cast<uint32_t>(std::countr_zero(rest))];
    LaneRequests requests{};
    uint32_t there = 0;
    for (uint32_t left = rest; left != 0; left &= left - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(left));
      Request& r = all[lane];
      if (r.want != wanted.want || r.what != wanted.what || r.members != wanted.members) continue;
      requests[lane] = &r;
      there |= 1u << lane;
    }
    rest &= ~there;
    if ((wanted.members & alive & ~there) != 0) continue;
    if (wanted.want == Want::step_together)
      do_together(of_warp, wanted, there);
    else
      evaluate_collective(requests, there);
    each([&](Part& part) {
      if ((part.gathering & there) == 0) return;
      part.gathering &= ~there;
      part.ready = part.gathering == 0;
    });
  }
}

void Warps::fault(const Part& part, FaultKind kind) {
  hooks_.fault(part.context, part.request.site, static_cast<uint32_t>(kind),
               part.warp * 32 + static_cast<uint32_t>(std::countr_zero(part.lanes)), 0, 0, 0, 0);
}

Warps& worker_warps() { return thread_object<Warps>(worker_hooks()); }

extern "C" {

void heddle_jit_run_warps(Context* context, uint64_t first, uint64_t count, WarpEntry entry,
                          const WarpKernel* kernel) {
  worker_warps().run(*context, first, count, entry, *kernel);
}

uint32_t heddle_jit_wait(Context*, uint32_t whom) {
  return worker_warps().give_way(static_cast<WaitFor>(whom)) ? 1 : 0;
}

uint32_t heddle_jit_part(Context*, uint32_t lanes) { return worker_warps().part(lanes) ? 1 : 0; }

uint32_t heddle_jit_arrive(Context*, uint32_t site, uint32_t kind, uint32_t id, uint32_t count,
                           uint32_t active, uint32_t predicates) {
  return static_cast<uint32_t>(
      worker_warps().barrier(site, {kind, id, count, count == ~0u, active, predicates}));
}

void heddle_jit_gather(Context*, uint32_t want, uint32_t what, uint32_t site, uint32_t lanes, void* table) {
  worker_warps().gather(static_cast<Want>(want), what, site, lanes, *static_cast<LaneTable*>(table));
}

void heddle_jit_together(Context* context, uint32_t site, uint32_t warp, uint32_t lanes,
                         const TogetherStep* step) {
  if (context->parted != 0) return worker_warps().step_together(site, lanes, *step);
  (step->matrix != 0 ? heddle_jit_matrix : heddle_jit_step)(context, site, warp, lanes);
}

}  // extern "C"

}  // namespace heddle::exec::jit
